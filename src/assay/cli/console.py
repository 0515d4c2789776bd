# SPDX-License-Identifier: MIT
"""The consoles that commands print to: their width, and how a report is written."""

import os
import sys
from dataclasses import replace

import click
from rich.console import Console

from assay.cli.formats import COLUMNS
from assay.errors import UsageError
from assay.report.formats.names import CHARTS, TERMINAL
from assay.report.table import Report

# Wide enough for all columns where nobody looks at a terminal's edge.
PIPE_COLUMNS = 220
LATEX = "latex"
PROGRAMS = frozenset({"csv", "json"})


def console(least_columns: int = 0) -> Console:
    """Return the console for standard output: a terminal's width, or a wide one for a pipe.

    `least_columns` is for a table whose long lines are better than broken ones.
    """
    found = Console(highlight=False)
    if not found.is_terminal and "COLUMNS" not in os.environ:
        return Console(highlight=False, width=PIPE_COLUMNS)
    if found.width < least_columns:
        return Console(highlight=False, width=least_columns)
    return found


def progress_console() -> Console:
    """Return the console for progress: standard error, so that output can be piped."""
    return Console(stderr=True)


def watched() -> bool:
    """Return whether a person sees the progress."""
    return sys.stderr.isatty()


def print_report(report: Report, form: str = "", least_columns: int = 0) -> None:
    """Print a report in one of the forms, or in a terminal at least so wide.

    Its columns are those that the running command was asked for.
    """
    from assay.report.formats.forms import PICTURES, WRITERS  # noqa: PLC0415 - progress needs none
    from assay.report.formats.terminal import render  # noqa: PLC0415

    context = click.get_current_context(silent=True)
    if names := context and context.meta.get(COLUMNS):
        if form in CHARTS:
            raise UsageError("--columns does not apply to charts", f"Leave it out, or {form}.")
        report = report.with_columns(names, programs=form in PROGRAMS)
    if form == LATEX and context:  # a caption says what a table is, and its label too
        name = (context.command.name or "").capitalize()
        titled = (replace(one, title=one.title or name) for one in report.tables)
        report = replace(report, tables=tuple(titled))
    if form in {"", TERMINAL}:
        screen = console(least_columns)
        screen.print(render(report, screen))
    else:
        click.echo({**WRITERS, **PICTURES}[form](report), nl=False)
