# SPDX-License-Identifier: MIT
"""A picture in a file of its own: lines, dots and words at places, whatever the format.

Lengths are points (1/72 inch); y grows downwards.
"""

from dataclasses import dataclass

SIZE, DOT = 9.0, 2.6  # of letters; the radius of a dot
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
