# SPDX-License-Identifier: MIT
"""Median and quartiles.

Quartiles are those of `statistics.quantiles(method="inclusive")`: linear
interpolation at rank 1 + p*(n - 1), which is type 7 of Hyndman and Fan, "Sample
Quantiles in Statistical Packages" (1996), and the default of NumPy and R. They
never lie outside the data, and those of one value are that value.
"""

import statistics
from collections.abc import Sequence
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
    q1, median, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return Quartiles(q1, median, q3)
