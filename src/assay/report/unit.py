# SPDX-License-Identifier: MIT
"""Cycles or ticks: one unit per table, and what is not core cycles is never called so."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from assay.model import Figure


@dataclass(frozen=True, slots=True)
class Unit:
    """The clock that all figures of one table are counted in."""

    core_cycles: bool

    @classmethod
    def of(cls, figures: Iterable[Figure]) -> Self:
        """Choose core cycles if every figure knows how many a tick is."""
        return cls(all(figure.cycles_per_tick is not None for figure in figures))

    @property
    def clock(self) -> str:
        """Name the clock: `cycles` or `ticks`."""
        return "cycles" if self.core_cycles else "ticks"

    @property
    def text(self) -> str:
        """Name the unit of rates: `cycles/byte` or `ticks/byte`."""
        return f"{self.clock}/byte"

    @property
    def setup_text(self) -> str:
        """Name the unit of setups: `cycles/setup` or `ticks/setup`."""
        return f"{self.clock}/setup"

    def value(self, figure: Figure, ticks: float | None = None) -> float:
        """Give the figure (or `ticks` per test of it) per byte or setup."""
        if self.core_cycles:
            return figure.per_unit(ticks)
        return (figure.median if ticks is None else ticks) / figure.work
