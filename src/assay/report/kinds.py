# SPDX-License-Identifier: MIT
"""What tables show of each kind of package that is measured cell by cell.

A kind is data: its sizes and its metrics. The tables that all kinds share are made in
`report/cells.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from assay.model import PackageKind
from assay.model.series import Series
from assay.report.table import CellLook, Column, decimals
from assay.summary.rows import COLUMNS, LONG, SHORT, Row
from assay.summary.unit import Unit

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


@dataclass(frozen=True, slots=True)
class Metric:
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
            optional=bool(self.spare), spare=self.spare,
        )  # fmt: skip

    def value(self, row: Row, unit: Unit) -> float | None:
        """Return the number of a row; None where it was not measured."""
        if self.key == "imix":
            return row.imix(unit)
        figure = row.beginning(self.begins)
        return None if figure is None else unit.value(figure)


@dataclass(frozen=True, slots=True)
class CellKind:
    """What tables of a kind of package show; the first metric is the one that ranks.

    `units` says what figures are in, `clock` being what was counted.
    """

    kind: PackageKind
    name: str
    sizes: tuple[Column, ...]
    metrics: tuple[Metric, ...]
    units: str


def per_unit(unit: Unit, figure: Series) -> str:
    """Name the unit of one figure: `cycles/byte`, `cycles/setup`, `cycles/hash`."""
    return f"{unit.clock}/{figure.work_unit}"


def _size(key: str, heading: str, spare: int) -> Column:
    return Column(key, heading, number=True, optional=True, spare=spare, look=CellLook.COUNT)


STREAMS = CellKind(
    PackageKind.STREAM,
    "stream ciphers",
    (_size("key_bits", "Key", 13), _size("iv_bits", "IV", 12), _size("mac_bits", "MAC", 8)),
    tuple(Metric(key, text, key, spare=SPARE.get(key, 0)) for text, key in COLUMNS.items()),
    "{clock}/byte, setups {clock}/setup",
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
