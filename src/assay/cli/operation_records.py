# SPDX-License-Identifier: MIT
"""The records of operations in a results folder: one's own and imported ones."""

from collections.abc import Sequence
from pathlib import Path

from assay.model.supercop import Source
from assay.report.ebacs.own import own_bench, own_records
from assay.report.ebacs.records import Records
from assay.report.ebacs.site import write_site
from assay.report.html import OPERATIONS
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.footnotes import footnotes
from assay.summary.imported import imported_series


def all_records(store: Store, operation: str | None = None) -> Records:
    """Return own and imported records, of one operation or of all."""
    return own_records(store, operation) + imported_records(store, operation)


def imported_records(store: Store, operation: str | None = None) -> Records:
    """Return imported records, of one operation or of all."""
    published = ImportedRecords(store)
    series, attempts = imported_series(store, operation), published.attempts(operation)
    return Records(tuple(series), tuple(attempts), tuple(published.facts(operation)))


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


def collect_operations(folder: Path) -> Path | None:
    """Write the site of all operations; None if the folder has no results of any."""
    with Store.open(folder, read_only=True) as store:
        records = all_records(store)
        bench = own_bench(store)
        notes = {one: footnotes(store, one) for one in records.operations}
    if not records.operations:
        return None
    return write_site(folder / OPERATIONS, records, [bench] if bench else [], notes)
