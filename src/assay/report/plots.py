# SPDX-License-Identifier: MIT
"""Drawings with axes: curves with bands, and points with names where there is room for them.

Lengths are points. Labels overlap nothing: those that fit are drawn, the notable ones first.
"""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from assay.report.drawing import Axis, Dot, Drawing, Polyline, Shape, Stroke, Tick, Word
from assay.report.printable import printable

WIDTH, HEIGHT = 460.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 12.0, 24.0, 36.0
ROW, NAMES = 16.0, 130.0
LEGEND_ROW, LEGEND_COLUMNS, LETTERS = 13.0, 2, 38
APART_X, APART_Y = 42.0, 22.0
CHARACTER, LINE = 6.3, 12.0  # pixels, at the charts' 11 pixels
GAP = 8.0  # from a mark's centre
NEAR = 8.5  # a label as near as this to another mark would seem to be that one's
ABOVE, BESIDE, BELOW = -GAP, LINE / 3, GAP + LINE * 2 / 3
# Where labels are tried: at the four sides of the mark, then at its corners.
SIDES = (
    *((GAP, BESIDE, "start"), (-GAP, BESIDE, "end")),
    *((0.0, ABOVE, "middle"), (0.0, BELOW, "middle")),
    *((GAP / 2, ABOVE, "start"), (GAP / 2, BELOW, "start")),
    *((-GAP / 2, ABOVE, "end"), (-GAP / 2, BELOW, "end")),
)


class Spot(Struct, frozen=True):
    """A point with its name; `low` and `high` bound y."""

    x: float
    y: float
    low: float
    high: float
    name: str = ""
    marked: bool = False


class PlotLine(Struct, frozen=True):
    """Points of one subject."""

    name: str
    spots: tuple[Spot, ...]


def curves(title: str, x: str, y: str, lines: Sequence[PlotLine]) -> Drawing:
    """Draw lines with bands over a linear axis of lengths."""
    spots = [spot for line in lines for spot in line.spots]
    across = Axis.linear([spot.x for spot in spots], LEFT, WIDTH - RIGHT)
    up = Axis.linear([0.0, *_heights(spots)], HEIGHT - BOTTOM, TOP)
    shapes = _frame(title, x, y, across, up.ticks(APART_Y))
    marked = dict.fromkeys(across.at(one.x) for one in spots if one.marked)
    shapes += [Stroke(at, TOP, at, HEIGHT - BOTTOM, 0.8, soft=True) for at in marked]
    for colour, line in enumerate(lines):
        band = [(across.at(one.x), up.at(one.high)) for one in line.spots]
        band += [(across.at(one.x), up.at(one.low)) for one in reversed(line.spots)]
        shapes.append(Polyline(tuple(band), colour, filled=True))
        middle = tuple((across.at(one.x), up.at(one.y)) for one in line.spots)
        shapes.append(Polyline(middle, colour))
        if len(line.spots) <= 40:
            shapes += [Dot(*at, 1.6, colour, _spoken(line.name, one))
                       for at, one in zip(middle, line.spots, strict=True)]  # fmt: skip
    return _with_legend(title, shapes, [line.name for line in lines])


def scatter(title: str, x: str, y: str, grouped: Mapping[str, Sequence[Spot]]) -> Drawing | None:
    """Draw named points on two logarithmic axes, a colour for each group.

    None of fewer than two: one alone makes no picture.
    """
    lines = [PlotLine(name, tuple(spots)) for name, spots in sorted(grouped.items())]
    if sum(len(one.spots) for one in lines) < 2:
        return None
    spots = [spot for line in lines for spot in line.spots]
    across = Axis.over([spot.x for spot in spots], LEFT, WIDTH - RIGHT)
    up = Axis.over(_heights(spots), HEIGHT - BOTTOM, TOP)
    shapes = _frame(title, x, y, across, up.ticks(APART_Y))
    marks = [(across.at(one.x), up.at(one.y), one.name) for one in spots]
    for colour, line in enumerate(lines):
        for one in line.spots:
            at = (across.at(one.x), up.at(one.y))
            shapes.append(Stroke(at[0], up.at(one.low), at[0], up.at(one.high), soft=True))
            shapes.append(Dot(*at, 3.2, colour, _spoken(one.name, one)))
    frame = Box(LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM)
    shapes += place(marks, [mark[:2] for mark in marks], frame)
    names = [line.name for line in lines] if len(lines) > 1 else []
    return _with_legend(title, shapes, names)


def dots(title: str, unit: str, lines: Sequence[PlotLine], names: Sequence[str]) -> Drawing:
    """Draw named rows on a logarithmic axis, a colour for each line.

    Of a spot x is the value, which `low` and `high` bound, and y the number of its row.
    """
    spots = [spot for line in lines for spot in line.spots]
    foot = TOP + ROW * len(names)
    across = Axis.over(
        [one for spot in spots for one in (spot.low, spot.x, spot.high)], NAMES, WIDTH - RIGHT
    )
    rows = [Tick(TOP + ROW * (row + 0.5), shortened(name, LETTERS // 2))
            for row, name in enumerate(names)]  # fmt: skip
    shapes = _frame(title, unit, "", across, rows, NAMES, foot)
    shapes += [Stroke(one.at, TOP, one.at, foot, 0.3, soft=True) for one in across.ticks(APART_X)]
    for colour, line in enumerate(lines):
        for one in line.spots:
            y, said = TOP + ROW * (one.y + 0.5), f"{one.name}, {line.name}: {one.x:.4g}"
            shapes.append(Stroke(across.at(one.low), y, across.at(one.high), y, soft=True))
            shapes.append(Dot(across.at(one.x), y, 3.2, colour, said))
    return _with_legend(title, shapes, [line.name for line in lines], foot + BOTTOM)


def _spoken(name: str, spot: Spot) -> str:
    return f"{name}: {spot.y:.4g} at {spot.x:g}"


def _heights(spots: Iterable[Spot]) -> list[float]:
    return [value for spot in spots for value in (spot.low, spot.y, spot.high)]


def shortened(name: str, letters: int) -> str:
    """Return a name that a stranger chose, in so many letters."""
    shown = printable(name)
    return shown if len(shown) <= letters else f"{shown[: letters - 1]}…"


def _frame(
    title: str, x: str, y: str, across: Axis, up: Iterable[Tick],
    left: float = LEFT, foot: float = HEIGHT - BOTTOM,
) -> list[Shape]:  # fmt: skip
    """Draw axes, labels and the title."""
    end = WIDTH - RIGHT
    shapes: list[Shape] = [Word(4, 14, title, bold=True)]
    for tick in up:
        shapes.append(Stroke(left, tick.at, end, tick.at, 0.3, soft=True))
        shapes.append(Word(left - 4, tick.at + 3, tick.label, "end"))
    for tick in across.ticks(APART_X):
        shapes.append(Stroke(tick.at, foot, tick.at, foot + 3, 0.6))
        shapes.append(Word(tick.at, foot + 13, tick.label, "middle"))
    shapes.append(Stroke(left, foot, end, foot))
    shapes.append(Stroke(left, TOP, left, foot))
    shapes.append(Word(end, foot + 25, x, "end"))
    return [*shapes, Word(left + 4, TOP + 9, y)] if y else shapes


def _with_legend(
    title: str, shapes: list[Shape], names: Sequence[str], height: float = HEIGHT
) -> Drawing:
    """Put names of colours below."""
    wide = (WIDTH - 8) / LEGEND_COLUMNS
    for number, name in enumerate(names):
        row, column = divmod(number, LEGEND_COLUMNS)
        x, y = 8 + column * wide, height + LEGEND_ROW * (row + 0.6)
        shapes.append(Dot(x, y - 3, 3.2, number))
        shapes.append(Word(x + 8, y, shortened(name, LETTERS)))
    rows = -(-len(names) // LEGEND_COLUMNS)
    return Drawing(title, WIDTH, height + LEGEND_ROW * (rows + 0.4 if rows else 0), tuple(shapes))


class Box(Struct, frozen=True):
    """A rectangle on the page; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: "Box") -> bool:
        """Return whether the two overlap."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: "Box") -> bool:
        """Return whether nothing of it lies outside of the other."""
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def place(
    wanted: Iterable[tuple[float, float, str]],
    marks: Sequence[tuple[float, float]],
    frame: Box,
) -> tuple[Word, ...]:
    """Put a label beside each point (x, y, text) where there is room, in the order given.

    No label comes near another mark, touches another label, or the frame.
    """
    occupied: list[Box] = []
    placed = []
    for x, y, text in wanted:
        others = [Box(at - NEAR, up - NEAR, at + NEAR, up + NEAR)
                  for at, up in marks if (at, up) != (x, y)]  # fmt: skip
        for right, down, anchor in SIDES:
            label = Word(x + right, y + down, text, anchor)
            box = _box(label)
            if box.within(frame) and not any(box.meets(one) for one in (*occupied, *others)):
                occupied.append(box)
                placed.append(label)
                break
    return tuple(placed)


def _box(label: Word) -> Box:
    width = CHARACTER * len(label.text)
    shift = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    left = label.x - shift
    return Box(left, label.y - LINE * 3 / 4, left + width, label.y + LINE / 4)
