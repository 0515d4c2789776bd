# SPDX-License-Identifier: MIT
"""The tables of the site's pages: those of the terminal with links, and what was tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from assay.report.ebacs.machines import CompilerUse
from assay.report.ebacs.options import TriedImplementation, Try
from assay.report.ebacs.records import Provenance
from assay.report.ebacs.tables import LEAGUE_NOTE, slide_table
from assay.report.ebacs.views import SlideTable
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
    listed,
)

NEVER, SOUND, WINNER = "never sound", "sound", "winner"
FASTEST, UNCOMPARED = "fastest", "correctness not compared"
SIZES = ("text", "data", "bss")


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
    return listed(
        operations,
        Column(
            "name", "Operation", look=CellLook.NAME,
            more=lambda row: More(f"{row['folder']}/index.html"),
        ),
        Column("folder"),
        Column("primitives", "Primitives", number=True),
        Column("implementations", "Implementations tried", number=True),
        Column("tried", "Builds tried", number=True),
        Column("sound", "Sound", number=True),
        Column("places", "Machines", look=CellLook.PROSE, text=_names),
    )  # fmt: skip


def _names(places: Sequence[Provenance]) -> str:
    return ", ".join(place.text for place in places)


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
    return listed(
        (_candidate(one, f"#i{at}-{quote(name)}") for at, one in enumerate(found, 1)),
        Column("name", "Implementation", look=CellLook.NAME, more=lambda row: More(row["link"])),
        Column("link"),
        Column("result", "Result", text=lambda one: one[0], style=lambda row: row["result"][1]),
        Column("score", "Best score", number=True, text=decimals(0)),
        Column("configuration", "Configuration", look=CellLook.PLAIN),
        Column("sound", "Sound", number=True),
        Column("tried", "Tried", number=True),
        *(Column(key, key, number=True, text=_count) for key in SIZES),
    )


def _candidate(one: TriedImplementation, link: str) -> dict[str, Any]:
    return {
        "name": one.name,
        "link": link,
        "result": _result(one),
        "score": one.score,
        "configuration": one.tries[0].compiler if one.passed else NONE,
        "sound": one.passed if one.compared else 0,
        "tried": len(one.tries),
        **dict(zip(SIZES, one.size or (None,) * len(SIZES), strict=True)),
    }


def _result(one: TriedImplementation) -> tuple[str, Style]:
    """Return how an implementation did, in words and style."""
    if one.passed and not one.compared:
        return (f"{FASTEST}, {UNCOMPARED}" if one.won else UNCOMPARED), Style.OPEN
    if one.won:
        return WINNER, Style.PASS
    return (SOUND, Style.PLAIN) if one.passed else (NEVER, Style.FAIL)


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
    return listed(
        uses,
        Column("command", "Configuration", look=CellLook.CODE),
        Column("tried", "Tried", number=True),
        Column("sound", "Sound", number=True),
        Column("won", "Won", number=True),
    )


def verdicts_table(verdicts: Sequence[tuple[str, str, int]]) -> Table:
    """Count builds by outcome and reason."""
    return listed(
        ((builds, outcome, reason) for outcome, reason, builds in verdicts),
        Column("builds", "Builds", number=True),
        Column("outcome", "Outcome", look=CellLook.PLAIN),
        Column("reason", "Reason", text=str, look=CellLook.PROSE),
    )


def _to_compiler(row: Mapping[str, Any]) -> More:
    return More(f"#{row['compiler']}")


def _count(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"
