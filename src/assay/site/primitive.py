# SPDX-License-Identifier: MIT
"""The pages of primitives and of their operations: what there is, what wins where, curves."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay.model import Verdict
from assay.model.operations import OPERATIONS
from assay.report.formats.data_files import csv_of
from assay.report.printable import natural, printable
from assay.site.cells import SiteCell
from assay.site.charts import (
    SIZES,
    Graph,
    across,
    charts,
    curve_graph,
    headings,
    rankings,
    told,
    trade_offs,
)
from assay.site.fronts import SiteOverview, Summary, family_of, levels_of, ranked_rows
from assay.site.names import Key, family_name, operation_at, primitive_at, version_at
from assay.site.page import Known, figure, graph, page
from assay.site.raw import LINES
from assay.site.views import PrimitiveEntries, Row, SiteContest, SiteEntry, days
from assay.site.writer import Page

FAIL = Verdict.FAIL.value
MANY = 2.0
MOST_CHARTS = 3  # machines whose rows are a picture, too: all of them are in tables
COLUMNS = ("primitive", "implementation", "configuration", "place", "league", "level", "value",
           "low", "high", "ns", "unit", "what", "code", "memory", "date")  # fmt: skip


def primitive_pages(key: Key, entries: PrimitiveEntries, known: Known) -> Iterator[Page]:
    """Yield a primitive's page with its graphs."""
    at = primitive_at(key)
    found = entries.contests
    order = sorted(found, key=lambda one: (-len(one.rows), natural(known.labels[one.machine])))
    machines = []
    for number, contest in enumerate(order):
        label = f"{printable(key[1])} on {known.labels[contest.machine]}"
        against = trade_offs(label, contest.shown, SIZES, "name")
        graphs = [*curve_graph(label, contest),
                  *((f"{name}-{contest.machine}", one) for name, one in against)]  # fmt: skip
        shown = _machine(contest, known, graphs, charted=number < MOST_CHARTS)
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
        failed=_failed(entries.newest, known),
        unmeasured=_unmeasured(entries.newest, rows),
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


def _machine(
    contest: SiteContest, known: Known, graphs: Iterable[Graph], *, charted: bool
) -> dict[str, Any]:
    """Gather what a page shows of a primitive on a machine, with a picture if it is `charted`."""
    rows = contest.shown
    return {
        "label": known.labels[contest.machine],
        "at": known.addresses[contest.machine],
        "anchor": contest.machine,
        "rows": rows,
        "charts": charts(rows) if charted and len(rows) > 1 else [],
        "headings": headings(rows),
        "notes": told(contest.ranking.notes),
        "graphs": [(name, one.title) for name, one in graphs],
        "answer": contest.answer if rows else "",
        "behind": slower_by(rows[1]["ratio"], rows[0]["name"])
        if len(rows) > 1 and rows[1]["ratio"]
        else "-",
    }


def slower_by(ratio: float, first: str) -> str:
    """Return in words how much more something takes than the first: from 2 on, how many times."""
    if ratio >= MANY:
        return f"{figure(ratio)} times as much as {first}"
    return f"{100 * (ratio - 1):.1f} % more than {first}"


def _failed(entries: Iterable[SiteEntry], known: Known) -> list[dict[str, str]]:
    """List newest cells that failed, one line for each implementation, machine and reason."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for one in entries:
        if one.cell.verdict != FAIL:
            continue
        why = reason_of(one.cell)
        row = found.setdefault(
            (one.cell.selector, one.machine, why),
            {"name": printable(one.cell.implementation), "machine": known.labels[one.machine],
             "why": why, "at": version_at(one.cell.version),
             "configurations": 0},
        )  # fmt: skip
        row["configurations"] += 1
    return sorted(
        found.values(), key=lambda row: (row["name"], natural(row["machine"]), row["why"])
    )


def _unmeasured(entries: Iterable[SiteEntry], rows: Iterable[Row]) -> list[tuple[str, str]]:
    """Name what did not fail and has no figure anywhere: what was left out of a race, or began."""
    ranked = {row["selector"] for row in rows}
    found = {
        (printable(one.cell.implementation), version_at(one.cell.version))
        for one in entries
        if one.cell.verdict != FAIL and one.cell.selector not in ranked
    }
    return sorted(found)


def reason_of(cell: SiteCell) -> str:
    """State why a cell failed: the build, or the first check that failed."""
    if cell.reason:
        return printable(cell.reason)
    failed = [one for one in cell.checks if one.verdict == FAIL] or list(cell.checks[:1])
    return printable(f"{failed[0].check}: {failed[0].reason}") if failed else "failed"


def operation_page(over: SiteOverview, family: str) -> Iterator[Page]:
    """Yield the page of an operation, its graphs and its data."""
    at, known = operation_at(family), over.known
    found = [one for one in over.summaries if one["family"] == family]
    every = [row for one in found for row in one["leaders"]]
    machines = sorted({row["machine"] for row in every},
                      key=lambda one: (natural(known.labels[one]), one))  # fmt: skip
    leading = max(machines, key=lambda one: (len(over.rows(family, one)), one), default="")
    rows, notes = ranked_rows(over.rows(family, leading))
    where = known.labels.get(leading, "")
    name, drawn = f"{printable(family_name(family))} on {where}", charts(rows)
    lengths = OPERATIONS[family].sent if family in OPERATIONS else ()
    sent = {one: f"{one.removesuffix('BYTES').lower()} bytes" for one in lengths}
    trades = list(trade_offs(name, rows, SIZES | sent, "primitive"))
    first = rankings(name, drawn, "primitive", "ranking")
    ordered = [*rows, *(row for row in every if row["machine"] != leading)]
    joined = list(across(printable(family_name(family)), ordered, known.labels, "primitive"))
    for file, one in (*first, *trades, *joined):
        yield from graph(f"{at}/{file}", one)
    yield f"{at}/data.csv", _csv(ordered, over)
    yield page(
        f"{at}/index.html",
        "operation.html.j2",
        **family_of(over, family),
        machine=where,
        graphs=[(file, one.title) for file, one in trades],
        across=[(file, one.title) for file, one in joined],
        charts=drawn, notes=told(notes), rows=rows, headings=headings(rows),
        labels=[(known.labels[one], known.addresses[one]) for one in machines],
        matrix=[_matrix(one, machines) for one in found],
        levels=levels_of(rows),
    )  # fmt: skip


def _matrix(summary: Summary, machines: Sequence[str]) -> dict[str, Any]:
    """Return a primitive's best figure on each machine."""
    best = {row["machine"]: row for row in reversed(summary["leaders"])}
    return {"name": summary["name"], "at": summary["at"],
            "implementations": summary["implementations"],
            "cells": [best.get(one) for one in machines]}  # fmt: skip


def _csv(rows: Sequence[Row], over: SiteOverview) -> str:
    """Write the rows of all machines, with the lengths that the operation fixes."""
    sizes = sorted({name for row in rows for name in row["sizes"]})
    lines = (
        (over.known.labels[row["machine"]], row["primitive"], row["name"],
         *(row[name] for name in COLUMNS[2:]), *(row["sizes"].get(name) for name in sizes))
        for row in rows
    )  # fmt: skip
    return csv_of((("machine", *COLUMNS, *map(str.lower, sizes)), *lines))
