# SPDX-License-Identifier: MIT
"""Cycles, ticks or instructions: one unit per table, and only core cycles are called cycles."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.model.series import CYCLES, TICKS, Series


@dataclass(frozen=True, slots=True)
class Unit:
    """What all figures of one table are counted in: cycles, ticks, or instructions."""

    clock: str

    @classmethod
    def of(cls, figures: Iterable[Series]) -> Self:
        """Choose what was counted exactly, else core cycles if every figure knows them."""
        known = tuple(figures)
        exact = {figure.counts for figure in known}
        if len(exact) == 1 and exact != {""}:
            return cls(exact.pop())
        return cls(CYCLES if all(one.core_cycles for one in known) else TICKS)

    @property
    def core_cycles(self) -> bool:
        """Return whether these are core cycles."""
        return self.clock == CYCLES

    @property
    def exact(self) -> bool:
        """Return whether they were counted and not timed."""
        return self.clock not in {CYCLES, TICKS}

    @property
    def text(self) -> str:
        """Name the unit of rates, such as `cycles/byte`."""
        return f"{self.clock}/byte"

    @property
    def setup_text(self) -> str:
        """Name the unit of setups, such as `cycles/setup`."""
        return f"{self.clock}/setup"

    def value(self, figure: Series, value: float | None = None) -> float:
        """Return the median of a figure (or another `value` of it) per byte, setup or hash."""
        known = figure.median if value is None else value
        return known / (figure.ratio if self.clock == TICKS else 1.0) / figure.work
