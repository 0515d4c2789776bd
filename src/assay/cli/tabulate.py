# SPDX-License-Identifier: MIT
"""`assay tabulate`: the HTML table of performance reports, Assay's or the original's."""

from pathlib import Path

import click

from assay.report.formats.html import table_html
from assay.report.tabulate import read_rows, text_rows_table


@click.command(name="tabulate")
@click.argument("files", type=click.Path(path_type=Path, dir_okay=False), nargs=-1, required=True)
def command(files: tuple[Path, ...]) -> None:
    """Print the HTML table of the performance reports FILES, the fastest stream first."""
    click.echo(table_html(text_rows_table(read_rows(files, Path.cwd()))), nl=False)
