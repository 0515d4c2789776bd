# SPDX-License-Identifier: MIT
"""`assay show`: the table of a results folder, in the terminal or for other programs."""

import os
from pathlib import Path

import click
from rich.console import Console

from assay.cli.applies import FOLDER, OPERATION, STREAM, refuse
from assay.cli.ebacs import all_records, show
from assay.model.operations import OPERATIONS
from assay.report.csv_file import csv_text
from assay.report.ebacs.quantities import Part, parse_size
from assay.report.ebacs.selection import Choice
from assay.report.json_file import json_text
from assay.report.terminal import Detail, overview
from assay.report.trust import trust_text
from assay.store import Store
from assay.summary.cells import load
from assay.summary.rows import all_rows, best_rows

# Wide enough for all columns where nobody looks at a terminal's edge.
PIPE_COLUMNS = 220


@click.command(name="show")
@click.argument("what", metavar="[FOLDER|OPERATION]", default=".")
@click.option("--packages", is_flag=True, help="Every package at every size, at its best.")
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@click.option("--json", "as_json", is_flag=True, help="Everything known, as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="One line per measure, as CSV.")
@click.option("--latex", "as_latex", is_flag=True, help="An operation's tables for LaTeX.")
@click.option(
    "--results",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The results folder of an operation [default: here].",
)
@click.option("--size", metavar="BYTES|long", help="An operation's table for this length.")
@click.option("--measure", metavar="KEY", help="Such as open_cycles, as in database lines.")
@click.option(
    "--part",
    type=click.Choice([one.value for one in Part]),
    default=Part.MESSAGE.value,
    help="Which of two lengths grows (aead, xof).",
)
@click.option("--together", is_flag=True, help="All machines in one table.")
def command(
    what: str,
    packages: bool,
    everything: bool,
    as_json: bool,
    as_csv: bool,
    as_latex: bool,
    results: Path,
    size: str | None,
    measure: str | None,
    part: str,
    together: bool,
) -> None:
    """Print the table of the results in FOLDER (default: the current one).

    Stream ciphers have one row per primitive, the fastest sound one at its largest sizes.
    An OPERATION, such as crypto_hash, shows the best implementation of each primitive:
    quartiles in cycles per byte, one's own and imported ones.
    """
    refuse(_situation(what))
    forms = [n for n, on in (("json", as_json), ("csv", as_csv), ("latex", as_latex)) if on]
    if what in OPERATIONS:
        chosen = Choice(parse_size(size) if size else None, measure, Part(part), together)
        show(results, what, chosen, forms[0] if forms else None)
        if not forms:
            _show_trust(results)
        return
    detail = Detail.PACKAGES if packages else Detail.PRIMITIVES
    detail = Detail.EVERYTHING if everything else detail
    _show_folder(Path(what), detail, as_json=as_json, as_csv=as_csv)


def _situation(what: str) -> dict[str, str]:
    """Tell what is shown: an operation, a folder of nothing but operations, or another one."""
    if what in OPERATIONS:
        return {OPERATION: what}
    with Store.open(Path(what), read_only=True) as store:
        kinds = {one.kind for one in store.packages()}
        imported = not kinds and bool(all_records(store).operations)
    return {FOLDER if imported or kinds == {OPERATION} else STREAM: what}


def _show_folder(folder: Path, detail: Detail, *, as_json: bool, as_csv: bool) -> None:
    """Print the table of stream ciphers, or of every operation that there is."""
    if not as_json and not as_csv and _only_operations(folder):
        for operation in _only_operations(folder):
            show(folder, operation, Choice(), None)
        _show_trust(folder)
        return
    with Store.open(folder, read_only=True) as store:
        results = load(store)
    if as_json:
        click.echo(json_text(results.cells, results.machine, results.launches), nl=False)
    elif as_csv:
        rows = (all_rows if detail is Detail.EVERYTHING else best_rows)(results.cells)
        click.echo(csv_text(rows), nl=False)
    else:
        console = Console(highlight=False)
        if not console.is_terminal and "COLUMNS" not in os.environ:
            console = Console(highlight=False, width=PIPE_COLUMNS)
        console.print(overview(results, console, detail))
        _show_trust(folder)


def _show_trust(folder: Path) -> None:
    """Say below the tables how far they can be believed."""
    with Store.open(folder, read_only=True) as store:
        said = trust_text(store.machine(), store.launch_heads())
    for line in said:
        click.echo(line)


def _only_operations(folder: Path) -> tuple[str, ...]:
    """Name the operations of a folder that has nothing else."""
    with Store.open(folder, read_only=True) as store:
        if any(one.kind != "operation" for one in store.packages()):
            return ()
        return tuple(all_records(store).operations)
