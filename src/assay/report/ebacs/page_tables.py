# SPDX-License-Identifier: MIT
"""The tables of the site's pages: those of the terminal with links, and what was tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from assay.report.ebacs.machines import CompilerUse
from assay.report.ebacs.options import TriedImplementation, Try
from assay.report.ebacs.ranking import LEAGUE_NOTE, SlideTable
from assay.report.ebacs.records import Provenance
from assay.report.ebacs.tables import slide_table
from assay.report.table import (
    NONE,
    Badge,
    CellLook,
    Column,
    More,
    Style,
    Table,
    TableRow,
    decimals,
)

NEVER, WINNER = "never sound", "winner"
FASTEST, UNCOMPARED = "fastest", "correctness not compared"
TITLES = {"text": "text", "data": "data", "bss": "bss"}


@dataclass(frozen=True, slots=True)
class OperationSummary:
    """What the first page says of an operation."""

    name: str
    folder: str
    primitives: int
    implementations: int
    tried: int
    sound: int
    places: tuple[Provenance, ...]


def operations_table(operations: Sequence[OperationSummary]) -> Table:
    """List the operations, and how much was tried of each."""
    columns = (
        Column("name", "Operation", look=CellLook.NAME, more=lambda row: More(row["link"])),
        Column("primitives", "Primitives", number=True),
        Column("implementations", "Implementations tried", number=True),
        Column("tried", "Builds tried", number=True),
        Column("sound", "Sound", number=True),
        Column("places", "Machines", look=CellLook.PROSE),
    )
    rows = (
        {
            "name": one.name,
            "link": f"{one.folder}/index.html",
            "primitives": one.primitives,
            "implementations": one.implementations,
            "tried": one.tried,
            "sound": one.sound,
            "places": ", ".join(place.text for place in one.places),
        }
        for one in operations
    )
    return _table(columns, rows)


def size_table(
    operation: str, table: SlideTable, numbers: Mapping[str, str], links: Mapping[str, str]
) -> Table:
    """Show a table of an operation; `numbers` of configurations lead to their list below.

    `links` are the pages of primitives.
    """
    whole = slide_table(operation, table)
    changes: dict[str, dict[str, Any]] = {
        "place": {"look": CellLook.COUNT},
        "name": {"more": lambda row: More(links[row["primitive"]])},
        "short_name": {"look": CellLook.PLAIN},
        "configuration": {
            "look": CellLook.PLAIN,
            "text": lambda command: numbers[command],
            "more": lambda row: More(f"#{numbers[row['configuration']]}"),
        },
    }
    return replace(
        whole,
        columns=tuple(replace(one, **changes.get(one.key, {})) for one in whole.columns),
        notes=tuple(note for note in whole.notes if note != LEAGUE_NOTE),
    )


def candidates_table(found: Sequence[TriedImplementation], name: str) -> Table:
    """List the implementations of a primitive; each leads to its tries, `iN-name`."""
    columns = (
        Column("name", "Implementation", look=CellLook.NAME, more=lambda row: More(row["link"])),
        Column("result", "Result", text=str, style=lambda row: row["style"]),
        Column("score", "Best score", number=True, text=decimals(0)),
        Column("configuration", "Configuration", look=CellLook.PLAIN),
        Column("sound", "Sound", number=True),
        Column("tried", "Tried", number=True),
        *(Column(key, key, number=True, text=_count) for key in TITLES),
    )
    rows = (_candidate(one, f"#i{at}-{quote(name)}") for at, one in enumerate(found, 1))
    return _table(columns, rows)


def _candidate(one: TriedImplementation, link: str) -> dict[str, Any]:
    result, style = "", Style.PLAIN
    if one.passed and not one.compared:
        result = f"{FASTEST}, {UNCOMPARED}" if one.won else UNCOMPARED
        style = Style.OPEN
    elif one.won:
        result, style = WINNER, Style.PASS
    elif not one.passed:
        result, style = NEVER, Style.FAIL
    return {
        "name": one.name,
        "link": link,
        "result": result,
        "style": style,
        "score": one.score,
        "configuration": one.tries[0].compiler if one.passed else NONE,
        "sound": one.passed if one.compared else 0,
        "tried": len(one.tries),
        **dict(zip(TITLES, one.size or (), strict=False)),
    }


def tries_table(one: TriedImplementation) -> Table:
    """List every configuration that was tried of an implementation."""
    columns = (
        Column(
            "verdict", "Verdict", look=CellLook.PLAIN, style=lambda row: row["style"],
            more=lambda row: More(badge=row["badge"]),
        ),
        Column("score", "Score", number=True, text=_count),
        Column("compiler", "Configuration", look=CellLook.PLAIN, more=_to_compiler),
        Column("reason", "Reason", look=CellLook.PLAIN, text=str),
    )  # fmt: skip
    rows = tuple(_try(each, one) for each in one.tries)
    return Table("", "", columns, rows)


def _try(each: Try, one: TriedImplementation) -> TableRow:
    badge = Badge(WINNER if one.compared else FASTEST) if each.won else None
    values = {
        "style": Style.FAIL if each.badge[0] == "fail" else Style.PLAIN,
        "verdict": each.badge[1],
        "badge": badge,
        "score": each.attempt.score,
        "compiler": each.compiler,
        "reason": each.reason,
    }
    return TableRow(values, Style.WINNER if each.won else Style.PLAIN)


def compilers_table(uses: Sequence[CompilerUse]) -> Table:
    """List configurations, and how each did."""
    columns = (
        Column("command", "Configuration", look=CellLook.CODE),
        Column("tried", "Tried", number=True),
        Column("sound", "Sound", number=True),
        Column("won", "Won", number=True),
    )
    keys = ("command", "tried", "sound", "won")
    return _table(columns, ({key: getattr(one, key) for key in keys} for one in uses))


def verdicts_table(verdicts: Sequence[tuple[str, str, int]]) -> Table:
    """Count builds by outcome and reason."""
    columns = (
        Column("builds", "Builds", number=True),
        Column("outcome", "Outcome", look=CellLook.PLAIN),
        Column("reason", "Reason", text=str, look=CellLook.PROSE),
    )
    rows = ({"builds": n, "outcome": what, "reason": why} for what, why, n in verdicts)
    return _table(columns, rows)


def _table(columns: tuple[Column, ...], rows: Any) -> Table:
    return Table("", "", columns, tuple(map(TableRow, rows)))


def _to_compiler(row: Mapping[str, Any]) -> More:
    return More(f"#{row['compiler']}")


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
