# SPDX-License-Identifier: MIT
"""Median and quartiles.

Quartiles are those of `statistics.quantiles(method="inclusive")`: linear
interpolation at rank 1 + p*(n - 1), which is type 7 of Hyndman and Fan, "Sample
Quantiles in Statistical Packages" (1996), and the default of NumPy and R. They
never lie outside the data, and those of one value are that value.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Quartiles(NamedTuple):
    """The three values that cut sorted data into quarters."""

    q1: float
    median: float
    q3: float


def quartiles(values: Sequence[float]) -> Quartiles:
    """Cut `values` (at least one, in any unit) into quarters."""
    data, last = sorted(values), len(values) - 1
    if not last:
        return Quartiles(data[0], data[0], data[0])
    # `statistics.quantiles` takes twice as long, which is some of the time of making a site.
    places = [divmod(cut * last, 4) for cut in (1, 2, 3)]
    return Quartiles(*[(data[at] * (4 - part) + data[at + 1] * part) / 4 for at, part in places])
