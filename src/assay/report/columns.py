# SPDX-License-Identifier: MIT
"""Which columns of a table fit a console."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def fitting(
    console: Console,
    headings: Sequence[str],
    dispensable: Sequence[str],
    lay_out: Callable[[Sequence[str]], Table],
) -> tuple[str, ...]:
    """Return the headings that fit the console's width without a broken word.

    `dispensable` columns are left out one after another, in that order, until the rest fits;
    the others stay in any case. `lay_out` makes the table of some headings.
    """
    kept = tuple(headings)
    for name in dispensable:
        if _columns(console, lay_out(kept)) <= console.width:
            break
        kept = tuple(each for each in kept if each != name)
    return kept


def _columns(console: Console, table: Table) -> int:
    """Return how many columns of text a table takes if no line is broken."""
    unbounded = console.options.update(max_width=10_000)
    return Measurement.get(console, unbounded, table).maximum
