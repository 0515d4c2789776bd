# SPDX-License-Identifier: MIT
"""Cycles, ticks or instructions: one unit per table, and only core cycles are called cycles."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.model import Figure

CYCLES, TICKS = "cycles", "ticks"


@dataclass(frozen=True, slots=True)
class Unit:
    """What all figures of one table are counted in: cycles, ticks, or instructions."""

    clock: str

    @classmethod
    def of(cls, figures: Iterable[Figure]) -> Self:
        """Choose what was counted exactly, else core cycles if every figure knows them."""
        known = tuple(figures)
        exact = {figure.exact_unit for figure in known}
        if len(exact) == 1 and exact != {""}:
            return cls(exact.pop())
        return cls(TICKS if any(one.cycles_per_tick is None for one in known) else CYCLES)

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

    def value(self, figure: Figure, ticks: float | None = None) -> float:
        """Return the figure (or `ticks` per test of it) per byte or setup."""
        if self.core_cycles:
            return figure.per_unit(ticks)
        return (figure.median if ticks is None else ticks) / figure.work
