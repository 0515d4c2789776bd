# SPDX-License-Identifier: MIT
"""What a byte of a very long message costs: the slope of a straight line.

eBACS has a column "long" and says that it is extrapolated; how is not published with
SUPERCOP. Ours is the incomplete method of H. Theil, "A rank-invariant method of linear and
polynomial regression analysis" (1950): the points are cut into a lower and an upper half,
each point is paired with its counterpart in the other half, and the slope is the median
of the pairs' slopes. A few disturbed points move it little, and neighbours, between which
a block cipher makes steps, are never paired.
"""

import statistics
from collections.abc import Mapping

from msgspec import Struct

from assay.stats.quartiles import Quartiles

# Only lengths from this part of the largest count: short ones show what a message costs.
SHARE = 0.5


class LongFit(Struct, frozen=True):
    """A cost per byte, in what the timings are in, and what it rests on.

    `q1` and `q3` are the slopes from the third quartile of the shorter length to the first
    of the longer one, and the other way round: wider than the quartiles of a slope. The
    line goes through `lengths` lengths, from `first` to `last`. `deviation_percent` is the
    largest distance of a median from the line, relative to it; None for two
    lengths, which say nothing of the kind.
    """

    q1: float
    median: float
    q3: float
    first: int
    last: int
    lengths: int
    deviation_percent: float | None

    @property
    def text(self) -> str:
        """Describe what it rests on."""
        off = self.deviation_percent
        fit = "no more to judge it by" if off is None else f"medians within {off:.1f} % of it"
        return f"line through {self.lengths} lengths, {self.first} to {self.last}, {fit}"


def long_fit(points: Mapping[int, Quartiles]) -> LongFit | None:
    """Fit a line through the timings by length; None if there are not two lengths.

    Lengths of at least half the largest count, or the two largest if there is but one.
    """
    lengths = sorted(points)
    if len(lengths) < 2:
        return None
    used = [length for length in lengths if length >= SHARE * lengths[-1]]
    used = used if len(used) > 1 else lengths[-2:]
    half = (len(used) + 1) // 2
    pairs = list(zip(used, used[half:], strict=False))
    slopes = [_slopes(points[low], points[high], high - low) for low, high in pairs]
    q1, median, q3 = (statistics.median(column) for column in zip(*slopes, strict=True))
    off = _deviation(points, used, median) if len(used) > 2 else None
    return LongFit(q1, median, q3, used[0], used[-1], len(used), off)


def _slopes(low: Quartiles, high: Quartiles, bytes_between: int) -> tuple[float, float, float]:
    """Return the least, the middle and the greatest slope between two lengths."""
    steps = (high.q1 - low.q3, high.median - low.median, high.q3 - low.q1)
    least, middle, greatest = (step / bytes_between for step in steps)
    return least, middle, greatest


def _deviation(points: Mapping[int, Quartiles], used: list[int], slope: float) -> float | None:
    """Return the largest distance from the line with that slope, in percent of the line."""
    start = statistics.median(points[length].median - slope * length for length in used)
    line = {length: start + slope * length for length in used}
    if min(line.values()) <= 0:
        return None
    return 100.0 * max(abs(points[x].median / line[x] - 1.0) for x in used)
