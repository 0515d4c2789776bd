# SPDX-License-Identifier: MIT
"""The records of operations in a results folder: one's own and imported ones."""

from collections.abc import Sequence

from assay.model.supercop import Source
from assay.report.ebacs.own import own_records
from assay.report.ebacs.records import Records
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.imported import imported_series


def all_records(store: Store, operation: str | None = None) -> Records:
    """Return own and imported records, of one operation or of all."""
    return own_records(store, operation) + imported_records(store, operation)


def imported_records(store: Store, operation: str | None = None) -> Records:
    """Return imported records, of one operation or of all."""
    published = ImportedRecords(store)
    series, attempts = imported_series(store, operation), published.attempts(operation)
    return Records(tuple(series), tuple(attempts))


def joined_records(
    stores: Sequence[Store], labels: Sequence[str], operation: str | None = None
) -> Records:
    """Return the records of several folders, whose machines are called as `labels` say.

    What was imported into several of them is taken once.
    """
    found, seen = Records(), set[Source]()
    for store, label in zip(stores, labels, strict=True):
        machine, own = store.machine(), own_records(store, operation)
        others = imported_records(store, operation).without(seen)
        found += (own.called(machine.host, label) if machine else own) + others
        seen |= set(ImportedRecords(store).sources())
    return found
