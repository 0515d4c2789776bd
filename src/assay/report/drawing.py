# SPDX-License-Identifier: MIT
"""A picture in a file of its own: lines, dots and words at places, whatever the format.

Lengths are points (1/72 inch); y grows downwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.report.ranked import RankedBar, RankedChart

SIZE, ROW, MARGIN = 9.0, 14.0, 3.0  # of letters, of a line, around all
NAMES, PLACES, FIGURES, AXIS = 120.0, 26.0, 40.0, 150.0  # widths, from left to right
LETTERS = int(NAMES / (0.55 * SIZE))  # that fit beside the axis
DOT = 2.6
# Okabe and Ito's palette, told apart with any colour vision.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7a00", "#555555")


@dataclass(frozen=True, slots=True)
class Word:
    """A text at its baseline; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Stroke:
    """A straight line; soft ones are grey."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float = 0.6
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle in one of the colours; none is black."""

    x: float
    y: float
    radius: float = DOT
    colour: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points; a `filled` one is a pale area."""

    points: tuple[tuple[float, float], ...]
    colour: int = 0
    filled: bool = False


Shape = Word | Stroke | Dot | Polyline


@dataclass(frozen=True, slots=True)
class Drawing:
    """Shapes on a page of this size, `title` saying what they show."""

    title: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


LEFT = MARGIN + PLACES + NAMES
WIDTH = LEFT + AXIS + FIGURES + 2 * MARGIN


def drawing(charts: Sequence[RankedChart], origin: str = "") -> Drawing:
    """Draw ranked charts below each other, and below them where the figures come from."""
    shapes: list[Shape] = []
    y = MARGIN
    for chart in charts:
        y = _ranked(chart, y, shapes)
    for text in _wrapped(origin):
        y += 0.8 * ROW
        shapes.append(Word(MARGIN, y, text))
    return Drawing("; ".join(chart.title for chart in charts), WIDTH, y + ROW, tuple(shapes))


def _ranked(chart: RankedChart, y: float, shapes: list[Shape]) -> float:
    """Draw one chart below `y`; return where it ends."""
    for text in _wrapped(chart.title):
        y += ROW
        shapes.append(Word(MARGIN, y, text, bold=True))
    top = y + 0.4 * ROW
    for block in chart.blocks:
        for bar in block:
            y += ROW
            shapes += _bar(bar, y)
    foot = y + 0.6 * ROW
    shapes.append(Stroke(LEFT, foot, LEFT + AXIS, foot))
    for tick in chart.ticks:
        x = LEFT + AXIS * tick.at / 100.0
        shapes.append(Stroke(x, top, x, foot + 3, width=0.3, soft=True))
        shapes.append(Word(x, foot + ROW * 0.8, tick.label, "middle"))
    shapes.append(Word(LEFT + AXIS / 2, foot + ROW * 1.7, chart.unit, "middle"))
    return foot + ROW * 2


def _bar(bar: RankedBar, y: float) -> tuple[Shape, ...]:
    """Draw a point with its interval, the place and the name before it, the figure behind it."""
    low, middle, high = (LEFT + AXIS * at / 100.0 for at in (bar.low, bar.median, bar.high))
    name = bar.name if len(bar.name) <= LETTERS else f"{bar.name[: LETTERS - 1]}..."
    return (
        Word(MARGIN + PLACES - 8, y + 3, bar.place, "end"),
        Word(MARGIN + PLACES, y + 3, name),
        Stroke(low, y, high, y, width=1.4),
        Dot(middle, y),
        Word(LEFT + AXIS + FIGURES, y + 3, bar.text, "end"),
    )


def _wrapped(text: str) -> list[str]:
    """Break a text into lines that fit the page."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and len(longer) * 0.58 * SIZE <= WIDTH - 2 * MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
