# SPDX-License-Identifier: MIT
"""What tables show of each kind of package that is measured cell by cell, and ranked rows.

A kind is data: its sizes and its metrics. The tables that all kinds share are made in
`report/cells.py`.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct

from assay.grouped import grouped
from assay.model import PackageKind
from assay.report.printable import printable
from assay.report.table import CellLook, Column, decimals
from assay.stats.places import Place
from assay.summary.ranks import Ranking, ranking
from assay.summary.rows import COLUMNS, LONG, SHORT, Row, in_one_unit

# Which figures of stream ciphers a narrow terminal leaves out, in which order.
SPARE = {
    "agility": 3,
    "packet/1500": 4,
    "packet/576": 5,
    "setup/iv": 6,
    "setup/key": 7,
    "imix": 9,
    "packet/40": 11,
}


# What departs from the API so that a reader of figures must know of it.
NAMED_QUIRKS = frozenset({"quirk/std-option", "quirk/std-expansion"})


class Metric(Struct, frozen=True):
    """A column of figures: those whose measure begins with `begins`."""

    key: str
    heading: str
    begins: str
    digits: int = 2
    spare: int = 0

    @property
    def column(self) -> Column:
        """Return its column, left out of a terminal's table where nothing was measured."""
        return Column(
            self.key, self.heading, True, decimals(self.digits),
            optional=bool(self.spare), spare=self.spare, of=lambda line: self.value(line.row),
        )  # fmt: skip

    def value(self, row: Row) -> float | None:
        """Return the number of a row; None where it was not measured."""
        if self.key == "imix":
            return row.imix
        figure = row.beginning(self.begins)
        return None if figure is None else figure.rate


class CellKind(Struct, frozen=True):
    """What tables of a kind of package show; the first metric is the one that ranks.

    `units` says what figures are in, `clock` being what was counted. `page` is the template of
    the page that a cell has at each of its sizes, if it has.
    """

    kind: PackageKind
    name: str
    sizes: tuple[Column, ...]
    metrics: tuple[Metric, ...]
    units: str
    page: str = ""


def _size(key: str, heading: str, spare: int) -> Column:
    of = "row.digest_bits" if key == "digest_bits" else f"row.sizes.{key}"
    return Column(
        key, heading, number=True, optional=True, spare=spare, look=CellLook.COUNT, of=of
    )


STREAMS = CellKind(
    PackageKind.STREAM,
    "stream ciphers",
    (_size("key_bits", "Key", 13), _size("iv_bits", "IV", 12), _size("mac_bits", "MAC", 8)),
    tuple(Metric(key, text, key, spare=SPARE.get(key, 0)) for text, key in COLUMNS.items()),
    "{clock}/byte, setups {clock}/setup",
    page="speed.txt.j2",
)
HASHES = CellKind(
    PackageKind.HASH,
    "hashes",
    (_size("digest_bits", "Digest", 13),),
    (Metric("long", "Long", LONG), Metric("short", "32 bytes", SHORT, digits=0)),
    "long: {clock}/byte; 32 bytes: {clock}/hash",
)
KINDS: Mapping[PackageKind, CellKind] = MappingProxyType(
    {one.kind: one for one in (STREAMS, HASHES)}
)


class RankedTable(Struct, frozen=True):
    """Rows that may be compared: of one target, and in one unit."""

    target: str
    rows: tuple[Row, ...]
    ranking: Ranking

    @property
    def clock(self) -> str:
        """Name what was counted of all rows."""
        return next(one.unit for row in self.rows for one in row.figures.values())

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
    return (subject and subject.title) or row.result.package.primitive


def tables(rows: Iterable[Row]) -> Iterator[RankedTable]:
    """Rank rows by target: native time and emulated counts are never mixed."""
    for target, own in grouped((row.result.cell.target, row) for row in rows).items():
        alike = in_one_unit(own)
        yield RankedTable(target, alike, ranking([row.entrant for row in alike]))
