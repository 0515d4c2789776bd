# SPDX-License-Identifier: MIT
"""`assay show`: the tables of a results folder, in the terminal or for other programs."""

from pathlib import Path

import click

from assay.cli.applies import FOLDER, NAMED, OPERATION, STREAM, refuse
from assay.cli.console import print_report
from assay.cli.ebacs import all_records
from assay.cli.formats import SHORT, formats_option
from assay.cli.options import Renamed, results_option
from assay.model import PackageKind
from assay.model.operations import OPERATIONS
from assay.report.ciphers import Detail, cipher_report
from assay.report.ebacs.quantities import Part, parse_size
from assay.report.ebacs.selection import Choice
from assay.report.ebacs.tables import operation_report
from assay.report.hashes import hash_report
from assay.report.table import Report
from assay.report.trust import trusted
from assay.store import Store
from assay.summary.cells import load


@click.command(name="show")
@click.argument("what", metavar="[OPERATION|FOLDER]", required=False)
@results_option("The results folder.")
@click.option("--packages", is_flag=True, help="Every package at every size, at its best.")
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@formats_option(*SHORT)
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

    CSV has one kind of line: that of an operation if one is named, or if there is
    nothing else in the folder, and that of stream ciphers, or else of hashes, otherwise.

    Stream ciphers have one row per primitive, the fastest sound one at its largest sizes,
    and so have hashes: the rate of a long message, and what one of 32 bytes takes.
    An OPERATION, such as crypto_hash, shows the best implementation of each primitive:
    quartiles in cycles per byte, one's own and imported ones.
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
            report = operation_report(records, names, choice, form)
        else:
            report = _ciphers(store, packages=packages, everything=everything, form=form)
            if form != "csv" and OPERATION in _kinds(store):
                records = all_records(store)
                report += operation_report(records, records.operations, form=form)
        print_report(trusted(report, store.machine(), store.launch_heads()), form)


def _ciphers(store: Store, *, packages: bool, everything: bool, form: str) -> Report:
    """Make the tables of stream ciphers, and those of hashes."""
    detail = Detail.PACKAGES if packages else Detail.PRIMITIVES
    detail = Detail.EVERYTHING if everything else detail
    hashes, ciphers = load(store, PackageKind.HASH), load(store)
    if not hashes.cells or (form == "csv" and ciphers.cells):
        return cipher_report(ciphers, detail, form)
    report = hash_report(hashes, detail)
    return cipher_report(ciphers, detail, form) + report if ciphers.cells else report


def _kinds(store: Store) -> set[str]:
    """Return the kinds of packages of which there are results."""
    return {one.kind for one in store.packages()}


def _only_operations(store: Store) -> bool:
    """Return whether a folder has results of operations alone, one's own or imported ones."""
    kinds = _kinds(store)
    return kinds == {OPERATION} or (not kinds and bool(all_records(store).operations))
