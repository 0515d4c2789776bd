# SPDX-License-Identifier: MIT
"""The one table: what every kind of result is put into, and what every format prints.

Rows are data and columns know how a reader sees them, so that a format needs to know neither
ciphers nor operations, code sizes or comparisons.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from assay.model import Direction
from assay.report.printable import printable
from assay.stats.places import Place

NONE = "-"


class Style(StrEnum):
    """What a row, a cell or a note means; each format has its own way to show it."""

    PLAIN = ""
    PASS = "pass"
    OPEN = "open"
    FAIL = "fail"
    UNKNOWN = "unknown"
    FASTER = "faster"
    SLOWER = "slower"
    NOTE = "note"
    LEAD = "lead"


def words(value: object) -> str:
    """Write a value; a dash where there is none."""
    return NONE if value is None or value == "" else printable(str(value))


def decimals(digits: int) -> Callable[[float | None], str]:
    """Return a writer of numbers with this many decimals."""
    return lambda value: NONE if value is None else f"{value:.{digits}f}"


def _rounded(value: Any, digits: int | None) -> Any:
    return value if digits is None or value is None else round(value, digits)


def unstyled(_: Mapping[str, Any]) -> Style:
    """Return no style, whatever the values."""
    return Style.PLAIN


@dataclass(frozen=True, slots=True)
class Column:
    """One column: `key` names it to programs, `heading` to readers.

    A column without a heading is for programs alone, and one that is not `exported` for
    readers. The values of a row choose the `style` of a cell. `whole` text is never broken,
    as numbers are not. An `optional` column is left out where no row says anything. A narrow
    terminal leaves out those with `spare`, the smallest number first. Programs get
    numbers with `digits` behind the point.
    """

    key: str
    heading: str = ""
    number: bool = False
    text: Callable[[Any], str] = words
    style: Callable[[Mapping[str, Any]], Style] = unstyled
    whole: bool = False
    optional: bool = False
    spare: int = 0
    exported: bool = True
    digits: int | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """Values by the keys of columns; rows of different groups are apart."""

    values: Mapping[str, Any]
    style: Style = Style.PLAIN
    group: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """A line above or below tables."""

    text: str
    style: Style = Style.NOTE


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that may be compared, in one unit.

    `facts` hold for every row: they are the table's own in JSON, and columns in CSV.
    `places` are those of the rows, as their column `place` has them.
    """

    title: str
    unit: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    direction: str = Direction.LOWER.value
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def heading(self) -> str:
        """Describe what the table shows, in what unit, and which way is better."""
        apart = ";" if "," in self.unit else ","
        unit = f"{self.unit}{apart} {self.direction}" if self.unit else ""
        return printable(": ".join(part for part in (self.title, unit) if part))

    @property
    def places(self) -> tuple[Place | None, ...]:
        """Return the place of each row; None for what is not ranked."""
        return tuple(row.values.get("place") for row in self.rows)

    @property
    def shown(self) -> tuple[Column, ...]:
        """Return what a reader sees if there is room: columns that say something."""
        return tuple(
            column
            for column in self.columns
            if column.heading
            and not (
                column.optional and all(self.text(row, column) in {NONE, ""} for row in self.rows)
            )
        )

    @property
    def exported(self) -> tuple[Column, ...]:
        """Return what programs get."""
        return tuple(column for column in self.columns if column.exported)

    @property
    def shared(self) -> dict[str, Any]:
        """Return what holds for every row."""
        return {"unit": self.unit, "direction": self.direction, **self.facts}

    def record(self, row: TableRow) -> dict[str, Any]:
        """Return what programs get of a row, by key; what all rows share is not in it."""
        return {
            one.key: _rounded(row.values[one.key], one.digits)
            for one in self.exported
            if one.key in row.values
        }

    def text(self, row: TableRow, column: Column) -> str:
        """Write a cell as a reader sees it."""
        return column.text(row.values.get(column.key, self.shared.get(column.key)))


@dataclass(frozen=True, slots=True)
class Report:
    """What a command prints: tables with lines above and below them.

    `facts` are what JSON has besides the tables.
    """

    tables: tuple[Table, ...]
    above: tuple[Note, ...] = ()
    below: tuple[Note, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __add__(self, other: "Report") -> "Report":
        """Put another report's tables and lines behind one's own."""
        return Report(
            self.tables + other.tables,
            self.above + other.above,
            self.below + other.below,
            {**other.facts, **self.facts},
        )
