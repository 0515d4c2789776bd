# SPDX-License-Identifier: MIT
"""A package on several targets, on the terminal: a row for each of them."""

import click

from assay.check.engine.verdict import Judged, located
from assay.cli.console import print_report
from assay.cli.listings import matrix
from assay.cli.verdicts import about_goals, show_checks, show_examination
from assay.model.promises import ASKING
from assay.report.table import Note, Report, Style


def show_matrix(judged: Judged, *, show_all: bool) -> None:
    """Print one package's portability: a row for each target, and what is wrong where."""
    if judged.unloadable is not None:
        show_examination(judged.found, 1, judged.unloadable, show_all=show_all)
        return
    print_report(matrix_report(judged))
    for row in judged.standings:
        if row.examination is not None and (show_all or row.failed):
            click.echo(f"{row.target.name}, {row.configuration}:")
            show_checks(located(row.rows, all_names=show_all), show_all=show_all)


def matrix_report(judged: Judged) -> Report:
    """Make the matrix of one package, or a line on why it cannot be loaded."""
    name = judged.found.selector
    if judged.unloadable is not None:
        first = judged.unloadable.checks[0]
        return Report((), (), (Note(f"{name}: {first.check}: {first.reason}", Style.FAIL),))
    asking = any(about_goals(judged.found, one.checks) for one in judged.outcomes)
    below = (Note(f"{ASKING[:1].upper()}{ASKING[1:]}.", Style.PLAIN),) if asking else ()
    return Report((matrix(name, judged.standings),), (), below)
