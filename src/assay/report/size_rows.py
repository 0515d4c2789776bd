# SPDX-License-Identifier: MIT
"""The rows of a size table: the paper's section 2, for any package on any target."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.model.compared import UNCOMPARED
from assay.model.footprint import Footprint, Steps
from assay.model.published import Published

HEADINGS = (
    "Target",
    "Package",
    "Verdict",
    "Bytes",
    "Published",
    "Long",
    "Published",
    "Short",
    "Published",
    "10^6/(c s)",
    "Context",
    "Stack",
    "Unit",
    "Compiled with",
)
NUMBERS = frozenset({"Bytes", "Published", "Long", "Short", "10^6/(c s)", "Context", "Stack"})
NONE = "-"


@dataclass(frozen=True, slots=True)
class SizeRow:
    """A footprint, and what was published for its architecture."""

    footprint: Footprint
    published: Published | None

    @property
    def cells(self) -> tuple[str, ...]:
        """Give the row as text, in the order of HEADINGS."""
        one, known = self.footprint, self.published
        long, short = one.measured("long"), one.measured("short")
        return (
            one.target.name,
            one.selector,
            verdict(one),
            _whole(one.size.total_bytes if one.size else None),
            _whole(known.size_bytes if known else None),
            _rate(long),
            f"{known.long_cycles:.1f}" if known and known.long_cycles else NONE,
            _whole(round(short.amount) if short else None),
            _whole(known.short_cycles if known else None),
            f"{one.ratio:.1f}" if one.ratio else NONE,
            _whole(one.context_bytes),
            _whole(one.stack_bytes),
            unit_of(one),
            one.configuration.name if one.configuration else NONE,
        )


def unit_of(one: Footprint) -> str:
    """Name what is counted: instructions, cycles, ticks."""
    return one.steps[0].unit if one.steps else NONE


def verdict(one: Footprint) -> str:
    """Say whether the code is right and keeps to the size rule."""
    if one.skipped:
        return f"skipped: {one.skipped}"
    if one.problems:
        return "; ".join(one.problems)
    return {True: "vectors equal", False: "wrong", None: UNCOMPARED}[one.passed]


def size_rows(
    footprints: Sequence[Footprint], published: Mapping[str, Sequence[Published]]
) -> tuple[SizeRow, ...]:
    """Put a primitive's published figures, by selector, beside code for that architecture."""
    known = {
        (selector, figure.architecture): figure
        for selector, figures in published.items()
        for figure in figures
    }
    return tuple(SizeRow(one, known.get((one.selector, _architecture(one)))) for one in footprints)


def _architecture(one: Footprint) -> str:
    """Name the architecture whose published figure belongs to the row; this machine's is none."""
    return "" if one.target.is_native else one.target.architecture


def _whole(value: int | None) -> str:
    return NONE if value is None else str(value)


def _rate(steps: Steps | None) -> str:
    return NONE if steps is None else f"{steps.per_byte:.2f}"
