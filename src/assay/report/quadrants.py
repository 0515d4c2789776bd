# SPDX-License-Identifier: MIT
"""The four-way chart: size against speed, the medians parting small from large, fast from slow.

Both axes are logarithmic. Only figures in one unit share a chart.
"""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 760.0, 460.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 24.0, 44.0
ROOM = 0.08  # of the range, beyond the outermost points
TICKS = (1, 2, 3, 5, 7)


@dataclass(frozen=True, slots=True)
class Point:
    """A mark: bytes, steps per byte, what it is, and its group (which gives the shape)."""

    size: float
    steps: float
    label: str
    group: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A point on the page."""

    x: float
    y: float
    point: Point
    shape: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    """All coordinates of a chart, in pixels; `split` is where the medians cross."""

    unit: str
    marks: tuple[Mark, ...]
    split: tuple[float, float]
    medians: tuple[float, float]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    groups: tuple[str, ...]


def chart(points: Sequence[Point], unit: str) -> Chart:
    """Lay out at least one point with positive figures."""
    sizes, steps = [p.size for p in points], [p.steps for p in points]
    across = _Axis.over(sizes, LEFT, WIDTH - RIGHT)
    up = _Axis.over(steps, HEIGHT - BOTTOM, TOP)
    groups = tuple(dict.fromkeys(p.group for p in points))
    medians = (statistics.median(sizes), statistics.median(steps))
    return Chart(
        unit,
        tuple(Mark(across.at(p.size), up.at(p.steps), p, groups.index(p.group)) for p in points),
        (across.at(medians[0]), up.at(medians[1])),
        medians,
        across.ticks(),
        up.ticks(),
        groups,
    )


@dataclass(frozen=True, slots=True)
class _Axis:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> "_Axis":
        low, high = math.log(min(values)), math.log(max(values))
        room = max(high - low, math.log(2)) * ROOM
        return cls(low - room, high + room, start, end)

    def at(self, value: float) -> float:
        part = (math.log(value) - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self) -> tuple[Tick, ...]:
        """Label round values inside the axis."""
        first = math.floor(self.low / math.log(10))
        last = math.ceil(self.high / math.log(10))
        values = [step * 10.0**power for power in range(first, last + 1) for step in TICKS]
        inside = [value for value in values if self.low <= math.log(value) <= self.high]
        return tuple(Tick(self.at(value), f"{value:g}") for value in inside)
