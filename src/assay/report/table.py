# SPDX-License-Identifier: MIT
"""The one table: what every kind of result is put into, and what every format prints.

Rows are data and columns know how a reader sees them, so that a format needs to know neither
ciphers nor operations, code sizes or comparisons.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from types import MappingProxyType
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from assay.errors import UsageError
from assay.model import Direction
from assay.report.printable import printable
from assay.stats.places import Place
from assay.stats.shift import Interval

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
    BENCHMARK = "benchmark"


class CellLook(StrEnum):
    """How pages set the text of a column."""

    NAME = "name"
    CODE = "compiler"
    PROSE = "text"
    SOFT = "soft"
    COUNT = "size"
    FIGURE = "cycles"
    PROFILE = "profile"
    VARIANT = "variant"
    PLAIN = ""


class Note(Struct, frozen=True):
    """A line above or below tables, or below the words of a cell."""

    text: str
    style: Style = Style.NOTE


class More(Struct, frozen=True):
    """What a cell has besides its words, for formats that can show it.

    `link` is where the words lead on a page. `below` stands in lines of its own in every
    format for readers.
    """

    link: str = ""
    below: tuple[Note, ...] = ()


NOTHING_MORE = More()


def words(value: object) -> str:
    """Write a value; a dash where there is none."""
    return NONE if value is None or value == "" else printable(str(value))


def decimals(digits: int) -> Callable[[float | None], str]:
    """Return a writer of numbers with this many decimals."""
    return lambda value: NONE if value is None else f"{value:.{digits}f}"


def figure_text(value: float | None) -> str:
    """Write a figure: two decimals as the slides do, none where they would be noise."""
    if value is None:
        return NONE
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def span(interval: Interval) -> str:
    """Write an interval, as positive percentages."""
    low, high = sorted((abs(interval.low_percent), abs(interval.high_percent)))
    return f"{digits(low)} to {digits(high)} %"


def digits(percent: float) -> str:
    """Write a percentage: two digits, more where it is large."""
    behind = 0 if percent >= 99.5 else 1 if percent >= 1 else 2
    return f"{percent:.{behind}f}"


class Column(Struct, frozen=True):
    """One column: `key` names it to programs, `heading` to readers.

    A column without a heading is for programs alone, and one that is not `exported` for
    readers. The values of a row choose the `style` of a cell, and what it has `more` than
    words. `whole` text is never broken, as numbers are not. An `optional` column is left out
    where no row says anything. A narrow terminal leaves out those with `spare`, the smallest
    number first. Programs get numbers with `digits` behind the point. Pages set it as `look`
    says, and explain its heading by the `hint`. What it has `of` a record is what the key names,
    unless other names, one in another, or a function say it; nothing what all rows share.
    """

    key: str
    heading: str = ""
    number: bool = False
    text: Callable[[Any], str] = words
    style: Callable[[Mapping[str, Any]], Style] = lambda _: Style.PLAIN
    whole: bool = False
    optional: bool = False
    spare: int = 0
    exported: bool = True
    digits: int | None = None
    more: Callable[[Mapping[str, Any]], More] = lambda _: NOTHING_MORE
    look: CellLook | None = None
    hint: str = ""
    of: Callable[[Any], Any] | str | None = ""

    @property
    def setting(self) -> CellLook:
        """Return how pages set it, chosen by what is in it unless `look` says so."""
        if self.look is not None:
            return self.look
        if self.number:
            return CellLook.FIGURE
        return CellLook.NAME if self.whole else CellLook.SOFT


class TableRow(Struct, frozen=True):
    """Values by the keys of columns; rows of different groups are apart."""

    values: Mapping[str, Any]
    style: Style = Style.PLAIN
    group: str = ""


class Table(Struct, frozen=True):
    """Rows that may be compared, in one unit.

    `facts` hold for every row: they are the table's own in JSON, and columns in CSV.
    `places` are those of the rows, as their column `place` has them. Where rows are of several
    groups, each stands below its heading in `groups`, and has places of its own. `charted` is
    the key of the figure that a picture shows, and `lead` says what the table answers.
    """

    title: str
    unit: str
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()
    direction: str = Direction.LOWER.value
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    charted: str = ""
    lead: str = ""

    @property
    def sections(self) -> tuple[tuple[str, tuple[TableRow, ...]], ...]:
        """Return the groups of rows, each with its heading; one group needs none."""
        found = [(key, tuple(rows)) for key, rows in groupby(self.rows, key=lambda row: row.group)]
        if len(found) < 2:
            return (("", self.rows),)
        return tuple((printable(self.groups.get(key, "")), rows) for key, rows in found)

    @property
    def heading(self) -> str:
        """Describe what the table shows, in what unit, and which way is better."""
        apart = ";" if "," in self.unit else ","
        unit = f"{self.unit}{apart} {self.direction}" if self.unit else ""
        return printable(": ".join(part for part in (self.title, unit) if part))

    @property
    def charted_unit(self) -> str:
        """Return the unit of the figure that is charted, or its heading where there is none."""
        heading = next((one.heading for one in self.columns if one.key == self.charted), "")
        return self.unit.partition(",")[0].partition(";")[0].rpartition(": ")[2] or heading

    @property
    def rated(self) -> tuple[TableRow, ...]:
        """Return the rows that have a figure to chart and did not fail."""
        sound = (row for row in self.rows if row.style is not Style.FAIL)
        return tuple(row for row in sound if (row.values.get(self.charted) or 0) > 0)

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

    def fitting(self, fits: Callable[[tuple[Column, ...]], bool]) -> tuple[Column, ...]:
        """Return the columns that fit: those with `spare` are left out until the rest does."""
        kept = self.shown
        for column in sorted((one for one in kept if one.spare), key=lambda one: one.spare):
            if fits(kept):
                break
            kept = tuple(one for one in kept if one is not column)
        return kept

    @property
    def exported(self) -> tuple[Column, ...]:
        """Return what programs get."""
        return tuple(column for column in self.columns if column.exported)

    @property
    def names(self) -> tuple[str, ...]:
        """Return what columns can be called: headings, and keys where they differ."""
        each = ((one.heading, one.key) for one in self.columns)
        return tuple(dict.fromkeys(name for pair in each for name in pair if name))

    def with_columns(self, wanted: Sequence[str], *, programs: bool) -> "Table":
        """Keep the columns with these names, in their order; of two with one name the better one.

        Programs get what is exported, and readers what has a heading.
        """
        found: list[Column] = []
        for name in wanted:
            called = [
                one for one in self.columns if name in (one.key.casefold(), one.heading.casefold())
            ]
            called.sort(key=lambda one: not (one.exported if programs else one.heading))
            found += map(_chosen, called[:1])
        return replace(self, columns=tuple(found))

    @property
    def shared(self) -> dict[str, Any]:
        """Return what holds for every row."""
        return {"unit": self.unit, "direction": self.direction, **self.facts}

    def record(self, row: TableRow) -> dict[str, Any]:
        """Return what programs get of a row, by key; what all rows share is not in it."""
        known = {one.key: (row.values[one.key], one.digits)
                 for one in self.exported if one.key in row.values}  # fmt: skip
        return {
            key: value if digits is None or value is None else round(value, digits)
            for key, (value, digits) in known.items()
        }

    def text(self, row: TableRow, column: Column) -> str:
        """Write a cell as a reader sees it."""
        return column.text(row.values.get(column.key, self.shared.get(column.key)))

    def lines(self, row: TableRow, column: Column) -> tuple[str, ...]:
        """Write a cell with what stands below its words."""
        below = column.more(row.values).below
        return (self.text(row, column), *(printable(note.text) for note in below))

    def sorted_by(self, row: TableRow, column: Column) -> object:
        """Return what sorts a row of a page; None where the words of the cell do.

        What is not known is empty, which is last.
        """
        if not column.number or _is_number(self.text(row, column)):
            return None
        value = row.values.get(column.key)
        return "" if value is None else value.first if isinstance(value, Place) else value


def numeric(
    key: str, heading: str, digits: int | None = None, *, optional: bool = False
) -> Column:
    """Return a column of numbers for readers alone, written as figures unless digits are given."""
    text = figure_text if digits is None else decimals(digits)
    return Column(key, heading, number=True, text=text, optional=optional, exported=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _chosen(column: Column) -> Column:
    """Return a column that somebody asked for: every format shows it."""
    heading = column.heading or column.key
    return replace(column, heading=heading, exported=True, optional=False, spare=0)


def listed(records: Iterable[object], *columns: Column, title: str = "", unit: str = "") -> Table:
    """Make a table of records that are no figures, unless there is a unit."""
    rows = tuple(TableRow(values_of(record, columns)) for record in records)
    return Table(title, unit, columns, rows, direction=Direction.LOWER.value if unit else "")


def values_of(record: object, columns: Sequence[Column]) -> dict[str, Any]:
    """Return what columns have of a record, by their keys; the parts of tuples are in turn."""
    if isinstance(record, tuple):
        return dict(zip([one.key for one in columns], record, strict=True))
    own = (one for one in columns if one.of is not None)
    return {one.key: _part(record, one.of or one.key) for one in own}


def _part(record: Any, of: Callable[[Any], Any] | str) -> Any:
    """Return a part of an object or mapping; None where there is nothing that could have it."""
    if not isinstance(of, str):
        return of(record)
    for name in of.split("."):
        if record is not None:
            record = record.get(name) if isinstance(record, Mapping) else getattr(record, name)
    return record


class Report(Struct, frozen=True):
    """What a command prints: tables with lines above and below them.

    `facts` are what JSON has besides the tables, and `origin` says where figures come from.
    """

    tables: tuple[Table, ...]
    above: tuple[Note, ...] = ()
    below: tuple[Note, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    origin: str = ""

    def __add__(self, other: "Report") -> "Report":
        """Put another report's tables, lines and lists of facts behind one's own."""
        both = {
            key: [*known, *other.facts[key]]
            for key, known in self.facts.items()
            if isinstance(known, list) and isinstance(other.facts.get(key), list)
        }
        return Report(
            self.tables + other.tables,
            tuple(dict.fromkeys(self.above + other.above)),
            tuple(dict.fromkeys(self.below + other.below)),
            {**other.facts, **self.facts, **both},
            self.origin or other.origin,
        )

    @property
    def led(self) -> "Report":
        """Return it with what its tables answer above them."""
        leads = (Note(one.lead, Style.LEAD) for one in self.tables if one.lead)
        return replace(self, above=(*leads, *self.above))

    def with_columns(self, names: Sequence[str], *, programs: bool) -> "Report":
        """Keep the columns with these names in their order: keys, or headings in any case.

        A table that has none of them is left out. UsageError for a name that no table has.
        """
        wanted = [name.strip().casefold() for name in names]
        known = [name for table in self.tables for name in table.names]
        for name in names:
            if self.tables and name.strip().casefold() not in map(str.casefold, known):
                listed = ", ".join(dict.fromkeys(known))
                raise UsageError(f"there is no column {name.strip()!a}", f"There are {listed}.")
        kept = (table.with_columns(wanted, programs=programs) for table in self.tables)
        return replace(self, tables=tuple(table for table in kept if table.columns))
