# SPDX-License-Identifier: MIT
"""Rows of cells that may be compared, ranked, and the packages that have none."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.model import CellResult, PackageKind, StreamSubject
from assay.report.kinds import KINDS, CellKind
from assay.report.printable import printable
from assay.report.verdicts import Standing, standing
from assay.stats.places import Place
from assay.summary.cells import Results
from assay.summary.ranks import Ranking, entrant, ranking
from assay.summary.rows import Row, unit_of
from assay.summary.unit import Unit

# What departs from the API so that a reader of figures must know of it.
NAMED_QUIRKS = frozenset({"quirk/std-option", "quirk/std-expansion"})


@dataclass(frozen=True, slots=True)
class RankedTable:
    """Rows that may be compared: of one target, and in one unit."""

    target: str
    rows: tuple[Row, ...]
    unit: Unit
    ranking: Ranking

    def name(self, row: Row) -> str:
        """Return the name of a row's primitive; what else it is if others are called the same."""
        name = primitive_name(row)
        alike = [one for one in self.rows if primitive_name(one) == name]
        if len({one.result.package.primitive for one in alike}) == 1:
            return name
        macs = {one.result.package.primitive: one.sizes.mac_bits is not None for one in alike}
        if len(macs) == 2 and len(set(macs.values())) == 2:
            return f"{name} ({'with' if row.sizes.mac_bits is not None else 'without'} MAC)"
        return f"{name} ({row.result.package.primitive})"

    @property
    def kind(self) -> CellKind:
        """Return the kind of the rows."""
        return KINDS[PackageKind(self.rows[0].result.package.kind)]

    @property
    def ranked(self) -> Iterable[tuple[Row, Place | None]]:
        """Return rows with their places; None where one failed or has no launches."""
        return zip(self.rows, self.ranking.places, strict=True)

    @property
    def notes(self) -> tuple[str, ...]:
        """Describe what a place is, and which options of packages are not in the figures."""
        packages = (row.result.package for row in self.rows)
        quirks = (
            f"{printable(one.selector)}: {printable(quirk.message)}"
            for one in packages
            for quirk in one.quirks
            if quirk.name in NAMED_QUIRKS
        )
        return (*self.ranking.notes, *dict.fromkeys(quirks))


def primitive_name(row: Row) -> str:
    """Return what a cipher calls itself, or the name of the folder of a primitive."""
    subject = row.result.subject
    return subject.name if isinstance(subject, StreamSubject) else row.result.package.primitive


def excluded(results: Results) -> list[tuple[str, Standing]]:
    """Name the packages without any cell that both ran and did not fail, each with why.

    Of a package's cells the worst one is named.
    """
    found = [
        (one.selector, Standing("broken", "not loaded", (one.reason,))) for one in results.broken
    ]
    packages: dict[str, list[CellResult]] = {}
    for cell in results.cells:
        packages.setdefault(cell.package.place, []).append(cell)
    for cells in packages.values():
        if any(cell.figures and not cell.failed for cell in cells):
            continue
        worst = min(cells, key=lambda cell: (not cell.failed, not cell.build.ok))
        state = standing(worst)
        if not worst.failed:
            state = Standing(
                state.state, f"{state.text}, not measured", ("no launch counted yet",)
            )
        found.append((worst.package.selector, state))
    return sorted(found, key=lambda each: each[0])


def tables(rows: Iterable[Row]) -> Iterator[RankedTable]:
    """Rank rows by target: native time and emulated counts are never mixed."""
    targets: dict[str, list[Row]] = {}
    for row in rows:
        targets.setdefault(row.result.cell.target, []).append(row)
    for target, own in targets.items():
        unit = unit_of(own)
        found = ranking([entrant(row, unit) for row in own], exact=unit.exact)
        yield RankedTable(target, tuple(own), unit, found)
