# SPDX-License-Identifier: MIT
"""A package on several targets, on the terminal: a row for each of them."""

import click
from rich.table import Table

from assay.check.engine.judged import Judged
from assay.check.engine.portability import COLUMNS, located
from assay.cli.console import console
from assay.cli.verdicts import about_goals, show_checks, show_examination
from assay.model.promises import ASKING
from assay.report.printable import printable


def show_matrix(judged: Judged, *, show_all: bool) -> None:
    """Print one package's portability: a row for each target, and what is wrong where."""
    if judged.unloadable is not None:
        show_examination(judged.found, 1, judged.unloadable, show_all=show_all)
        return
    table = Table(title=judged.found.selector, title_justify="left", box=None, pad_edge=False)
    for heading in ("Target", *COLUMNS):
        table.add_column(heading, no_wrap=True)
    table.add_column("Cause")
    for row in judged.standings:
        cells = [_cell(row.answer(column)) for column in COLUMNS]
        table.add_row(row.target.name, *cells, printable(row.cause))
    console().print(table)
    if any(about_goals(judged.found, one.checks) for one in judged.outcomes):
        click.echo(ASKING[:1].upper() + ASKING[1:] + ".")
    for row in judged.standings:
        if row.examination is not None and (show_all or row.failed):
            click.echo(f"{row.target.name}, {row.configuration}:")
            show_checks(located(row.rows, all_names=show_all), show_all=show_all)


def _cell(answer: str) -> str:
    """Colour an answer of the matrix."""
    colour = {"yes": "green", "no": "bold red", "none": "green", "-": "dim"}.get(answer, "yellow")
    return f"[{colour}]{answer}[/]"
