# SPDX-License-Identifier: MIT
"""Faster, slower, or no difference seen: two sides of launches compared, and what would be seen.

The unit is the launch: a side is one value per launch. Two sides are compared with the
Mann-Whitney test, several measures together with the procedure of Benjamini and Hochberg
(`stats.rank_sum` has both sources), as the places of a table are. Their intervals have the
confidence that belongs to it: Benjamini and Yekutieli, "False Discovery Rate-Adjusted Multiple
Confidence Intervals for Selected Parameters", Journal of the American Statistical Association
100 (2005). So interval and verdict say the same.

A machine is not the same a minute later: its clock, its neighbours, its heat. Sides that
were measured one after the other differ for that reason alone; taken in turn, in random
order, both have the same share of it.

The smallest change that a comparison would have seen is the one that the Mann-Whitney test finds
with a probability of 80 %, with these numbers of launches and at this level. The launches at hand
say how much they spread:
by half the width of the exact interval around the change (`stats.shift`), which belongs
to the test and is no more disturbed by a far outlier than the test is. How many such
widths the change has to be follows from simulated samples, 10,000 pairs from the normal
distribution with a fixed seed: a sample moved by d is told apart from the other if the
(c + 1)-th smallest of all differences between the two is above 0, where c is the critical
value of the test; so the d that suffices in 80 % of the draws is the 80 % quantile of
that difference, with its sign turned. It is divided by the median width of the draws.

For many launches the widths are those of a normal estimate, z(1 - level/2) standard
errors, and the change is z(1 - level/2) + z(0.8) of them: Noether, "Sample Size
Determination for Some Common Nonparametric Tests", Journal of the American Statistical
Association 82 (1987).

Simulated, the answer has the right median for normal launches and is 4 to 12 % too small
for exponential ones. Where a fifth of the launches are far outliers it is up to 37 %
too small, and the standard deviation in place of the width would be wrong by factors.
"""

from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache
from math import inf, log
from statistics import NormalDist

from msgspec import Struct

from assay.errors import UsageError
from assay.stats.rank_sum import (
    EXACT_PAIRS,
    adjusted_p,
    critical,
    launches_needed,
    p_smaller,
    p_value,
    smallest_p,
    tends_smaller,
)
from assay.stats.shift import (
    Interval,
    change_interval,
    change_percent,
    differences,
    logarithms,
    percent,
)

CONFIDENCE = 0.95

Side = Sequence[float]
Pair = tuple[Side, Side]
LEVEL = 0.01
POWER = 0.8
DRAWS = 10_000
SEED = 1_947
Draws = tuple[int, int, float]  # launches on both sides, and the level
SIMULATED: dict[Draws, tuple[float, float]] = {}  # what is known of them; whoever wants keeps it


class Answer(StrEnum):
    """What a comparison says of the second side."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "no difference seen"
    UNTRUSTED = "not trusted"
    UNKNOWN = "cannot be said"


class Comparison(Struct, frozen=True):
    """The second side against the first, for one measure.

    `change_percent` is how much more it takes, in per cent of the first side's time: below
    0 it is faster. `interval` is None where there are too few launches for one; its
    confidence is `interval_confidence`. `p` is two-sided, `adjusted_p` that of the whole
    table. `detectable_percent` is the change that would have been seen in 80 % of cases,
    None where none would. `needed` is how many launches each side must have for an
    answer; None where there is one.
    """

    answer: Answer
    change_percent: float
    interval: Interval | None
    interval_confidence: float
    p: float
    adjusted_p: float
    detectable_percent: float | None
    launches: tuple[int, int]
    needed: int | None = None


def compare(
    first: Side, second: Side, *, confidence: float = CONFIDENCE, detectable: bool = True
) -> Comparison:
    """Compare two sides, one value per launch, in any unit that both have."""
    return compare_all([(first, second)], confidence=confidence, detectable=detectable)[0]


def compare_all(
    pairs: Sequence[Pair], *, confidence: float = CONFIDENCE, detectable: bool = True
) -> tuple[Comparison, ...]:
    """Compare the two sides of every measure of a table.

    Of what is called faster or slower a share of 1 - `confidence` is wrong on average. A
    measure has no answer if its launches are too few for any difference, however large,
    to be seen beside what was seen in the rest of the table. What change is `detectable` takes
    the time of a simulation, and need not be asked.
    """
    if not pairs:
        return ()
    allowed = _allowed(confidence)
    values = [p_value(*pair) for pair in pairs]
    adjusted = adjusted_p(values)
    found = sum(one <= allowed for one in adjusted)
    level = max(found, 1) * allowed / len(pairs)
    spare = min(found + 1, len(pairs)) * allowed / len(pairs)
    return tuple(
        _comparison(pair, p, fixed, (allowed, level, spare), detectable=detectable)
        for pair, p, fixed in zip(pairs, values, adjusted, strict=True)
    )


def compare_counts(first: float, second: float) -> Comparison:
    """Compare what was counted exactly, such as instructions: every difference is one."""
    change = 0.0 if first == second else 100.0 * (second / first - 1.0) if first else inf
    answer = Answer.SLOWER if change > 0 else Answer.FASTER if change < 0 else Answer.SAME
    p = 1.0 if first == second else 0.0
    return Comparison(answer, change, Interval(change, change), 1.0, p, p, 0.0, (1, 1))


def slower_by_more(
    pairs: Sequence[Pair], threshold_percent: float, *, confidence: float = CONFIDENCE
) -> tuple[bool, ...]:
    """Return for each measure whether the second side is slower by more than a threshold.

    The test is one-sided and adjusted for the table. UsageError where the launches are
    too few for a table of that length to be failed by one measure alone.
    """
    allowed = _allowed(confidence)
    step = log(1.0 + threshold_percent / 100.0)
    for first, second in pairs:
        if smallest_p(len(first), len(second)) / 2.0 > allowed / len(pairs):
            needed = launches_needed(2.0 * allowed / len(pairs))
            raise UsageError(
                f"{len(first)} and {len(second)} launches cannot show that one of"
                f" {len(pairs)} measures is slower",
                f"Measure with at least {needed} launches each, or choose fewer measures.",
            )
    values = [
        p_smaller([one + step for one in logarithms(first)], logarithms(second))
        for first, second in pairs
    ]
    return tuple(one <= allowed for one in adjusted_p(values)) if values else ()


def _allowed(confidence: float) -> float:
    """Return the share of errors; rounded, for 1 - 0.95 is a little more than 0.05."""
    return round(1.0 - confidence, 12)


def _comparison(
    pair: Pair, p: float, fixed: float, levels: tuple[float, float, float], *, detectable: bool
) -> Comparison:
    """Put together what is known of one measure."""
    allowed, level, spare = levels
    counts = len(pair[0]), len(pair[1])
    change = change_percent(*pair)
    needed = None
    if fixed <= allowed:
        answer = Answer.SLOWER if tends_smaller(*pair) else Answer.FASTER
    elif smallest_p(*counts) > spare:
        answer, needed = Answer.UNKNOWN, launches_needed(spare)
    else:
        answer = Answer.SAME
    interval = change_interval(*pair, level)
    seen = detectable_percent(*pair, spare) if detectable else None
    return Comparison(answer, change, interval, 1.0 - level, p, fixed, seen, counts, needed)


def one_after_the_other(first: Sequence[float], second: Sequence[float]) -> bool:
    """Return whether the moments of the launches of two sides are apart from each other.

    They are if all of one side come before all of the other, or if the Mann-Whitney test
    on the moments finds an order at 1 %. With one launch each nothing can be in turn.
    """
    if not first or not second:
        return False
    if max(first) < min(second) or max(second) < min(first):
        return True
    return p_value(first, second) <= LEVEL


def detectable_percent(
    first: Sequence[float], second: Sequence[float], level: float
) -> float | None:
    """Return the change that would have been seen in 80 % of cases; None where none would.

    It is in per cent of the first side's time.
    """
    limit = critical(len(first), len(second), level)
    if limit is None:
        return None
    steps = differences(logarithms(first), logarithms(second))
    width = (steps[-1 - limit] - steps[limit]) / 2.0
    return percent(width * widths_needed(len(first), len(second), level))


@lru_cache(maxsize=256)
def widths_needed(first: int, second: int, level: float) -> float:
    """Return the change that is found in 80 % of cases, in half widths of the interval."""
    if first * second > EXACT_PAIRS:
        normal = NormalDist()
        needed = normal.inv_cdf(1.0 - level / 2.0)
        return (needed + normal.inv_cdf(POWER)) / needed
    if (first, second, level) not in SIMULATED:
        SIMULATED[first, second, level] = simulated(first, second, level)
    moved, width = SIMULATED[first, second, level]
    return moved / width


def simulated(first: int, second: int, level: float) -> tuple[float, float]:
    """Return the change found in 80 % of cases and the median half width, in deviations.

    `level` must be one that the launches can reach.
    """
    import numpy as np  # noqa: PLC0415 - not needed where nothing is compared

    limit = critical(first, second, level) or 0
    draw = np.random.default_rng(SEED)
    early = draw.standard_normal((DRAWS, first, 1))
    late = draw.standard_normal((DRAWS, 1, second))
    steps = (late - early).reshape(DRAWS, -1)
    last = steps.shape[1] - 1 - limit
    steps = np.partition(steps, (limit, last), axis=1)
    width = np.median(steps[:, last] - steps[:, limit]) / 2.0
    return float(np.quantile(-steps[:, limit], POWER)), float(width)
