# SPDX-License-Identifier: MIT
"""The rows of the tables: a cell at one size choice, and which of them is best."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from assay.model import CellResult, PackageRole, SizeChoice
from assay.model.apis import LONG_STREAM
from assay.model.series import Series
from assay.stats.rates import IMIX, imix_per_byte

STREAM = LONG_STREAM
LONG, SHORT = "long/", "short/"  # of hashes; what follows is the size of the digest in bits
AGILITY = "agility"
KEY_SETUP = "setup/key"
IV_SETUP = "setup/iv"

# Heading and key of every column with a number, in the HOWTO's order.
COLUMNS = {
    "Stream": STREAM,
    "40 bytes": "packet/40",
    "576 bytes": "packet/576",
    "1500 bytes": "packet/1500",
    "Imix": "imix",
    "Agility": AGILITY,
    "Key setup": KEY_SETUP,
    "IV setup": IV_SETUP,
}


class Detail(StrEnum):
    """How much a table shows: the best of each primitive, of each package, or all there is."""

    PRIMITIVES = "primitives"
    PACKAGES = "packages"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Row:
    """One cell at one size choice, with its figures by measure."""

    result: CellResult
    sizes: SizeChoice
    figures: Mapping[str, Series]

    @property
    def benchmark(self) -> bool:
        """Return whether the package is there for comparison only."""
        return self.result.package.role is PackageRole.BENCHMARK

    @property
    def rate(self) -> Series | None:
        """Return the figure that ranks: of the long stream, or of a hash's long message."""
        return self.figures.get(STREAM) or self.beginning(LONG)

    def beginning(self, name: str) -> Series | None:
        """Return the figure whose measure begins with a name."""
        return next((one for key, one in self.figures.items() if key.startswith(name)), None)

    @property
    def launches(self) -> int:
        """The number of launches behind the figures."""
        return min((len(figure.points) for figure in self.figures.values()), default=0)

    @property
    def imix(self) -> float | None:
        """Weigh the three packet lengths; None unless all were measured."""
        packets = {size: self.figures.get(f"packet/{size}") for size in IMIX}
        return weighed({size: one.rate for size, one in packets.items() if one is not None})

    @property
    def order(self) -> tuple[bool, bool, float, bool]:
        """Sort by the stream rate in core cycles (ticks where those are not known).

        Unmeasured rows come last, and before them those that dropped out of a race, whose
        figures may be lucky; measured ones come before those that share their code.
        """
        stream = self.rate
        rate = stream.rate if stream else 0.0
        dropped = self.result.dropped is not None
        return (stream is None, dropped, rate, self.result.shared_with is not None)


def rows_of(result: CellResult) -> tuple[Row, ...]:
    """Make one row per size choice that was measured, in the order of measuring."""
    by_sizes: dict[SizeChoice, dict[str, Series]] = {}
    for figure in result.figures:
        by_sizes.setdefault(figure.sizes, {})[figure.measure] = figure
    return tuple(Row(result, sizes, figures) for sizes, figures in by_sizes.items())


def all_rows(results: Iterable[CellResult]) -> tuple[Row, ...]:
    """Make the rows of all cells, sorted by the stream rate."""
    return tuple(sorted((row for each in results for row in rows_of(each)), key=_order))


def best_rows(results: Iterable[CellResult]) -> tuple[Row, ...]:
    """Keep the best row per package, size choice and target, sorted by the stream rate.

    Cells that failed compete only against each other: a wrong implementation
    never hides a right one.
    """
    best: dict[tuple[str, SizeChoice, str, bool], Row] = {}
    for row in all_rows(results):
        cell = row.result
        key = (cell.package.place, row.sizes, cell.cell.target, cell.failed)
        best.setdefault(key, row)
    sound = {key[:3] for key in best if not key[3]}
    return tuple(row for key, row in best.items() if not key[3] or key[:3] not in sound)


def leading_rows(results: Iterable[CellResult]) -> tuple[Row, ...]:
    """Keep one row per primitive and target: its fastest package at its largest sizes.

    A package whose cells all failed counts only where a primitive has no other.
    """
    largest: dict[tuple[str, str], SizeChoice] = {}
    rows = best_rows(results)
    for row in rows:
        key = (row.result.package.place, row.result.cell.target)
        largest[key] = max(largest.get(key, row.sizes), row.sizes, key=SizeChoice.bits)
    best: dict[tuple[str, str], Row] = {}
    for row in sorted(rows, key=lambda row: row.result.failed):
        package, target = row.result.package, row.result.cell.target
        if row.sizes == largest[package.place, target]:
            best.setdefault((package.primitive, target), row)
    return tuple(sorted(best.values(), key=_order))


def winning_tags(results: Iterable[CellResult]) -> dict[str, int]:
    """Count, per tag, the packages and sizes whose fastest sound cell it made."""
    rows = best_rows(results)
    wins = (
        r.result.configuration.tag for r in rows if not r.result.failed and STREAM in r.figures
    )
    return dict(Counter(wins))


def in_one_unit(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows of a table as they were counted; in ticks unless all know core cycles."""
    known = tuple(rows)
    units = {figure.unit for row in known for figure in row.figures.values()}
    if len(units) < 2:
        return known
    return tuple(
        replace(row, figures={key: one.in_ticks() for key, one in row.figures.items()})
        for row in known
    )


def weighed(packets: Mapping[int, float]) -> float | None:
    """Weigh rates of the three packet lengths; None unless all are known."""
    known = {size: rate * size for size, rate in packets.items()}
    return imix_per_byte(known) if len(known) == len(IMIX) else None


def _order(row: Row) -> tuple[bool, bool, float, bool]:
    """Return the sort key of a row."""
    return row.order
