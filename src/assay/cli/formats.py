# SPDX-License-Identifier: MIT
"""`--format`, and its short spellings: the same in every command that prints tables."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import click

from assay.report.formats.names import FORMS, TERMINAL

JSON = "json"
SHORT = ("csv", JSON, "latex", "markdown")


def formats_option(
    *short: str, forms: Sequence[str] = FORMS
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what gives a command `--format` and short spellings; it gets the choice as `form`."""
    option = click.option(
        "--format",
        "form",
        type=click.Choice(forms),
        default=TERMINAL,
        show_default=True,
        help="How to write the tables.",
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def with_form(*args: Any, form: str, **options: Any) -> Any:
            given = [name for name in short if options.pop(f"as_{name}")]
            return function(*args, form=given[0] if given else form, **options)

        decorated: Callable[..., Any] = with_form
        for name in reversed(short):
            decorated = click.option(
                f"--{name}", f"as_{name}", is_flag=True, help=f"The same as --format {name}."
            )(decorated)
        return option(decorated)

    return decorate
