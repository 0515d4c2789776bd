# SPDX-License-Identifier: MIT
"""The tables of what is no figure: targets, a package's portability, promises and costs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.check.engine.verdict import COLUMNS, TargetStanding
from assay.measure.costs import CellCost
from assay.measure.selftest.samples import PromiseRow, Samples
from assay.model import Verdict
from assay.report.table import (
    NONE,
    Column,
    Note,
    Report,
    Style,
    Table,
    TableRow,
    decimals,
    listed,
)
from assay.targets.installed import Installed, install_line

HELD = {True: "held", False: "NOT HELD", None: "cannot say"}
HELD_STYLES = {True: Style.PASS, False: Style.FAIL, None: Style.OPEN}
ANSWER_STYLES = {"yes": Style.PASS, "none": Style.PASS, "no": Style.FAIL, None: Style.UNKNOWN}
VERDICT_STYLES = {
    Verdict.PASS: Style.PASS,
    Verdict.FAIL: Style.FAIL,
    Verdict.OPEN: Style.OPEN,
    Verdict.FINDING: Style.PLAIN,
    Verdict.SKIPPED: Style.UNKNOWN,
}
STEPS = {
    "compile": "Compile",
    "building": "Rest of building",
    "start": "Start of an agent",
    "check": "Checks",
    "timed": "Timed",
    "launching": "Rest of the launch",
    "bench": "Bench",
}


def targets_report(found: Sequence[Installed]) -> Report:
    """List targets and what of them is installed."""
    records = [
        {**asdict(one.target), "installed": one.ok, "missing": list(one.missing)} for one in found
    ]
    table = listed(
        [{**record, "missing": ", ".join(record["missing"])} for record in records],
        Column("name", "Target", whole=True),
        Column("architecture", "Architecture", whole=True),
        Column("bits", "Bits", whole=True),
        Column("endian", "Endian", whole=True),
        Column("abi", "ABI", whole=True),
        Column("runtime", "Below the agent", whole=True),
        Column("counts", "Exact counts", text=lambda one: one or "none", whole=True),
        Column("missing", "Installed", text=_missing, style=_installed),
        Column("title", "What it is"),
    )
    return Report((table,), facts={"targets": records, "install": install_line(found)})


def _missing(missing: str) -> str:
    return f"no: {missing}" if missing else "yes"


def _installed(row: Mapping[str, Any]) -> Style:
    return Style.OPEN if row["missing"] else Style.PASS


def matrix(selector: str, standings: Sequence[TargetStanding]) -> Table:
    """Show how a package stands on targets: a row for each, and why it is not green."""
    columns = (
        Column("package"),
        Column("target", "Target", whole=True),
        *(_answer(one) for one in COLUMNS),
        Column("configuration"),
        Column("verdict"),
        Column("cause", "Cause", text=lambda text: text or ""),
    )
    rows = tuple(
        TableRow(
            {
                "target": one.target.name,
                **{column: _known(one.answer(column)) for column in COLUMNS},
                "configuration": one.configuration,
                "verdict": one.verdict.value,
                "cause": one.cause,
            }
        )
        for one in standings
    )
    return Table(selector, "", columns, rows, direction="", facts={"package": selector})


def _known(answer: str) -> str | None:
    return None if answer == NONE else answer


def _answer(column: str) -> Column:
    def style(row: Mapping[str, Any]) -> Style:
        return ANSWER_STYLES.get(row[column], Style.OPEN)

    return Column(column, column, style=style, whole=True)


def verdicts_report(records: Iterable[Mapping[str, Any]]) -> Report:
    """List the verdict of every check of every record, and what goes with a package."""
    rows = [{**record, **check} for record in records for check in _answers_of(record)]
    table = listed(
        rows,
        Column("package", "Package", whole=True),
        Column("variant", "Variant"),
        Column("configuration", "Configuration"),
        Column("compiler", "Compiler"),
        Column("target", "Target"),
        Column("check", "Check", whole=True),
        Column("verdict", "Verdict", style=lambda row: VERDICT_STYLES[row["verdict"]], whole=True),
        Column("reason", "Reason"),
        Column("cure", "Cure"),
        Column("evidence", "Evidence"),
        Column("follows", "Follows from"),
    )
    return Report((table,))


def _answers_of(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the checks of a record, and the quirks that were accepted as findings of their own."""
    yield from record["checks"]
    for one in record["warnings"]:
        yield {"check": one["name"], "verdict": Verdict.FINDING, "reason": one["message"],
               "cure": one["cure"], "evidence": "", "follows": ""}  # fmt: skip


def packages_report(rows: Iterable[tuple[str, str, str, str]]) -> Report:
    """List packages: selector, API, role, and quirks or why it cannot be loaded."""
    names = ("package", "Package"), ("api", "API"), ("role", "Role"), ("remarks", "Remarks")
    return Report((listed(rows, *(Column(*one, whole=True) for one in names)),))


def promises_report(samples: Samples, rows: Sequence[PromiseRow]) -> Report:
    """Show what was promised of figures, and what was measured; a row for each promise."""
    table = listed(
        rows,
        Column("topic", "What"),
        Column("promise", "Promise"),
        Column("measured", "Measured"),
        Column(
            "held", "Verdict", text=HELD.__getitem__, style=lambda row: HELD_STYLES[row["held"]]
        ),
        Column("how", "How"),
    )
    facts = {name: getattr(samples, name) for name in ("machine", "load", "counter")}
    machine = Note(f"Machine: {samples.machine}", Style.PLAIN)
    return Report((table,), (), (machine,), {**facts, "rows": [asdict(one) for one in rows]})


def _held(row: Mapping[str, Any]) -> Style:
    return HELD_STYLES[row["held"]]


def costs_report(costs: Sequence[CellCost], share: str) -> Report:
    """Show what each step of a cell takes, and how a campaign spent its time."""
    table = listed(
        costs,
        Column("package", "Package", whole=True),
        *(
            Column(f"{key}_seconds", text, True, decimals(3), digits=3)
            for key, text in STEPS.items()
        ),
        title="One cell alone, one launch",
        unit="seconds by the clock",
    )
    return Report((table,), (), (Note(f"Last campaign: {share}", Style.PLAIN),))
