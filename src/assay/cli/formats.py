# SPDX-License-Identifier: MIT
"""`--format`, and its short spellings: the same in every command that prints tables."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from assay.cli.applies import option
from assay.report.formats.names import CHARTS, FORMS, TERMINAL

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
    help="Only these columns, in this order: headings, or keys as in CSV and JSON.",
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
        help="How to write the tables.",
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
