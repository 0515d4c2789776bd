# SPDX-License-Identifier: MIT
"""Labels of a chart's marks that overlap nothing: those that fit, the notable ones first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
) -> tuple[Label, ...]:
    """Put a label beside each point (x, y, text) where there is room, in the order given.

    No label comes near another mark, touches another label, or the frame.
    """
    occupied: list[Box] = []
    placed = []
    for x, y, text in wanted:
        others = [Box(at - NEAR, up - NEAR, at + NEAR, up + NEAR)
                  for at, up in marks if (at, up) != (x, y)]  # fmt: skip
        for right, down, anchor in SIDES:
            label = Label(x + right, y + down, anchor, text)
            box = _box(label)
            if box.within(frame) and not any(box.meets(one) for one in (*occupied, *others)):
                occupied.append(box)
                placed.append(label)
                break
    return tuple(placed)


def _box(label: Label) -> Box:
    width = CHARACTER * len(label.text)
    shift = {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    left = label.x - shift
    return Box(left, label.y - LINE * 3 / 4, left + width, label.y + LINE / 4)
