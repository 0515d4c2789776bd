# SPDX-License-Identifier: MIT
"""The false discovery rate of many tests: Benjamini and Hochberg.

"Controlling the False Discovery Rate", Journal of the Royal Statistical Society B 57
(1995). `scipy.stats.false_discovery_control` gives the same values; tables are printed
without the second that loading SciPy takes.
"""

from collections.abc import Sequence


def adjusted_p(
    values: Sequence[float], times: Sequence[int] | None = None, tests: int | None = None
) -> list[float]:
    """Adjust the p of a table: what is at most the rate is a discovery.

    Each value stands for as many tests as `times` says (one). `tests` is how many the table
    has in all; those that no value stands for are tests that can reject nothing.
    """
    counts = times or [1] * len(values)
    ordered = sorted(range(len(values)), key=values.__getitem__)
    rank = sum(counts)
    most = tests or rank
    found, least = [1.0] * len(values), 1.0
    for number in reversed(ordered):
        least = min(least, values[number] * most / rank)
        found[number] = least
        rank -= counts[number]
    return found
