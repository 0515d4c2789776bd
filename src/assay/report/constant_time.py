# SPDX-License-Identifier: MIT
"""Tables of `assay ct`: which configurations of a package leak secrets, where, and by what."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from assay.grouped import grouped
from assay.model.secrets import ConfigurationLeaks, TriedCure
from assay.report.table import CellLook, Column, Note, Report, Style, Table, TableRow, listed

FROM = 2  # levels of the ladder that are written as one
PACKAGE = Column("package")
LADDER = ("-O0", "-O1", "-O2", "-O3", "-Ofast")  # each does what the one before does, and more


def leak_report(
    title: str, rows: Sequence[ConfigurationLeaks], tried: Sequence[TriedCure] = ()
) -> Report:
    """Return the matrix of a package's variant, the places that leak, and what cures them."""
    below = tuple(Note(f"{title}: {one}") for one in (*_unexamined(rows), *_in_vain(tried)))
    tables = (_matrix(title, rows), _places(title, rows), _cures(title, tried))
    return Report((tables[0], *(one for one in tables[1:] if one.rows)), below=below)


def _matrix(title: str, rows: Sequence[ConfigurationLeaks]) -> Table:
    """Return compilers by levels."""
    levels = tuple(dict.fromkeys(one.level for one in rows))
    columns = (
        PACKAGE,
        Column("compiler", "Compiler", whole=True),
        *(Column(level, level, look=CellLook.PROSE) for level in levels),
    )
    said = {(one.compiler, one.level): one for one in rows}
    lines = tuple(
        TableRow(
            {"compiler": name} | {lv: said[name, lv].said for lv in levels if (name, lv) in said},
            _style([one for one in rows if one.compiler == name]),
        )
        for name in dict.fromkeys(one.compiler for one in rows)
    )
    codes = len({one.code for one in rows if one.code})
    asked = f"{len(rows)} configuration{'s' * (len(rows) != 1)}"
    counted = f"{asked}, {codes} object code{'s' * (codes != 1)}"
    facts = {"package": title}
    return Table(f"{title}: {counted}", "", columns, lines, direction="", facts=facts)


def _style(rows: Sequence[ConfigurationLeaks]) -> Style:
    if any(one.leaks for one in rows):
        return Style.FAIL
    return Style.PASS if all(one.whole for one in rows) else Style.UNKNOWN


def _places(title: str, rows: Sequence[ConfigurationLeaks]) -> Table:
    """Return each place once, with the configurations in which it leaks."""
    where = grouped(
        ((one.kind, one.place), (row, one.instruction, reason))
        for row in rows
        for one, reason in (*((leak, "") for leak in row.leaks), *row.accepted)
    )
    found = ((*place, _named([row for row, *_ in leaking], rows), *leaking[0][1:])
             for place, leaking in where.items())  # fmt: skip
    return _of_places(
        title,
        "places",
        found,
        Column("configurations", "Configurations"),
        Column("instruction", "Instruction", look=CellLook.CODE),
        Column("accepted", "Accepted", optional=True),
    )


def _of_places(title: str, what: str, found: Iterable[tuple[str, ...]], *columns: Column) -> Table:
    """Make a table whose rows begin with the kind and the place of a leak."""
    place = (Column("kind", "Kind", whole=True), Column("place", "Place"))
    table = listed(found, *place, *columns, title=f"{title}: {what}")
    return replace(table, columns=(PACKAGE, *table.columns), facts={"package": title})


def _named(found: Sequence[ConfigurationLeaks], rows: Sequence[ConfigurationLeaks]) -> str:
    """Name configurations: all of them, or compilers with their levels."""
    if len(found) == len(rows):
        return "all"
    parts = []
    for name in dict.fromkeys(one.compiler for one in found):
        mine = [one.level for one in found if one.compiler == name]
        known = [one.level for one in rows if one.compiler == name]
        every = len(mine) == len(known)
        parts.append(name if every else f"{name} {_levels(mine, known)}")
    return ", ".join(parts)


def _levels(found: Sequence[str], known: Sequence[str]) -> str:
    """Name levels: from one of them on, and others."""
    ladder = [one for one in LADDER if one in known]
    start = next((at for at in range(len(ladder)) if set(ladder[at:]) <= set(found)), len(ladder))
    if len(ladder) - start < FROM:
        return " ".join(found)
    others = [one for one in found if one not in ladder[start:]]
    return " ".join((*others, f"from {ladder[start]} on"))


def _cures(title: str, tried: Sequence[TriedCure]) -> Table:
    """Return each option that takes a place away, what it turns off, and its price."""
    found = (
        (leak.kind, leak.place, f"{one.compiler} {one.level}", one.option, one.undoes,
         one.price, one.source)
        for one in tried
        for leak in one.cured
    )  # fmt: skip
    return _of_places(
        title,
        "cures",
        found,
        Column("configuration", "Configuration"),
        Column("option", "Cured by", look=CellLook.CODE),
        Column("undoes", "What it turns off"),
        Column("price", "Price", optional=True),
        Column("source", "Source"),
    )


def _in_vain(tried: Sequence[TriedCure]) -> Iterator[str]:
    """Name the options that cured nothing in a configuration, or could not be tried."""
    for where in dict.fromkeys((one.compiler, one.level) for one in tried):
        mine = [one for one in tried if (one.compiler, one.level) == where]
        for why in dict.fromkeys(one.problem for one in mine if not one.cured):
            options = ", ".join(one.option for one in mine if not one.cured and one.problem == why)
            said = f"not tried: {why}" if why else "cures nothing"
            yield f"{' '.join(where)} with {options}: {said}"


def _unexamined(rows: Sequence[ConfigurationLeaks]) -> Iterator[str]:
    """Explain why configurations were not examined, or not to the end."""
    reasons = grouped((one.problem, one) for one in rows if one.problem)
    for reason, found in reasons.items():
        yield f"not examined to the end ({_named(found, rows)}): {reason}"
    kinds = grouped((each, one) for one in rows for each in one.left_out)
    others = grouped(((reason, tuple(found)), kind) for (kind, reason), found in kinds.items())
    for (reason, where), names in others.items():
        yield f"{', '.join(names)} not looked for ({_named(where, rows)}): {reason}"
