# SPDX-License-Identifier: MIT
"""`--format`, and its short spellings: the same in every command that prints tables."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from assay.report.formats.forms import FORMS, TERMINAL

SHORT = ("csv", "json", "latex", "markdown")


def formats_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command `--format` and its short spellings; it gets the choice as `form`."""

    @wraps(function)
    def with_form(*args: Any, form: str, **options: Any) -> Any:
        short = [name for name in SHORT if options.pop(f"as_{name}")]
        return function(*args, form=short[0] if short else form, **options)

    decorated: Callable[..., Any] = with_form
    for name in reversed(SHORT):
        decorated = click.option(
            f"--{name}", f"as_{name}", is_flag=True, help=f"The same as --format {name}."
        )(decorated)
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMS),
        default=TERMINAL,
        show_default=True,
        help="How to write the tables.",
    )(decorated)
