# SPDX-License-Identifier: MIT
"""The chart of a table: what its picture is drawn from, in every format.

It knows figures, and not where they stand on a page: `report/ranked` lays it out.
"""

from dataclasses import dataclass

from assay.model import Direction


@dataclass(frozen=True, slots=True)
class Axis:
    """What grows along an axis, in which unit; `end` is where the scale ends, if that is given."""

    unit: str = ""
    logarithmic: bool = False
    end: float | None = None


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """A figure at `x`; `low` and `high` are its quartiles. `y` is None where it is not known."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ChartSeries:
    """Points of one subject: its name in full and in short, and its group (mark, colour)."""

    name: str
    points: tuple[ChartPoint, ...]
    label: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Series that share axes, each in one unit: a bar for each, the fastest first.

    Of a series the label is a link, and the group its place.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[ChartSeries, ...]
    direction: str = Direction.LOWER.value
