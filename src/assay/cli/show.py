# SPDX-License-Identifier: MIT
"""`assay show`: the tables of results folders, in the terminal or for other programs."""

from contextlib import ExitStack
from pathlib import Path

import click

from assay.cli.applies import (
    FOLDER,
    NAMED,
    OPERATION,
    OPERATIONS,
    SEVERAL,
    STREAM,
    option,
    refuse,
)
from assay.cli.console import SHORT, formats_option, print_report
from assay.cli.options import results_option
from assay.fleet.archived import folders
from assay.model import operations
from assay.report.curves import Choice
from assay.report.kinds import KINDS
from assay.report.operations import SIDE_BY_SIDE
from assay.report.quantities import Part, parse_size
from assay.report.results import kinds_of, machines_report, results_report
from assay.store import FILE_NAME, Store
from assay.summary.rows import Detail

NAME_IT = "Name the operation: `assay show crypto_hash --results FOLDER`."
OF_AN_OPERATION = {STREAM: OPERATIONS, FOLDER: NAME_IT, SEVERAL: NAME_IT}


@click.command(name="show")
@click.argument("what", metavar="[OPERATION[/PRIMITIVE]|CIPHER] [FOLDER]...", nargs=-1)
@results_option(
    "The results folder.",
    refused={NAMED: "Name folders one way: `assay show A B`, or --results A."},
)
@click.option("--packages", is_flag=True, help="Show every package at its best.")
@click.option(
    "--all", "everything", is_flag=True, help="Show every configuration, not the best alone."
)
@formats_option(*SHORT, charts=True)
@option("--size", refused=OF_AN_OPERATION, metavar="BYTES|long",
        help="Show the table of an operation for this length.")  # fmt: skip
@option(
    "--metric",
    refused=OF_AN_OPERATION,
    older=("--measure",),
    metavar="KEY",
    help="Show this measure of an operation, such as open_cycles.",
)
@option(
    "--part",
    refused=OF_AN_OPERATION,
    type=click.Choice([one.value for one in Part]),
    default=Part.MESSAGE.value,
    help="Choose which of two lengths grows (aead, xof).",
)
@option("--relative", "relative", refused=OF_AN_OPERATION, default="", metavar="NAME",
        help="Add ratios to this primitive, such as aes128gcmv1.")  # fmt: skip
@option("--together", "joined", is_flag=True, help="Show all machines in one table.",
        refused={STREAM: "Name several folders: `assay show A B`.", FOLDER: NAME_IT})  # fmt: skip
def command(
    what: tuple[str, ...],
    results: Path,
    packages: bool,
    everything: bool,
    form: str,
    size: str | None,
    metric: str | None,
    part: str,
    relative: str,
    joined: bool,
) -> None:
    """Print the tables of results folders (default: the current one).

    CSV has a line for each figure; its column `kind` says what was measured.

    Stream ciphers have one row per primitive, the fastest sound one at its largest sizes,
    and so have hashes: the rate of a long message, and what one of 32 bytes takes. The name of
    one of them, such as chacha20, shows all of its packages, as does a folder that has one alone.
    An OPERATION, such as crypto_hash, shows the best implementation of each primitive:
    quartiles in cycles per byte, one's own and imported ones; a primitive, such as
    crypto_hash/sha256, or --packages shows the best configuration of each implementation. With
    --all it shows every configuration that was tried, by the score that decides, or with --size
    by that figure.

    Several folders, and one into which archives of other machines were imported, show a table
    of the machines, and then the results of all machines together.
    """
    operation, primitive = _named(what, results)
    named = [Path(one) for one in what[1 if operation or primitive else 0 :]]
    found = [one for folder in named or [results] for one in folders(folder)]
    length = parse_size(size) if size else None
    if operation:
        refuse({OPERATION: operation})
    detail = Detail.PACKAGES if packages or primitive else Detail.PRIMITIVES
    detail = Detail.EVERYTHING if everything else detail
    asked = Choice(
        length, metric, Part(part), joined, detail, relative, operation, primitive, form
    )
    with ExitStack() as opened:
        stores = [opened.enter_context(Store.open(one, read_only=True)) for one in found]
        _fit(stores, operation, named)
        several = len(stores) > 1
        report = machines_report(stores, asked) if several else results_report(stores[0], asked)
    print_report(report.led if form in SIDE_BY_SIDE else report, form)


def _named(what: tuple[str, ...], results: Path) -> tuple[str | None, str]:
    """Return the operation that the first argument names, if any, and the primitive.

    A folder of that name comes before a cipher or hash that was measured.
    """
    first = what[0] if what else ""
    operation, _, primitive = first.partition("/")
    if operation in operations.OPERATIONS:
        return operation, primitive
    if not first or Path(first).exists():
        return None, ""
    given = [Path(one) for one in what[1:]] or [results]
    found = (each for one in given if one.exists() for each in folders(one))
    return None, first if any(first in _ciphers(one) for one in found) else ""


def _ciphers(folder: Path) -> set[str]:
    """Return the ciphers and hashes of which a folder has packages; none without results."""
    if not (folder / FILE_NAME).is_file():
        return set()
    with Store.open(folder, read_only=True) as store:
        return {one.primitive for one in store.packages() if one.kind in KINDS}


def _fit(stores: list[Store], operation: str | None, named: list[Path]) -> None:
    """Refuse options that mean nothing for these folders."""
    first = str(stores[0].path.parent)
    only = operation or all(kinds_of(one) == (OPERATION,) for one in stores)
    situation = {OPERATION if operation else FOLDER if only else STREAM: first}
    if len(stores) > 1 and not operation:
        situation = {SEVERAL: str(stores[1].path.parent)}
    refuse({**situation, NAMED: str(named[0])} if named else situation)
