# SPDX-License-Identifier: MIT
"""`assay show`: the table of a results folder, in the terminal or for other programs."""

from pathlib import Path

import click
from rich.console import Console

from assay.report.csv_file import csv_text
from assay.report.json_file import json_text
from assay.report.rows import all_rows, best_rows
from assay.report.summary import load
from assay.report.terminal import overview
from assay.store import Store

# Wide enough for all columns where nobody looks at a terminal's edge, and the
# width below which the full table would break its words.
PIPE_COLUMNS = 220
FULL_COLUMNS = 170


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
@click.option("--all", "everything", is_flag=True, help="Every configuration, not the best alone.")
@click.option("--json", "as_json", is_flag=True, help="Everything known, as JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="One line per measure, as CSV.")
def command(folder: Path, everything: bool, as_json: bool, as_csv: bool) -> None:
    """Print the table of the results in FOLDER (default: the current one)."""
    if as_json and as_csv:
        raise click.UsageError("--json and --csv exclude each other")
    with Store.open(folder, read_only=True) as store:
        results = load(store)
    if as_json:
        click.echo(json_text(results.cells), nl=False)
    elif as_csv:
        rows = all_rows(results.cells) if everything else best_rows(results.cells)
        click.echo(csv_text(rows), nl=False)
    else:
        console = Console(highlight=False)
        if not console.is_terminal:
            console = Console(highlight=False, width=PIPE_COLUMNS)
        narrow = console.width < FULL_COLUMNS
        console.print(overview(results, everything=everything, narrow=narrow))
