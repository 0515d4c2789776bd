# SPDX-License-Identifier: MIT
"""Labels of a chart's marks that overlap nothing: those that fit, the notable ones first."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

CHARACTER, LINE = 6.3, 12.0  # pixels, at the charts' 11 pixels
GAP = 8.0  # from a mark's centre
NEAR = 8.5  # a label as near as this to another mark would seem to be that one's


@dataclass(frozen=True, slots=True)
class Label:
    """A text at its baseline; `anchor` is the SVG text-anchor."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Box:
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
    taken: Sequence[Box] = (),
) -> tuple[Label, ...]:
    """Put a label beside each point (x, y, text) where there is room, in the order given.

    No label comes near another mark, touches another label, what is taken, or the frame.
    """
    occupied = list(taken)
    placed = []
    for x, y, text in wanted:
        others = [_around(*mark) for mark in marks if mark != (x, y)]
        for label in _places(x, y, text):
            box = _box(label)
            if box.within(frame) and not any(box.meets(one) for one in (*occupied, *others)):
                occupied.append(box)
                placed.append(label)
                break
    return tuple(placed)


def _around(x: float, y: float) -> Box:
    return Box(x - NEAR, y - NEAR, x + NEAR, y + NEAR)


def _places(x: float, y: float, text: str) -> Iterator[Label]:
    """Try the four sides of the mark, then its corners."""
    yield Label(x + GAP, y + LINE / 3, "start", text)
    yield Label(x - GAP, y + LINE / 3, "end", text)
    yield Label(x, y - GAP, "middle", text)
    yield Label(x, y + GAP + LINE * 2 / 3, "middle", text)
    for across, anchor in ((GAP / 2, "start"), (-GAP / 2, "end")):
        yield Label(x + across, y - GAP, anchor, text)
        yield Label(x + across, y + GAP + LINE * 2 / 3, anchor, text)


def _box(label: Label) -> Box:
    width = CHARACTER * len(label.text)
    shift = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    left = label.x - shift
    return Box(left, label.y - LINE * 3 / 4, left + width, label.y + LINE / 4)
