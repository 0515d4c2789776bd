# SPDX-License-Identifier: MIT
"""`assay show`: the tables of a results folder, in the terminal or for other programs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from assay.cli.applies import FOLDER, NAMED, OPERATION, STREAM, refuse
from assay.cli.console import print_report
from assay.cli.formats import SHORT, formats_option
from assay.cli.operation_records import all_records
from assay.cli.options import Renamed, results_option
from assay.model.operations import OPERATIONS
from assay.report.cells import Detail, folder_report
from assay.report.ebacs.quantities import Part, parse_size
from assay.report.ebacs.records import Records
from assay.report.ebacs.selection import Choice
from assay.report.ebacs.tables import operation_report
from assay.report.ebacs.tried import tried_report
from assay.report.table import Note, Report, Style
from assay.report.trust import trusted
from assay.store import Store
from assay.summary.cells import load_all
from assay.summary.footnotes import footnotes


@click.command(name="show")
@click.argument("what", metavar="[OPERATION|FOLDER]", required=False)
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
@click.option("--together", is_flag=True, help="All machines in one table.")
def command(
    what: str | None,
    results: Path,
    packages: bool,
    everything: bool,
    form: str,
    size: str | None,
    metric: str | None,
    part: str,
    together: bool,
) -> None:
    """Print the tables of a results folder (default: the current one).

    CSV has a line for each figure; the column `kind` says whether it is of a stream
    cipher, a hash or an operation.

    Stream ciphers have one row per primitive, the fastest sound one at its largest sizes,
    and so have hashes: the rate of a long message, and what one of 32 bytes takes.
    An OPERATION, such as crypto_hash, shows the best implementation of each primitive:
    quartiles in cycles per byte, one's own and imported ones. With --all it shows every
    configuration that was tried, by the score that decides, or with --size by that figure.
    """
    operation = what if what in OPERATIONS else None
    folder = Path(what) if what and not operation else results
    if operation:
        refuse({OPERATION: operation})
    with Store.open(folder, read_only=True) as store:
        only = operation or _only_operations(store)
        if not operation:
            situation = {FOLDER if only else STREAM: str(folder)}
            refuse({**situation, NAMED: what} if what else situation)
        if only:
            records = all_records(store, operation)
            choice = Choice(parse_size(size) if size else None, metric, Part(part), together)
            names = [operation] if operation else records.operations
            report = _of_operations(records, names, choice, form, everything=everything)
        else:
            report = _of_all(store, _detail(packages, everything), form)
        said = tuple(Note(line, Style.PLAIN) for line in footnotes(store, operation))
        report += Report((), below=said)
        print_report(trusted(report, store.machine(), store.launch_heads()), form)


def _of_all(store: Store, detail: Detail, form: str) -> Report:
    """Return the tables of every kind of package in a folder."""
    report = folder_report(load_all(store), detail, form)
    if OPERATION not in _kinds(store):
        return report
    records, everything = all_records(store), detail is Detail.EVERYTHING
    names = records.operations
    return report + _of_operations(records, names, Choice(), form, everything=everything)


def _of_operations(
    records: Records, names: Sequence[str], choice: Choice, form: str, *, everything: bool
) -> Report:
    """Return the best of each primitive, or every configuration that was tried."""
    if everything and choice == Choice():
        return tried_report(records, names)
    return operation_report(records, names, replace(choice, everything=everything), form)


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
    return kinds == {OPERATION} or (not kinds and bool(all_records(store).operations))
