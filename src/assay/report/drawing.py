# SPDX-License-Identifier: MIT
"""A picture in a file of its own: lines, dots and words at places, and logarithmic axes.

Lengths are points (1/72 inch); y grows downwards.
"""

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct

SIZE, DOT = 9.0, 2.6  # of letters; the radius of a dot
# Okabe and Ito's palette, told apart with any colour vision.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7a00", "#555555")

ROOM = 0.12  # of the range, beyond the outermost points
NARROW = 1.6  # an axis from a value to this many times it has steps of its own
TICKS = (1, 1.5, 2, 3, 4, 5, 7)
BINARY = {2048.0, 4096.0}  # ranges of lengths, whose labels are powers of two


class Word(Struct, frozen=True):
    """A text at its baseline; `anchor` is start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    bold: bool = False


class Stroke(Struct, frozen=True):
    """A straight line; soft ones are grey."""

    x1: float
    y1: float
    x2: float
    y2: float
    width: float = 0.6
    soft: bool = False


class Dot(Struct, frozen=True):
    """A filled circle in one of the colours; none is black."""

    x: float
    y: float
    radius: float = DOT
    colour: int | None = None
    title: str = ""


class Polyline(Struct, frozen=True):
    """A line through points; a `filled` one is a pale area."""

    points: tuple[tuple[float, float], ...]
    colour: int = 0
    filled: bool = False


Shape = Word | Stroke | Dot | Polyline


class Drawing(Struct, frozen=True):
    """Shapes on a page of this size, `title` saying what they show."""

    title: str
    width: float
    height: float
    shapes: tuple[Shape, ...]


class Tick(Struct, frozen=True):
    """A labelled place on an axis."""

    at: float
    label: str


class Axis(Struct, frozen=True):
    """An axis from `start` to `end`; `low` and `high` of logarithmic ones are logarithms."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    @classmethod
    def over(cls, values: Iterable[float], start: float, end: float) -> "Axis":
        """Return a logarithmic axis with room for values, of which all are positive."""
        logarithms = [math.log(one) for one in values]
        low, high = min(logarithms), max(logarithms)
        room = max(high - low, math.log(2)) * ROOM
        return cls(low - room, high + room, start, end)

    @classmethod
    def linear(cls, values: Sequence[float], start: float, end: float) -> "Axis":
        """Return a linear axis from the least value to the largest."""
        return cls(min(values), max(values), start, end, log=False)

    def at(self, value: float) -> float:
        """Return where a value is drawn, to one decimal."""
        known = math.log(value) if self.log else value
        part = (known - self.low) / ((self.high - self.low) or 1.0)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self, apart: float) -> tuple[Tick, ...]:
        """Label round values inside the axis, no two of them closer than `apart`."""
        wide = self.log and self.high - self.low >= math.log(NARROW)
        found = self._of_decades(apart) if wide else ()
        if len(found) > 1:
            return found
        ends = (self.low, self.high)
        low, high = map(math.exp, ends) if self.log else ends
        least = ((high - low) or 1.0) * apart / abs(self.end - self.start)
        return tuple(Tick(self.at(one), f"{one:g}") for one in round_values(low, high, least))

    def _of_decades(self, apart: float) -> tuple[Tick, ...]:
        """Label powers of ten, and between them TICKS where there is room."""
        first = math.floor(self.low / math.log(10))
        last = math.ceil(self.high / math.log(10))
        values = [step * 10.0**power for power in range(first, last + 1) for step in TICKS]
        chosen: list[Tick] = []
        for value in sorted(values, key=lambda v: (v != 10.0 ** round(math.log10(v)), v)):
            tick = Tick(self.at(value), f"{value:g}")
            inside = self.low <= math.log(value) <= self.high
            if inside and all(abs(tick.at - other.at) >= apart for other in chosen):
                chosen.append(tick)
        return tuple(sorted(chosen, key=lambda tick: tick.at))


def round_values(low: float, high: float, apart: float) -> list[float]:
    """Return the multiples of a round number, at least `apart`, from low to high."""
    power = 10.0 ** math.floor(math.log10(apart))
    step = next(one * power for one in (1, 2, 5, 10) if one * power >= apart * 0.999)
    if power >= 10 and high - low in BINARY:
        step = 2.0 ** math.ceil(math.log2(apart))
    return [number * step for number in range(math.ceil(low / step), int(high / step + 1e-9) + 1)]
