# SPDX-License-Identifier: MIT
"""Printing reports: on what, in which form, and the options that say so."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from assay.cli.applies import option
from assay.errors import UsageError
from assay.report.formats.names import CHARTS, FORMS, TERMINAL

if TYPE_CHECKING:  # it takes longer to import than a small command
    from rich.console import Console

    from assay.report.table import Report

# Wide enough for all columns where nobody looks at a terminal's edge.
PIPE_COLUMNS, LEAST_COLUMNS, MOST_COLUMNS = 220, 20, 1000
LATEX = "latex"
PROGRAMS = frozenset({"csv", "json"})


def console(least_columns: int = 0) -> "Console":
    """Return the console for standard output: a terminal's width, or a wide one for a pipe.

    `least_columns` is for a table whose long lines are better than broken ones.
    """
    from rich.console import Console  # noqa: PLC0415

    found = Console(highlight=False)
    if _is_pipe(found):
        return Console(highlight=False, width=PIPE_COLUMNS)
    least = max(least_columns, LEAST_COLUMNS)  # some terminals say that they have none
    return Console(highlight=False, width=least) if found.width < least else found


def _is_pipe(found: "Console") -> bool:
    """Return whether nobody said how wide the output is."""
    return not found.is_terminal and not os.environ.get("COLUMNS", "").isdigit()


def progress_console() -> "Console":
    """Return the console for progress: standard error, so that output can be piped."""
    from rich.console import Console  # noqa: PLC0415

    return Console(stderr=True)


def watched() -> bool:
    """Return whether a person sees the progress."""
    return sys.stderr.isatty()


def print_report(report: "Report", form: str = "", least_columns: int = 0) -> None:
    """Print a report in one of the forms, or in a terminal at least so wide.

    Its columns are those that the running command was asked for.
    """
    if form not in {"", TERMINAL}:
        click.echo(text_of(report, form), nl=False)
        return
    from assay.report.formats.terminal import render, widest  # noqa: PLC0415 - progress needs none

    screen, report = console(least_columns), _asked(report, form)
    if _is_pipe(screen):  # remarks must not be lost where nobody can widen a window
        screen.width = min(MOST_COLUMNS, max(screen.width, widest(report, screen)))
    screen.print(render(report, screen))


def text_of(report: "Report", form: str) -> Any:
    """Write a report in a format for files, with the columns that were asked for.

    Most formats are text, and PDF is bytes.
    """
    from assay.report.formats.forms import PICTURES, WRITERS  # noqa: PLC0415 - progress needs none

    report = _asked(report, form)
    context = click.get_current_context(silent=True)
    if form == LATEX and context:  # a caption says what a table is, and its label too
        name = (context.command.name or "").capitalize()
        titled = (replace(one, title=one.title or name) for one in report.tables)
        report = replace(report, tables=tuple(titled))
    return {**WRITERS, **PICTURES}[form](report)


def _asked(report: "Report", form: str) -> "Report":
    """Return a report with the columns that the running command was asked for."""
    context = click.get_current_context(silent=True)
    names = context and context.meta.get(COLUMNS)
    if not names:
        return report
    if form in CHARTS:
        raise UsageError("--columns does not apply to charts", f"Leave it out, or {form}.")
    return report.with_columns(names, programs=form in PROGRAMS)


JSON = "json"
COLUMNS = "assay.columns"  # in the context of the running command
SHORT = ("csv", JSON, "latex", "markdown")
PARAMETERS = ("form", *(f"as_{name}" for name in SHORT), "columns")


def _keep_columns(context: click.Context, _: click.Parameter, value: str | None) -> str | None:
    context.meta[COLUMNS] = value and value.split(",")
    return value


columns_option: Callable[[Any], Any] = click.option(
    "--columns",
    metavar="A,B,...",
    callback=_keep_columns,
    help="Show only these columns, in this order: headings, or keys as in CSV and JSON.",
)


def formats_option(
    *short: str, forms: Sequence[str] = FORMS, charts: bool = False, columns: bool = True
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command `--format` and short spellings; it gets the choice as `form`.

    Some commands have `charts`, and all whose rows are in tables have `columns`.
    """
    spelled = [f"as_{name}" for name in short]
    with_format = option(
        "--format",
        "form",
        excludes=spelled,
        type=click.Choice([*forms, *(CHARTS if charts else ())]),
        default=TERMINAL,
        show_default=True,
        help="The format in which tables are printed.",
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_form(*args: Any, form: str, **options: Any) -> Any:
            options.pop("columns", None)  # the context of the command has them
            given = [name for name in short if options.pop(f"as_{name}")]
            return function(*args, form=given[0] if given else form, **options)

        decorated: Callable[..., Any] = with_form
        for at, name in reversed(list(enumerate(short))):
            decorated = option(
                *(f"--{name}", spelled[at]),
                excludes=spelled[at + 1 :],
                is_flag=True,
                hidden=True,
                help="An older spelling.",
            )(decorated)
        decorated = columns_option(decorated) if columns else decorated
        with_all: Callable[..., Any] = with_format(decorated)
        return with_all

    return decorate
