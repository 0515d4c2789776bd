# SPDX-License-Identifier: MIT
"""Median and quartiles.

Quartiles are those of `statistics.quantiles(method="inclusive")`: linear
interpolation at rank 1 + p*(n - 1), which is type 7 of Hyndman and Fan, "Sample
Quantiles in Statistical Packages" (1996), and the default of NumPy and R. They
never lie outside the data, and those of one value are that value.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple


class Quartiles(NamedTuple):
    """The three values that cut sorted data into quarters."""

    q1: float
    median: float
    q3: float


def quartiles(values: Sequence[float]) -> Quartiles:
    """Cut `values` (at least one, in any unit) into quarters."""
    if len(values) == 1:
        return Quartiles(values[0], values[0], values[0])
    data = sorted(values)
    found = [(data[at] * (4 - part) + data[at + 1] * part) / 4 for at, part in _places(len(data))]
    return Quartiles(*found)


@cache  # `statistics.quantiles` takes twice as long, which is seen in the making of sites
def _places(count: int) -> tuple[tuple[int, int], ...]:
    """Return where the quartiles of so many values are: which is below each, and quarters on."""
    return tuple(divmod(cut * (count - 1), 4) for cut in (1, 2, 3))
