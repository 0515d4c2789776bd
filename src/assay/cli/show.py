# SPDX-License-Identifier: MIT
"""`assay show`: the tables of results folders, in the terminal or for other programs."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import click

from assay.cli.applies import FOLDER, NAMED, OPERATION, SEVERAL, STREAM, refuse
from assay.cli.archived import folders
from assay.cli.console import print_report
from assay.cli.formats import SHORT, formats_option
from assay.cli.operation_records import all_records, joined_records
from assay.cli.options import Renamed, results_option
from assay.model.operations import OPERATIONS
from assay.report.cells import Detail, folder_report
from assay.report.ebacs.quantities import Part, parse_size
from assay.report.ebacs.records import Records
from assay.report.ebacs.tables import SIDE_BY_SIDE, operation_report
from assay.report.ebacs.tried import tried_report
from assay.report.ebacs.views import Choice
from assay.report.table import Note, Report, Style
from assay.report.together import Measured, labels, together
from assay.report.trust import trusted
from assay.store import Store
from assay.store.published import ImportedRecords
from assay.summary.cells import load_all
from assay.summary.footnotes import footnotes


@click.command(name="show")
@click.argument("what", metavar="[OPERATION] [FOLDER]...", nargs=-1)
@results_option("The results folder.")
@click.option("--packages", is_flag=True, help="Every package at every size, at its best.")
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@formats_option(*SHORT, charts=True)
@click.option("--size", metavar="BYTES|long", help="An operation's table for this length.")
@click.option(
    "--metric",
    cls=Renamed,
    older=("--measure",),
    metavar="KEY",
    help="Such as open_cycles, as in database lines.",
)
@click.option(
    "--part",
    type=click.Choice([one.value for one in Part]),
    default=Part.MESSAGE.value,
    help="Which of two lengths grows (aead, xof).",
)
@click.option("--together", "joined", is_flag=True, help="All machines in one table.")
def command(
    what: tuple[str, ...],
    results: Path,
    packages: bool,
    everything: bool,
    form: str,
    size: str | None,
    metric: str | None,
    part: str,
    joined: bool,
) -> None:
    """Print the tables of results folders (default: the current one).

    CSV has a line for each figure; the column `kind` says whether it is of a stream
    cipher, a hash or an operation.

    Stream ciphers have one row per primitive, the fastest sound one at its largest sizes,
    and so have hashes: the rate of a long message, and what one of 32 bytes takes.
    An OPERATION, such as crypto_hash, shows the best implementation of each primitive:
    quartiles in cycles per byte, one's own and imported ones. With --all it shows every
    configuration that was tried, by the score that decides, or with --size by that figure.

    Several folders, and one into which archives of other machines were imported, show a table
    of the machines, and then the results of all machines together.
    """
    operation = what[0] if what and what[0] in OPERATIONS else None
    named = [Path(one) for one in what[1 if operation else 0 :]]
    found = [one for folder in named or [results] for one in folders(folder)]
    choice = Choice(parse_size(size) if size else None, metric, Part(part), joined)
    if operation:
        refuse({OPERATION: operation})
    asked = _Asked(operation, _detail(packages, everything), choice, form)
    with ExitStack() as opened:
        stores = [opened.enter_context(Store.open(one, read_only=True)) for one in found]
        only = operation or all(map(_only_operations, stores))
        situation = {OPERATION if operation else FOLDER if only else STREAM: str(found[0])}
        if len(found) > 1 and not operation:
            situation = {SEVERAL: str(found[1])}
        refuse({**situation, NAMED: str(named[0])} if named else situation)
        report = asked.together(stores) if len(found) > 1 else asked.report(stores[0])
    print_report(report.led if form in SIDE_BY_SIDE and len(found) == 1 else report, form)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is shown of each folder, or of several."""

    operation: str | None
    detail: Detail
    choice: Choice
    form: str

    def report(self, store: Store) -> Report:
        """Return the tables of one folder."""
        if self.operation or _only_operations(store):
            report = self._operations(all_records(store, self.operation))
        else:
            report = folder_report(load_all(store), self.detail, self.form)
            if OPERATION in _kinds(store):
                report += self._operations(all_records(store))
        said = tuple(Note(line, Style.PLAIN) for line in footnotes(store, self.operation))
        report += Report((), below=said)
        return trusted(report, store.machine(), store.launch_heads())

    def together(self, stores: Sequence[Store]) -> Report:
        """Return a table of the machines, and one of each kind with the rows of all of them."""
        measured = list(_measured(stores))
        reports = [self._cells(store) for store in stores]
        machines = self.form != "csv"
        report = together(list(zip(measured, reports, strict=True)), machines=machines)
        records = joined_records(stores, [one.label for one in measured], self.operation)
        if not records.operations:
            return report
        return report + self._operations(records, together=True)

    def _cells(self, store: Store) -> Report:
        """Return the tables of what is measured cell by cell, and what is said of a folder."""
        results = () if self.operation else load_all(store)
        some = any(one.cells for one in results)
        report = folder_report(results, self.detail, self.form) if some else Report(())
        said = tuple(Note(line, Style.PLAIN) for line in footnotes(store, self.operation))
        report += Report((), below=said)
        return trusted(report, store.machine(), store.launch_heads())

    def _operations(self, records: Records, *, together: bool = False) -> Report:
        """Return the best of each primitive, or every configuration that was tried."""
        names = [self.operation] if self.operation else records.operations
        everything = self.detail is Detail.EVERYTHING
        if everything and self.choice == Choice():
            return tried_report(records, names)
        joined = together or self.choice.together
        choice = replace(self.choice, everything=everything, together=joined)
        return operation_report(records, names, choice, self.form)


def _measured(stores: Sequence[Store]) -> Iterator[Measured]:
    """Yield the machine of each folder, by a name that no other has."""
    machines = [store.machine() for store in stores]
    hosts = [one.host if one else "unknown" for one in machines]
    begun = [next((one.started_at[:10] for one in store.campaigns()), "") for store in stores]
    names = labels(zip(hosts, begun, strict=True))
    for name, machine, store in zip(names, machines, stores, strict=True):
        yield Measured(name, machine, store.launch_heads())


def _detail(packages: bool, everything: bool) -> Detail:
    """Return how much the tables show."""
    if everything:
        return Detail.EVERYTHING
    return Detail.PACKAGES if packages else Detail.PRIMITIVES


def _kinds(store: Store) -> set[str]:
    """Return the kinds of packages of which there are results."""
    return {one.kind for one in store.packages()}


def _only_operations(store: Store) -> bool:
    """Return whether a folder has results of operations alone, one's own or imported ones."""
    kinds = _kinds(store)
    return kinds == {OPERATION} or (not kinds and bool(ImportedRecords(store).primitives()))
