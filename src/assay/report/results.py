# SPDX-License-Identifier: MIT
"""The tables of results folders, of one or of several machines."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from assay.errors import UsageError
from assay.model import PackageKind
from assay.model.series import Series
from assay.model.supercop import Attempt, Source
from assay.report.cells import NOTHING, cell_report
from assay.report.curves import Choice, Records
from assay.report.kinds import KINDS
from assay.report.leads import trusted
from assay.report.machines import Measured, labels, machine_names, together
from assay.report.operations import operation_report
from assay.report.supercop.own import own_records
from assay.report.table import Note, Report, Style
from assay.report.tried import tried_report
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.cells import load_all
from assay.summary.footnotes import footnotes
from assay.summary.imported import imported_series
from assay.summary.rows import Detail

T = TypeVar("T", Series, Attempt)


def results_report(store: Store, asked: Choice) -> Report:
    """Return the tables of all kinds that a folder has, and how far they can be believed."""
    kinds = (PackageKind.OPERATION,) if asked.operation else kinds_of(store)
    return _of_kinds(store, asked, kinds)


def machines_report(stores: Sequence[Store], asked: Choice) -> Report:
    """Return a table of the machines of folders, and one of each kind with the rows of all."""
    measured = list(_measured(stores))
    kinds = () if asked.operation else tuple(KINDS)
    reports = [_of_kinds(store, asked, kinds) for store in stores]
    machines = asked.form != "csv"
    records = _joined(stores, [one.label for one in measured], asked.operation)
    published = {one.source for one in records.series if one.imported}
    report = together(list(zip(measured, reports, strict=True)), published, machines=machines)
    if not records.operations:
        return report
    return report + _of_operations(records, asked, joined=True)


def kinds_of(store: Store) -> tuple[PackageKind, ...]:
    """Return the kinds of which a folder has packages; of imported results alone, operations."""
    known = {one.kind for one in store.packages()}
    if not known and ImportedRecords(store).primitives():
        return (PackageKind.OPERATION,)
    return tuple(kind for kind in PackageKind if kind in known) or (PackageKind.STREAM,)


def all_records(store: Store, operation: str | None = None) -> Records:
    """Return own and imported records, of one operation or of all."""
    return own_records(store, operation) + _imported(store, operation)


def _of_kinds(store: Store, asked: Choice, kinds: Sequence[PackageKind]) -> Report:
    by_cell = [kind for kind in kinds if kind in KINDS]
    one_alone = asked.primitive if not asked.operation else ""
    results = load_all(store, by_cell, one_alone) if by_cell else ()
    report = sum((cell_report(one, asked.detail, asked.form) for one in results), Report(()))
    if PackageKind.OPERATION in kinds and not one_alone:
        report += _of_operations(all_records(store, asked.operation), asked)
    if report.tables:
        report = replace(report, above=tuple(one for one in report.above if one != NOTHING))
    said = tuple(Note(line, Style.PLAIN) for line in footnotes(store, asked.operation))
    return trusted(report + Report((), below=said), store.machine(), store.launch_heads())


def _of_operations(records: Records, asked: Choice, *, joined: bool = False) -> Report:
    """Return the best of each primitive, or every configuration that was tried."""
    names = [asked.operation] if asked.operation else records.operations
    if asked.primitive:
        records = _of_primitive(records, f"{asked.operation}/{asked.primitive}")
    if asked.detail is Detail.EVERYTHING and not asked.of_figures:
        return tried_report(records, names)
    choice = replace(asked, together=joined or asked.together)
    return operation_report(records, names, choice, asked.form)


def _of_primitive(records: Records, name: str) -> Records:
    """Keep the records of one primitive; UsageError if there are none."""

    def named(one: Series | Attempt) -> str:
        return f"{one.subject.operation}/{one.subject.primitive}"

    found = records.where(lambda one: named(one) == name)
    if found == Records():
        every: tuple[Series | Attempt, ...] = (*records.series, *records.attempts)
        known = ", ".join(sorted(set(map(named, every)))) or "nothing"
        raise UsageError(f"nothing of {name} was measured", f"There is {known}.")
    return found


def _imported(store: Store, operation: str | None) -> Records:
    attempts = ImportedRecords(store).attempts(operation)
    return Records(tuple(imported_series(store, operation)), tuple(attempts))


def _joined(stores: Sequence[Store], labels: Sequence[str], operation: str | None) -> Records:
    """Return the records of several folders, whose machines are called as `labels` say.

    What was imported into several of them is taken once.
    """
    found, seen = Records(), set[Source]()

    def is_new(one: Series | Attempt) -> bool:
        return one.source not in seen

    for store, label in zip(stores, labels, strict=True):
        machine, own = store.machine(), own_records(store, operation)
        host = machine.host if machine else label
        found += Records(
            tuple(_called(one, host, label) for one in own.series),
            tuple(_called(one, host, label) for one in own.attempts),
        )
        found += _imported(store, operation).where(is_new)
        seen |= set(ImportedRecords(store).sources())
    return found


def _called(one: T, machine: str, label: str) -> T:
    """Call a machine otherwise: those of two folders may have one name."""
    own = one.source.machine == machine
    return replace(one, source=replace(one.source, machine=label)) if own else one


def _measured(stores: Sequence[Store]) -> Iterator[Measured]:
    """Yield the machine of each folder, by a name that no other has."""
    machines = [store.machine() for store in stores]
    known = [(one.identity(), one.host) if one else ("", "unknown") for one in machines]
    names = machine_names(known)
    begun = (next((one.started_at[:10] for one in store.campaigns()), "") for store in stores)
    shown = labels([names[identity] for identity, _ in known], begun)
    for name, machine, store in zip(shown, machines, stores, strict=True):
        yield Measured(name, machine, store.launch_heads())
