# SPDX-License-Identifier: MIT
"""Rows of contests as plain values, and where they stand on a logarithmic axis."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from assay.model import Verdict
from assay.model.compared import COMPARISONS
from assay.report.axis import LogAxis
from assay.report.drawing import Drawing
from assay.report.printable import printable
from assay.report.ranked import ranked_charts
from assay.report.table import Column, Table, TableRow
from assay.site.cells import SiteCell
from assay.site.figures import measures, what_is
from assay.site.names import primitive_at, version_at
from assay.site.views import SiteContest, SiteRank, level
from assay.summary.ranks import EXACT_NOTE, NOTE

Row = dict[str, Any]
Graph = tuple[str, Drawing]  # with the path of its files beside the page, without the end
LEAGUES = {"constbranchindex": "constant time", "timingleaks": "may leak"}
APART = 14.0  # per cent of the width between labels
WHOLE = 100.0


def contest_rows(contest: SiteContest) -> list[Row]:
    """Return the rows of a contest, each relative to the best in its unit."""
    best: dict[str, float] = {}
    for one in contest.rows:
        best.setdefault(one.figure.text, one.figure.middle)
    return [row_of(one, best[one.figure.text]) for one in contest.rows]


def row_of(one: SiteRank, best: float) -> Row:
    """Return a row: what a page shows of an implementation, and what filters look at."""
    cell, figure = one.cell, one.figure
    low, high = figure.interval
    return {
        "family": cell.family,
        "primitive": cell.primitive,
        "name": printable(cell.implementation),
        "selector": cell.selector,
        "at": primitive_at(cell.key),
        "version": version_at(cell.version) if cell.version else "",
        "machine": one.entry.machine,
        "place": str(one.place) if one.place else "",
        "value": _short(figure.middle),
        "low": _short(low),
        "high": _short(high),
        "values": [_short(value) for value in figure.values] if not figure.spread else [],
        "ns": _short(figure.nanoseconds),
        "ratio": _short(figure.middle / best) if best else None,
        "unit": figure.text,
        "exact": figure.unit not in {"cycles", "ticks"},
        "what": what_is(cell.family, figure),
        "measures": {
            name: _short(value) for name, value in measures(cell.family, cell.figures).items()
        },
        **_about(cell),
    }


def _about(cell: SiteCell) -> Row:
    """Return what a row says of its cell besides figures."""
    memory = cell.facts.get("context", cell.facts.get("static memory"))
    return {
        "code": cell.bytes[0] + cell.bytes[1] if cell.bytes else None,
        "memory": memory,
        "league": LEAGUES.get(cell.league, ""),
        "ct": cell.constant_time,
        "level": level(cell.family, cell.primitive, cell.facts),
        "verdict": cell.verdict,
        "uncompared": cell.verdict == "open" and _uncompared(cell),
        "configuration": printable(cell.configuration),
        "command": printable(cell.command),
        "date": cell.ended[:10],
        "disturbed": cell.disturbed,
        "benchmark": cell.role == "benchmark",
        "imported": cell.imported,
        "sizes": {key: cell.facts[key] for key in cell.facts if key.endswith("BYTES")},
    }


def _uncompared(cell: SiteCell) -> bool:
    """Return whether a question is open since there was nothing to compare outputs with."""
    opened = (one.check for one in cell.checks if one.verdict == Verdict.OPEN.value)
    passed = cell.passed.split()
    return any(one.startswith(COMPARISONS) for one in opened) and not any(
        one.startswith(COMPARISONS) for one in passed
    )


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")


def told(notes: Sequence[str]) -> list[str]:
    """Return the notes that say what is missing: how places come about stands below pictures."""
    return [note for note in notes if note not in {NOTE, EXACT_NOTE}]


def headings(rows: Sequence[Row]) -> list[str]:
    """Return the measures that rows have, in the order of the first that has each."""
    return list(dict.fromkeys(name for row in rows for name in row["measures"]))


def charts(rows: Sequence[Row], most: int | None = None) -> list[dict[str, Any]]:
    """Return a picture for each unit, the one of most rows first."""
    units: dict[str, list[Row]] = {}
    for row in rows:
        if row["value"] and row["value"] > 0:
            units.setdefault(row["unit"], []).append(row)
    drawn = sorted(units.values(), key=len, reverse=True)
    return [_chart(one[:most]) for one in drawn]


def rankings(name: str, found: Sequence[dict[str, Any]], key: str, stem: str) -> list[Graph]:
    """Draw pictures as files, too, which they name; rows are called as `key` says."""
    graphs = []
    for number, one in enumerate(found, 1):
        drawn = _ranked(name, one, key)
        if drawn is not None:
            one["file"] = f"{stem}-{number}" if number > 1 else stem
            graphs.append((one["file"], drawn))
    return graphs


def _chart(rated: Sequence[Row]) -> dict[str, Any]:
    """Place rows of one unit on an axis; those that are not separated are one block."""
    axis = LogAxis.over(
        [value for row in rated for value in (row["low"], row["value"], row["high"]) if value > 0],
        0.0, WHOLE,
    )  # fmt: skip
    bars = [_bar(axis, row) for row in rated]
    blocks = groupby(enumerate(bars), lambda item: item[1]["place"] or item[0])
    return {
        "blocks": [[bar for _, bar in block] for _, block in blocks],
        "ticks": axis.ticks(APART),
        "unit": rated[0]["unit"],
        "what": rated[0]["what"],
        "file": "",
    }


def _ranked(name: str, chart: dict[str, Any], key: str) -> Drawing | None:
    bars = [bar for block in chart["blocks"] for bar in block]
    rows = (
        TableRow({
            "name": bar[key], "charted_place": bar["place"], "value": bar["value"],
            **{end: bar[side] for end, side in (("q1", "low"), ("q3", "high")) if bar[side] > 0},
        })
        for bar in bars
    )  # fmt: skip
    value = (Column("value", chart["unit"], number=True),)
    title = f"{name}: {chart['what']}; lower is better"
    return ranked_charts([Table(title, chart["unit"], value, tuple(rows), charted="value")])


def _bar(axis: LogAxis, row: Row) -> Row:
    low, high = (axis.at(row[key] if row[key] > 0 else row["value"]) for key in ("low", "high"))
    return {**row, "x": axis.at(row["value"]), "from": low, "wide": max(round(high - low, 1), 0.4)}
