# SPDX-License-Identifier: MIT
"""The order of a data base: primitive by primitive, first what was tried, then measured."""

from collections.abc import Iterable

from assay.model.supercop import Fact, Measurement, Record
from assay.report.supercop.words import TRIED


def in_order(records: Iterable[Record]) -> list[Record]:
    """Sort records; those of one subject and size keep their order."""
    return sorted(records, key=_place)


def _place(record: Record) -> tuple[str | int, ...]:
    """Return what a record is sorted by; what has no size comes before what has one.

    Headings come before what was measured below them.
    """
    subject = record.subject
    heading = isinstance(record, Fact) and record.key not in TRIED
    measured = heading or isinstance(record, Measurement)
    size = record.size if isinstance(record, Measurement) and record.size is not None else -1
    size = -2 if heading else size
    return (
        *(subject.operation, subject.primitive, measured),
        *(subject.league, subject.implementation, subject.compiler, size),
    )
