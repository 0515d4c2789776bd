# SPDX-License-Identifier: MIT
"""The one chart: what every picture is drawn from, as every table is printed from a `Table`.

It knows figures, and not where they stand on a page: `report/pictures` draws it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from assay.model import Direction


class Form(StrEnum):
    """What a picture looks like."""

    BAR = "bar"  # from quartile to quartile, on a scale from 0
    TREND = "trend"  # a line in the order of time
    RANKED = "ranked"  # a bar for each series, the fastest first; label: link, group: place
    QUADRANTS = "quadrants"  # marks, and the medians that part them
    CURVES = "curves"  # lines with bands, of which a reader chooses


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
    """Series that share axes, each in one unit. `facts` are what a form needs besides."""

    form: Form
    title: str
    x: Axis
    y: Axis
    series: tuple[ChartSeries, ...]
    direction: str = Direction.LOWER.value
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
