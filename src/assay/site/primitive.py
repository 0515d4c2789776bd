# SPDX-License-Identifier: MIT
"""The pages of a primitive: its implementations, what wins where, curves, trade-offs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay.model import Verdict
from assay.report.plots import PlotLine, Spot, curves, scatter
from assay.report.printable import printable
from assay.site.across import across
from assay.site.cells import SiteCell
from assay.site.figures import quantity_of, scaled
from assay.site.names import Key, operation_at, primitive_at, version_at
from assay.site.page import Known, Page, graph, page
from assay.site.raw import LINES
from assay.site.rows import Graph, Row, charts, contest_rows, headings, rankings, told
from assay.site.views import SiteContest, SiteEntry, contests, days, newest

LEAST_LENGTHS = 4  # that make a curve
LONGEST_CURVE = 2048
MOST_CURVES = 8  # in one graph: more could not be told apart
FAIL = Verdict.FAIL.value


def primitive_pages(key: Key, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    """Yield a primitive's page with its graphs."""
    at = primitive_at(key)
    found = contests(entries)
    order = sorted(found, key=lambda one: (-len(one.rows), known.labels[one.machine]))
    machines = []
    for contest in order:
        graphs = list(_graphs(key, contest, known))
        shown = _machine(contest, known, graphs)
        label = f"{printable(key[1])} on {shown['label']}"
        first = rankings(label, shown["charts"], "name", f"ranking-{contest.machine}")
        for name, one in (*first, *graphs):
            yield from graph(f"{at}/{name}", one)
        machines.append(shown)
    rows = [row for one in machines for row in one["rows"]]
    joined = list(across(printable(key[1]), rows, known.labels, "name"))
    for name, one in joined:
        yield from graph(f"{at}/{name}", one)
    yield page(
        f"{at}/index.html",
        "primitive.html.j2",
        name=printable(key[1]),
        family=key[0],
        operation=operation_at(key[0]),
        machines=machines,
        across=[(name, one.title) for name, one in joined],
        wins=[one for one in machines if one["rows"]],
        failed=_failed(entries, known),
        days=days(entries),
        lines=LINES if any(one.cell.lines for one in entries) else "",
        versions=sorted(
            {
                (printable(one.cell.selector), version_at(one.cell.version))
                for one in entries
                if one.cell.version
            }
        ),
        implementations=len({one.cell.selector for one in entries}),
    )


def _machine(contest: SiteContest, known: Known, graphs: Iterable[Graph]) -> dict[str, Any]:
    """Gather what a page shows of a primitive on a machine."""
    rows = contest_rows(contest)
    return {
        "label": known.labels[contest.machine],
        "at": known.addresses[contest.machine],
        "anchor": contest.machine,
        "rows": rows,
        "charts": [one for one in charts(rows) if len(rows) > 1],
        "headings": headings(rows),
        "notes": told(contest.notes),
        "graphs": [(name, one.title) for name, one in graphs],
        "answer": answer(rows),
    }


def answer(rows: Sequence[Row]) -> str:
    """State who wins, by how much and how sure that is; nothing without figures."""
    if not rows:
        return ""
    first = rows[0]
    said = f"{first['name']} takes {first['value']:.4g} {first['unit']} ({first['what']})"
    others = [row for row in rows[1:] if row["unit"] == first["unit"]]
    if not others:
        return f"{said}; there is no other to compare it with."
    second = others[0]
    if first["place"] and first["place"] == second["place"]:
        alike = sum(row["place"] == first["place"] for row in rows)
        return f"{said}; {alike} implementations are not separated in first place."
    slower = 100 * (second["value"] / first["value"] - 1) if first["value"] else 0
    sure = "" if first["place"] else "; too little was measured to be sure"
    return f"{said}; {second['name']} follows, {slower:.3g} % slower{sure}."


def _failed(entries: Iterable[SiteEntry], known: Known) -> list[dict[str, str]]:
    """List the newest cells that failed, one line for each implementation, machine and reason."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in newest(entries):
        if one.cell.verdict != FAIL:
            continue
        why = reason_of(one.cell)
        row = found.setdefault(
            (one.cell.selector, one.machine, why),
            {"name": printable(one.cell.implementation), "machine": known.labels[one.machine],
             "why": why, "at": version_at(one.cell.version) if one.cell.version else "",
             "configurations": 0},
        )  # fmt: skip
        row["configurations"] += 1
    return sorted(found.values(), key=lambda row: (row["name"], row["machine"], row["why"]))


def reason_of(cell: SiteCell) -> str:
    """State why a cell failed: the build, or the first check that failed."""
    if cell.reason:
        return printable(cell.reason)
    failed = [one for one in cell.checks if one.verdict == FAIL] or list(cell.checks[:1])
    return printable(f"{failed[0].check}: {failed[0].reason}") if failed else "failed"


def _graphs(key: Key, contest: SiteContest, known: Known) -> Iterator[Graph]:
    """Yield the graphs of a machine: curves by length, speed against sizes."""
    rows = contest_rows(contest)
    name, where = f"{printable(key[1])} on {known.labels[contest.machine]}", contest.machine
    lines = list(_curves(key[0], contest))
    if lines:
        unit = contest.rows[0].figure.unit
        drawn = curves(f"{name}: time by message length", "bytes", f"{unit} per call", lines)
        yield f"curves-{where}", drawn
    for what in ("code", "memory"):
        spots = tuple(
            Spot(row[what], row["value"], row["low"], row["high"], row["name"])
            for row in rows
            if row[what] and row["value"] > 0 and row["low"] > 0
            if row["unit"] == rows[0]["unit"]
        )
        if len(spots) > 1:
            title, unit = f"{name}: speed against {what}", rows[0]["unit"]
            yield f"{what}-{where}", scatter(title, f"{what}, bytes", unit, [PlotLine("", spots)])


def _curves(family: str, contest: SiteContest) -> Iterator[PlotLine]:
    """Yield a line for each implementation that was measured at enough lengths."""
    for row in contest.rows[:MOST_CURVES]:
        key = row.figure.measure.rpartition("/")[0]
        quantity = quantity_of(family, row.figure.measure)
        found = {}
        for one in row.cell.figures:
            if one.measure.rpartition("/")[0] == key and one.size is not None:
                length = quantity.length(one.size, quantity.parts[0]) if quantity else one.size
                if length is not None and length <= LONGEST_CURVE:
                    found[length] = Spot(length, one.middle, *one.interval)
        if len(found) >= LEAST_LENGTHS:
            yield PlotLine(row.cell.implementation, tuple(found[one] for one in sorted(found)))


def lengths_of(cell: SiteCell) -> list[dict[str, Any]]:
    """List all figures of a cell, as they are shown."""
    return [
        {"measure": one.measure, "sizes": one.sizes, "unit": one.text, "value": one.middle,
         "interval": one.interval, "ns": one.nanoseconds, "launches": len(one.values)}
        for one in (scaled(cell.family, figure) for figure in cell.figures)
    ]  # fmt: skip
