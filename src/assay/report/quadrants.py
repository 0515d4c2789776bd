# SPDX-License-Identifier: MIT
"""The four-way chart: size against speed, the medians parting small from large, fast from slow.

Both axes are logarithmic. Only figures in one unit share a chart.
"""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.report.axis import LogAxis, Tick
from assay.report.chart import Chart
from assay.report.labels import Box, Label, place

WIDTH, HEIGHT = 960.0, 560.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 24.0, 16.0, 44.0
CORNER_WIDTH, CORNER_HEIGHT = 110.0, 24.0
APART = 26.0  # pixels between the labels of an axis
# Told apart by outline alone: circle, square, triangles, diamond, cross, ring of six sides.
SHAPES = (
    "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0z",
    "M-4.5 -4.5h9v9h-9z",
    "M0 -6L5.5 4.5h-11z",
    "M0 -6.5L6 0L0 6.5L-6 0z",
    "M0 6L5.5 -4.5h-11z",
    "M-2 -6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",
    "M-6 0L-3 -5h6L6 0L3 5h-6z",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A point on the page: its name in full and in short, its figures, and its shape."""

    x: float
    y: float
    name: str
    label: str
    figures: tuple[float, float]
    shape: int


@dataclass(frozen=True, slots=True)
class Layout:
    """All coordinates of a chart, in pixels; `split` is where the medians cross."""

    marks: tuple[Mark, ...]
    labels: tuple[Label, ...]
    split: tuple[float, float]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    groups: tuple[str, ...]


def medians(chart: Chart) -> tuple[float, float]:
    """Return the medians of both axes, which part the four fields."""
    across, up = zip(*_figures(chart), strict=True)
    return (statistics.median(across), statistics.median(up))


def layout(chart: Chart) -> Layout:
    """Lay out at least one series of one point, its figures positive."""
    found = _figures(chart)
    across = LogAxis.over([x for x, _ in found], LEFT, WIDTH - RIGHT)
    up = LogAxis.over([y for _, y in found], HEIGHT - BOTTOM, TOP)
    groups = tuple(sorted({one.group for one in chart.series}))
    marks = tuple(
        Mark(
            across.at(x), up.at(y), one.name, one.label, (x, y),
            groups.index(one.group) % len(SHAPES),
        )
        for one, (x, y) in zip(chart.series, found, strict=True)
    )  # fmt: skip
    middle = medians(chart)
    split = (across.at(middle[0]), up.at(middle[1]))
    return Layout(marks, _labels(marks), split, across.ticks(APART), up.ticks(APART), groups)


def _figures(chart: Chart) -> list[tuple[float, float]]:
    """Return both figures of each series."""
    return [(one.points[0].x, one.points[0].y or 0.0) for one in chart.series]


def _labels(marks: Sequence[Mark]) -> tuple[Label, ...]:
    """Label what is smallest or fastest among its peers, then whatever there is room for."""
    best = [mark for mark in marks if not any(_beats(other, mark) for other in marks)]
    rest = [mark for mark in marks if mark not in best]
    wanted = [(mark.x, mark.y, mark.label) for mark in (*best, *rest)]
    frame = Box(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
    return place(wanted, [(mark.x, mark.y) for mark in marks], frame, tuple(_corners(frame)))


def _beats(one: Mark, other: Mark) -> bool:
    """Return whether one is smaller and not slower, or faster and not larger."""
    a, b = one.figures, other.figures
    return a != b and a[0] <= b[0] and a[1] <= b[1]


def _corners(frame: Box) -> Iterator[Box]:
    """Keep the names of the four fields free."""
    for left in (frame.left, frame.right - CORNER_WIDTH):
        for top in (frame.top, frame.bottom - CORNER_HEIGHT):
            yield Box(left, top, left + CORNER_WIDTH, top + CORNER_HEIGHT)
