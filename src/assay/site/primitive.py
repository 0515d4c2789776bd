# SPDX-License-Identifier: MIT
"""The pages of a primitive: its implementations, what wins where, curves, trade-offs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from assay.model import Verdict
from assay.report.formats.pictured import svg_of
from assay.report.plots import PlotLine, Spot, curves, scatter
from assay.report.printable import printable
from assay.site.cells import SiteCell
from assay.site.figures import quantity_of, scaled
from assay.site.names import Key, operation_at, primitive_at, version_at
from assay.site.page import Known, Page, page
from assay.site.rows import Row, charts, contest_rows, headings, told
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
        graphs = list(_graphs(key, at, contest, entries, known))
        for graph in graphs:
            yield graph["path"], graph["svg"]
        machines.append(_machine(contest, known, graphs))
    yield page(
        f"{at}/index.html",
        "primitive.html.j2",
        name=printable(key[1]),
        family=key[0],
        operation=operation_at(key[0]),
        machines=machines,
        wins=[one for one in machines if one["rows"]],
        failed=_failed(entries, known),
        days=days(entries),
        versions=sorted(
            {
                (printable(one.cell.selector), version_at(one.cell.version))
                for one in entries
                if one.cell.version
            }
        ),
        implementations=len({one.cell.selector for one in entries}),
    )


def _machine(
    contest: SiteContest, known: Known, graphs: Iterable[Mapping[str, str]]
) -> dict[str, Any]:
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
        "graphs": [{**one, "name": one["path"].rpartition("/")[2]} for one in graphs],
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


def _graphs(
    key: Key, at: str, contest: SiteContest, entries: Iterable[SiteEntry], known: Known
) -> Iterator[dict[str, str]]:
    """Yield the graphs of a machine: curves by length, speed against size and memory."""
    del entries
    name, machine = printable(key[1]), known.labels[contest.machine]
    if not contest.rows:
        return
    lines = list(_curves(key[0], contest))
    if lines:
        unit = contest.rows[0].figure.unit
        drawn = curves(f"{name} on {machine}", "bytes", f"{unit} per call", lines)
        yield _graph(at, contest, "curves", f"Time by message length on {machine}", svg_of(drawn))
    rows = contest_rows(contest)
    for what, field in (("code", "code"), ("memory", "memory")):
        spots = tuple(
            Spot(row[field], row["value"], row["low"], row["high"], row["name"])
            for row in rows
            if row[field]
            and row["value"] > 0
            and row["low"] > 0
            and row["unit"] == rows[0]["unit"]
        )
        if len(spots) > 1:
            title = f"{name} on {machine}: speed against {what}"
            drawn = scatter(title, f"{what}, bytes", rows[0]["unit"], [PlotLine("", spots)])
            yield _graph(at, contest, f"{what}", title, svg_of(drawn))


def _graph(at: str, contest: SiteContest, what: str, title: str, svg: str) -> dict[str, str]:
    return {"path": f"{at}/{what}-{contest.machine}.svg", "title": title, "svg": svg}


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
