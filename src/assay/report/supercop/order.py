# SPDX-License-Identifier: MIT
"""The order of a data base: primitive by primitive, first what was tried, then measured."""

from collections.abc import Iterable

from assay.model.ebacs import Measurement, Record


def in_order(records: Iterable[Record]) -> list[Record]:
    """Sort records; those of one subject keep their order."""
    return sorted(records, key=_place)


def _place(record: Record) -> tuple[str | bool, ...]:
    """Give what a record is sorted by."""
    subject = record.subject
    return (
        *(subject.operation, subject.primitive, isinstance(record, Measurement)),
        *(subject.league, subject.implementation, subject.compiler),
    )
