# SPDX-License-Identifier: MIT
"""Tables of machines, what costs trust in one, and results of several in one report.

Every table that the machines have in common, by title, unit and columns, becomes one. Rows of
one name stand below each other, and places are those on the machine of the row.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from assay.grouped import grouped
from assay.model import Finding, Launch, Machine, Trust
from assay.model.supercop import Source
from assay.report.leads import in_future, measured_on, winners
from assay.report.printable import natural, printable
from assay.report.table import (
    CellLook,
    Column,
    More,
    Note,
    Report,
    Style,
    Table,
    TableRow,
    decimals,
    listed,
)

MACHINE = Column("machine", "Machine", whole=True)
PLACES = "Places are those on the machine of the row; a rate in cycles hides the clock."
STYLES = {
    Trust.GOOD: Style.PASS,
    Trust.UNKNOWN: Style.UNKNOWN,
    Trust.COSTS: Style.OPEN,
    Trust.BADLY: Style.FAIL,
}
TRUST = {"A": Style.PASS, "B": Style.OPEN, "C": Style.FAIL}


class Measured(Struct, frozen=True):
    """One folder of results: `label` is the machine's name, alone among those shown."""

    label: str
    machine: Machine | None
    launches: Sequence[Launch]


def machine_names(machines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return what machines are called, by identity, given their hosts.

    Those of one name have the beginning of their identity behind it.
    """
    known = dict(machines)
    counts = Counter(known.values())
    return {identity: printable(f"{host} ({identity[:4]})" if counts[host] > 1 else host)
            for identity, host in known.items()}  # fmt: skip


def labels(names: Sequence[str], days: Iterable[str]) -> tuple[str, ...]:
    """Return a label for each folder, given the name of its machine and when its results begin.

    Of several of one machine each has the day, and a number where the days are alike, too.
    """
    found: list[str] = []
    for name, day in zip(names, days, strict=True):
        label = f"{name} {day}" if names.count(name) > 1 else name
        number = sum(one == label or one.startswith(f"{label} #") for one in found)
        found.append(f"{label} #{number + 1}" if number else label)
    return tuple(found)


def machines_table(
    measured: Sequence[Measured], today: date | None = None, published: Iterable[Source] = ()
) -> Table:
    """List machines: processor, clock, compilers, the doctor's class, and how old results are.

    Of imported ones no more is known than their lines say.
    """
    today = today or datetime.now(UTC).date()
    others = grouped((one.place, one.day) for one in published)
    ordered = sorted(others.items(), key=lambda item: natural(*item[0]))
    return listed(
        [*(_machine(one, today) for one in measured),
         *(_published(*each, sorted(days), today) for each, days in ordered)],
        MACHINE,
        Column("cpu", "Processor"),
        Column("architecture", "Architecture", spare=5),
        Column("mhz", "MHz", number=True, text=decimals(0)),
        Column("compilers", "Compilers", spare=7),
        Column("class", "Class", style=lambda row: TRUST.get(row["class"], Style.UNKNOWN),
               hint="assay doctor: A, nothing costs trust; B, something does; C, severely"),
        Column("virtualised", "Guest of", optional=True, spare=4),
        Column("system", "System", spare=3),
        Column("measured", "Measured", whole=True, spare=8),
        Column("age", "Age", whole=True),
        Column("launches", "Launches", number=True, spare=6, look=CellLook.COUNT),
        Column("assay", "Assay", spare=2),
        title="Machines",
    )  # fmt: skip


def findings_table(findings: Sequence[Finding]) -> Table:
    """List what costs trust in timings, what it costs and what to do; a row for each topic."""
    return listed(
        findings,
        Column("topic", "Topic", whole=True),
        Column("trust", "Verdict", style=lambda row: STYLES[row["trust"]]),
        Column("state", "Found", look=CellLook.PROSE, more=_costs),
        *map(Column, ("cost", "cure")),
    )


def _costs(row: Mapping[str, Any]) -> More:
    """State what a finding costs, and how to fix what costs trust."""
    cost = (Note(row["cost"]),) if row["cost"] else ()
    costly = row["cure"] and row["trust"] in {Trust.COSTS, Trust.BADLY}
    return More(below=(*cost, *((Note(row["cure"], Style.LEAD),) if costly else ())))


def together(
    reports: Sequence[tuple[Measured, Report]],
    published: Iterable[Source] = (),
    *,
    machines: bool = True,
) -> Report:
    """Put the reports of several machines into one, with the table of `machines` in front.

    In that stand `published` ones, too.
    """
    tables = grouped(
        ((table.title, table.unit, tuple(column.key for column in table.columns)),
         (one.label, table))
        for one, report in reports for table in report.tables
    )  # fmt: skip
    first = (machines_table([one for one, _ in reports], published=published),) if machines else ()
    return Report(
        (*first, *map(_merged, tables.values())),
        tuple(dict.fromkeys(note for _, one in reports for note in one.above)),
        tuple(_notes(reports)),
        _facts(reports),
        " ".join(dict.fromkeys(one.origin for _, one in reports if one.origin)),
    )


def _machine(one: Measured, today: date) -> Mapping[str, Any]:
    """Describe one machine."""
    known = one.machine
    days = [launch.started_at[:10] for launch in one.launches]
    return {
        "machine": one.label,
        **{
            key: known and getattr(known, key)
            for key in ("cpu", "architecture", "mhz", "virtualised", "system", "assay")
        },
        "compilers": ", ".join(known.compilers) if known else None,
        "class": known and known.trust_class,
        "measured": measured_on(one.launches) or None,
        "age": _age(max(days), today) if days else None,
        "launches": len(days),
    }


def _age(day: str, today: date) -> str:
    """Return how long ago a day was; clocks of two machines may disagree."""
    if in_future(day, today):
        return "in the future: a clock is wrong"
    try:
        days = (today - date.fromisoformat(day)).days
    except ValueError:
        return "unknown"
    return "today" if days < 1 else f"{days} days" if days > 1 else "1 day"


def _published(
    machine: str, abi: str, version: str, days: Sequence[str], today: date
) -> Mapping[str, Any]:
    """Describe a machine of imported lines."""
    return {
        "machine": machine,
        "architecture": abi,
        "measured": " to ".join(dict.fromkeys((days[0], days[-1]))),
        "age": _age(days[-1], today),
        "assay": f"imported: {version}",
    }


def _merged(tables: Sequence[tuple[str, Table]]) -> Table:
    """Make one table of those of several machines; one that a single machine has names it, too."""
    first = tables[0][1]
    rows = [(label, row) for label, table in tables for row in table.rows]
    order: dict[str, int] = {}
    for _, row in rows:
        order.setdefault(_name(row), len(order))
    rows.sort(key=lambda pair: (pair[1].style is Style.FAIL, order[_name(pair[1])]))
    place = next((n for n, one in enumerate(first.columns) if one.key == "place"), -1) + 1
    columns = (*first.columns[:place], MACHINE, *first.columns[place:])
    notes = tuple(dict.fromkeys(note for _, table in tables for note in table.notes))
    ranked = any(place is not None for place in first.places)
    said = winners(_firsts(tables), first.charted_unit)
    return replace(
        first,
        columns=columns,
        rows=tuple(_labelled(label, row) for label, row in rows),
        notes=(*notes, *((PLACES,) if ranked else ())),
        lead=f"{first.title}: {said}" if said else "",
    )


def _firsts(tables: Sequence[tuple[str, Table]]) -> Iterator[tuple[str, str, float, bool]]:
    """Yield the first row of each machine that did not fail, and whether it is first alone."""
    for label, table in tables:
        for row in table.rated[:1]:
            place = row.values.get("place")
            alone = place is not None and place.first == place.last
            name = row.values.get("package") or _name(row)
            yield label, name, row.values[table.charted], alone


def _labelled(label: str, row: TableRow) -> TableRow:
    """Add the machine to a row; in a chart its name has it, and no places join machines."""
    names = {key: f"{row.values[key]}, {label}" for key in ("name",) if row.values.get(key)}
    return replace(row, values={**row.values, **names, "machine": label, "charted_place": ""})


def _name(row: TableRow) -> str:
    return str(row.values.get("primitive") or row.values.get("name") or "")


def _notes(reports: Sequence[tuple[Measured, Report]]) -> Iterable[Note]:
    """Yield the lines below, those that only some machines have with their names."""
    for note in dict.fromkeys(note for _, one in reports for note in one.below):
        having = [one.label for one, report in reports if note in report.below]
        if len(having) == len(reports):
            yield note
        else:
            yield replace(note, text=f"{', '.join(having)}: {note.text}")


def _facts(reports: Sequence[tuple[Measured, Report]]) -> Mapping[str, Any]:
    """Return what programs get of each machine besides its tables."""
    found = [{"label": one.label, **report.facts} for one, report in reports]
    return MappingProxyType({"machines": found})
