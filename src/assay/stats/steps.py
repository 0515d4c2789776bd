# SPDX-License-Identifier: MIT
"""Steps in a history: between which times a benchmark changed, by how much, and how sure that is.

A history is cut in two where the rank test of all tables (`stats.rank_sum`) between the launches
on both sides has its smallest p, and each part again: Pettitt, "A Non-Parametric Approach to the
Change-Point Problem", Applied Statistics 28 (1979), and Scott and Knott, "A Cluster Analysis
Method for Grouping Means in the Analysis of Variance", Biometrics 30 (1974). Each p is multiplied
by the number of places where the history could be cut (Bonferroni). A time that stands out alone
between others that agree is no step.

Launches of one campaign do not know how much a benchmark changes from campaign to campaign, so its
own history says it: the changes between neighbours, of those with the same machine code where
there are enough. 1.4826 times the median of their absolute values estimates the standard deviation
of such a change, whatever the few steps among them are, and three deviations are the limit:
Hampel, "The Influence Curve and its Role in Robust Estimation", Journal of the American
Statistical Association 69 (1974).
"""

import itertools
from collections.abc import Iterator, Sequence
from math import exp, log
from statistics import median

from msgspec import Struct

from assay.stats.comparison import detectable_percent
from assay.stats.rank_sum import p_value
from assay.stats.shift import Interval, change_interval, change_percent, changes_by

RATE = 0.05
LEAST_PERCENT = 0.5  # a smaller change is no step, however sure it is
FEWEST = 4  # changes from which a scatter is taken
HAMPEL = 3 * 1.4826
WINDOW = 6  # times on either side that are compared

Launches = Sequence[float]


class HistoryStep(Struct, frozen=True):
    """A step: `at` is the number of the first time behind it.

    `p` is that of the whole history; `percent` and its `interval` are of the time before.
    """

    at: int
    percent: float
    interval: Interval | None
    p: float


class HistorySteps(Struct, frozen=True):
    """The steps of a history, oldest first.

    `scatter_percent` is the limit that the history itself sets, and `smallest_percent` the
    smallest step that would have been seen at its newest time; None where none would.
    """

    found: tuple[HistoryStep, ...]
    scatter_percent: float
    smallest_percent: float | None


def steps_of(times: Sequence[Launches], same_code: Sequence[bool]) -> HistorySteps:
    """Look for steps in the launches of each time; all of them are above 0.

    `same_code` says of each two neighbours whether they are of the same machine code.
    """
    tests, least = len(times) - 1, scatter_percent(times, same_code)
    cuts = sorted(_cuts(times, 0, len(times), tests, least))
    ends = [0, *(at for at, _ in cuts), len(times)]
    found = tuple(
        _step(_joined(times, ends[number], at), _joined(times, at, ends[number + 2]), at, p)
        for number, (at, p) in enumerate(cuts)
    )
    last = max(at for at in ends if at < max(tests, 1))
    return HistorySteps(
        found, least, _smallest(_joined(times, last, tests), times[-1], tests, least)
    )


def scatter_percent(times: Sequence[Launches], same_code: Sequence[bool]) -> float:
    """Return the limit above which a change is a step: learned, where there is enough."""
    pairs = zip(itertools.pairwise(map(median, times)), same_code, strict=True)
    found = [(abs(log(after / before)), same) for (before, after), same in pairs]
    equal = [size for size, same in found if same]
    sizes = equal if len(equal) >= FEWEST else [size for size, _ in found]
    learned = 100 * (exp(HAMPEL * median(sizes)) - 1) if len(sizes) >= FEWEST else 0.0
    return max(LEAST_PERCENT, learned)


def _cuts(
    times: Sequence[Launches], first: int, end: int, tests: int, least: float
) -> Iterator[tuple[int, float]]:
    """Yield where the times from `first` to `end` are cut, and with which p."""
    tried = []
    for at in range(first + 1, end):
        before, after = _joined(times, first, at), _joined(times, at, end, newest=False)
        if changes_by(before, after, least):
            tried.append((p_value(before, after) * tests, at))
    p, at = min(tried, default=(1.0, first))
    if p <= RATE:
        yield at, p
        yield from _cuts(times, first, at, tests, least)
        yield from _cuts(times, at, end, tests, least)


def _joined(
    times: Sequence[Launches], first: int, end: int, *, newest: bool = True
) -> list[float]:
    """Return the launches of the newest or the oldest of some times."""
    meant = times[max(first, end - WINDOW) : end] if newest else times[first:end][:WINDOW]
    return list(itertools.chain.from_iterable(meant))


def _step(before: Launches, after: Launches, at: int, p: float) -> HistoryStep:
    return HistoryStep(at, change_percent(before, after), change_interval(before, after, RATE), p)


def _smallest(before: Launches, after: Launches, tests: int, least: float) -> float | None:
    seen = detectable_percent(before, after, RATE / tests) if tests else None
    return None if seen is None else max(seen, least)
