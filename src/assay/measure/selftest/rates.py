# SPDX-License-Identifier: MIT
"""The numbers by which samples are judged: shares with their intervals, and differences.

Rates have exact intervals with a confidence of 95 % (Clopper and Pearson, "The Use of
Confidence or Fiducial Limits Illustrated in the Case of the Binomial", Biometrika 26,
1934). Comparisons are those of `assay compare`: Mann-Whitney over launches.
"""

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from assay.model import Conditions
from assay.stats.rank_sum import p_value
from assay.stats.shift import change_percent
from assay.stats.summary import over_layouts


class Shot(Struct, frozen=True):
    """One launch: the median of each measure, in core cycles (ticks where unknown) per call.

    `name` says of what: a package, a variant, a kind of neighbour. `disturbed` is the mark
    that the launch got. `conditions` are kept of some launches only.
    """

    name: str
    layout: int
    values: tuple[tuple[str, float], ...]
    disturbed: str = ""
    calibration_error: float | None = None
    conditions: Conditions | None = None

    def value(self, measure: str) -> float:
        """Return a measure."""
        return dict(self.values)[measure]


class Samples(Struct, frozen=True):
    """Everything that was taken, each part in the order of time; empty where it was not.

    `same` are launches of one code; `injected` those of three variants, taken in turn, of
    which the second does 1 % and the third 2 % more; `layouts` those of one code under the
    names `first` and `second`, each in many layouts; `campaigns` those of two campaigns,
    named by package and campaign, `salsa20/ref#1`; `neighbours` those beside somebody who
    works, by kind. `counts` are two runs of an emulator. `counter_bound` is the promised
    error of the calibration, `load` the processors' load before it all began, `trust` the
    class of the machine.
    """

    machine: str
    trust: str
    load: float
    processors: int
    counter: str
    counter_bound: float
    same: tuple[Shot, ...] = ()
    injected: tuple[Shot, ...] = ()
    layouts: tuple[Shot, ...] = ()
    campaigns: tuple[Shot, ...] = ()
    neighbours: tuple[Shot, ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    counted_by: str = ""


class PromiseRow(Struct, frozen=True):
    """A promise and what was measured. `held` is None where that cannot be said here."""

    topic: str
    promise: str
    measured: str
    held: bool | None
    how: str


LEVEL = 0.01
COMPARISONS = 1000
PER_SIDE = 8  # launches on each side of an A/A comparison
POWER_SIDE = 24  # on each side where something was injected
SEED = 20_261_122


class Rate(Struct, frozen=True):
    """So many of so many, with the exact interval at 95 %."""

    hits: int
    tries: int

    @property
    def share(self) -> float:
        """Return the share; 0 without tries."""
        return self.hits / self.tries if self.tries else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Return the interval of Clopper and Pearson."""
        from scipy.stats import binomtest  # noqa: PLC0415 - takes a second

        found = binomtest(self.hits, self.tries).proportion_ci(0.95, "exact")
        return float(found.low), float(found.high)

    def __str__(self) -> str:
        """Write share and interval in per cent."""
        low, high = self.interval
        share = 100 * self.share
        return (
            f"{share:.1f} % ({self.hits} of {self.tries}; {100 * low:.1f} to {100 * high:.1f} %)"
        )


def false_alarms(
    series: Sequence[Sequence[float]],
    *,
    comparisons: int = COMPARISONS,
    per_side: int = PER_SIDE,
    seed: int = SEED,
) -> Rate:
    """Compare launches of one code with each other, as a campaign would two codes.

    Each series is a measure in the order of time. A comparison takes a window of
    consecutive launches, evenly spread over the series, and gives the names A and B at
    random, as a campaign launches in random order. So slow changes of the machine stay
    in the comparison. Windows that overlap are not independent.
    """
    random = Random(seed)
    width = 2 * per_side
    usable = [one for one in series if len(one) >= width]
    hits = 0
    tries = comparisons if usable else 0
    for number in range(tries):
        one = usable[number % len(usable)]
        start = (len(one) - width) * number // max(comparisons - 1, 1)
        window = random.sample(list(one[start : start + width]), width)
        hits += p_value(window[:per_side], window[per_side:]) <= LEVEL
    return Rate(hits, tries)


def detections(
    first: Sequence[float], second: Sequence[float], *, per_side: int = POWER_SIDE
) -> Rate:
    """Count in how many windows of launches taken in turn the second is called slower."""
    turns = min(len(first), len(second))
    step = max(1, per_side // 4)
    windows = range(0, turns - per_side + 1, step)
    hits = 0
    for start in windows:
        sides = first[start : start + per_side], second[start : start + per_side]
        hits += p_value(*sides) <= LEVEL and change_percent(*sides) > 0
    return Rate(hits, len(windows))


def layout_difference(shots: Sequence[Shot], measure: str) -> float:
    """Return by how much two names of one code differ, in per cent.

    Each side is the median over its layouts, a layout the median over its launches.
    """
    sides = []
    for name in ("first", "second"):
        mine = [shot for shot in shots if shot.name == name]
        sides.append(over_layouts((shot.layout, shot.value(measure)) for shot in mine))
    return 100.0 * (sides[1] / sides[0] - 1.0)


def changes_between(shots: Sequence[Shot]) -> dict[str, float]:
    """Return the change of every figure from the first campaign to the second, in per cent.

    Left out are those for which a campaign had no launch that counts: its tables say so.
    """
    packages = sorted({shot.name.partition("#")[0] for shot in shots})
    found = {}
    for package in packages:
        counting = [shot for shot in shots if not shot.disturbed]
        both = [[s for s in counting if s.name == f"{package}#{n}"] for n in (1, 2)]
        if not all(both):
            continue
        for measure, _ in both[0][0].values:
            first, second = (
                over_layouts((s.layout, s.value(measure)) for s in side) for side in both
            )
            found[f"{package} {measure}"] = 100.0 * (second / first - 1.0)
    return found


def usable(shots: Sequence[Shot]) -> list[Shot]:
    """Keep the launches that count, as a campaign does: all if none was quiet."""
    quiet = [shot for shot in shots if not shot.disturbed]
    return quiet or list(shots)


def marked(shots: Sequence[Shot]) -> Rate:
    """Count the launches that were called disturbed."""
    return Rate(sum(bool(shot.disturbed) for shot in shots), len(shots))


Ranges = dict[str, tuple[float, float]]


def usual_ranges(quiet: Sequence[Shot], outside: float) -> Ranges:
    """Return ranges of the measures; a share `outside` of quiet launches is not within all.

    Whether a launch was disturbed shows in its figures, which the marks never look at.
    """
    import numpy as np  # noqa: PLC0415 - not needed where nothing is judged

    names = [name for name, _ in quiet[0].values]
    tail = 50.0 * outside / len(names)
    ends = (tail, 100.0 - tail)
    ranges = {n: np.percentile([one.value(n) for one in quiet], ends) for n in names}
    return {name: (float(low), float(high)) for name, (low, high) in ranges.items()}


def is_usual(shot: Shot, ranges: Ranges) -> bool:
    """Return whether all figures of a launch lie within the ranges."""
    return all(low <= shot.value(name) <= high for name, (low, high) in ranges.items())
