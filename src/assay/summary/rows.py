# SPDX-License-Identifier: MIT
"""The rows of the tables: a cell at one size choice, and which of them is best."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from assay.grouped import grouped
from assay.model import Cell, PackageRole, SizeChoice
from assay.model.apis import LONG_STREAM
from assay.model.series import Series
from assay.stats.summary import IMIX, imix_per_byte
from assay.summary.ranks import Entrant, Order, best_of, entrant_of, is_lucky
from assay.summary.series import CellResult

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


class Row(Struct, frozen=True):
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
    def digest_bits(self) -> int | None:
        """Return the size of a hash's digest."""
        long = self.beginning(LONG)
        return int(long.measure.removeprefix(LONG)) if long else None

    @property
    def launches(self) -> int:
        """The number of launches behind the figures."""
        return min((len(figure.points) for figure in self.figures.values()), default=0)

    @property
    def imix(self) -> float | None:
        """Weigh the three packet lengths; None unless all were measured."""
        return imix_of({measure: one.rate for measure, one in self.figures.items()})

    @property
    def key(self) -> tuple[Cell, SizeChoice]:
        """Name the row of a table."""
        return self.result.cell, self.sizes

    @property
    def entrant(self) -> Entrant | None:
        """Enter the row by the figure that ranks; None if it failed, or was not measured."""
        if self.rate is None or self.result.failed:
            return None
        return entrant_of(self.rate, dropped=self.result.dropped is not None)

    @property
    def order(self) -> Order:
        """Sort by the stream rate in core cycles (ticks where those are not known).

        What failed comes last, before it what was not measured, and before that what dropped out
        of a race, whose figures may be lucky. Measured rows come before those that share their
        code.
        """
        cell, rate = self.result, self.rate.rate if self.rate else 0.0
        level = (cell.failed, self.rate is None, cell.dropped is not None)
        return level, (rate, cell.shared_with is not None)


def rows_of(result: CellResult) -> tuple[Row, ...]:
    """Make one row per size choice that was measured, in the order of measuring."""
    by_sizes: dict[SizeChoice, dict[str, Series]] = {}
    for figure in result.figures:
        by_sizes.setdefault(figure.sizes, {})[figure.measure] = figure
    return tuple(Row(result, sizes, figures) for sizes, figures in by_sizes.items())


def chosen_rows(
    results: Iterable[CellResult], detail: Detail, *, few: bool = False
) -> tuple[Row, ...]:
    """Keep the best row of each slot on each target, sorted by the stream rate.

    It is one for each package and size choice, or for each primitive: its fastest package at its
    largest sizes. Cells that failed count only where there are no others: a wrong implementation
    never hides a right one. Those of `few` launches count like others where they may get more.
    """
    rows = [row for each in results for row in rows_of(each)]
    if detail is Detail.PRIMITIVES:
        sizes = grouped((_place(row), row.sizes) for row in rows)
        largest = {place: max(known, key=SizeChoice.bits) for place, known in sizes.items()}
        rows = [row for row in rows if row.sizes == largest[_place(row)]]
    return tuple(best_of(rows, SLOTS[detail], lambda row: row.order,
                         lambda row: not few and is_lucky(row.rate)))  # fmt: skip


def _place(row: Row) -> tuple[str, str]:
    """Return where a package is, and its target."""
    return row.result.package.place, row.result.cell.target


SLOTS: Mapping[Detail, Callable[[Row], object]] = MappingProxyType(
    {
        Detail.PRIMITIVES: lambda row: (row.result.package.primitive, row.result.cell.target),
        Detail.PACKAGES: lambda row: (_place(row), row.sizes),
        Detail.EVERYTHING: lambda row: row.key,
    }
)


def winning_tags(results: Iterable[CellResult]) -> dict[str, int]:
    """Count, per tag, the packages and sizes whose fastest sound cell it made."""
    rows = chosen_rows(results, Detail.PACKAGES)
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


def imix_of(rates: Mapping[str, float]) -> float | None:
    """Weigh the three packet lengths, given rates by measure; None unless all are known."""
    known = {size: size * rates[name] for size in IMIX if (name := f"packet/{size}") in rates}
    return imix_per_byte(known) if len(known) == len(IMIX) else None
