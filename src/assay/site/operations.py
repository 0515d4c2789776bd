# SPDX-License-Identifier: MIT
"""The page of an operation: all of its primitives, on all machines, with graphs and data."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from assay.model.operations import OPERATIONS
from assay.report.formats.csv_file import spreadsheet_cell
from assay.report.plots import PlotLine, Spot, scatter
from assay.report.printable import printable
from assay.site.across import across
from assay.site.fronts import SiteOverview, Summary, family_of
from assay.site.names import family_name, operation_at, slug
from assay.site.page import Page, graph, page
from assay.site.rows import Graph, Row, charts, headings, rankings, told
from assay.site.summaries import ranked_rows

COLUMNS = ("primitive", "implementation", "configuration", "place", "league", "level", "value",
           "low", "high", "ns", "unit", "what", "code", "memory", "date")  # fmt: skip


def operation_pages(over: SiteOverview) -> Iterator[Page]:
    """Yield a page for each operation, its graphs and its data."""
    for family in over.families:
        yield from _operation(over, family)


def _operation(over: SiteOverview, family: str) -> Iterator[Page]:
    at, known = operation_at(family), over.known
    found = [one for one in over.summaries if one["family"] == family]
    every = [row for one in found for row in one["leaders"]]
    machines = sorted({row["machine"] for row in every}, key=lambda one: (known.labels[one], one))
    leading = max(machines, key=lambda one: (len(over.rows(family, one)), one), default="")
    rows, notes = ranked_rows(over.rows(family, leading))
    where = known.labels.get(leading, "")
    trades, drawn = list(trade_offs(family, where, rows)), charts(rows)
    first = rankings(f"{printable(family_name(family))} on {where}", drawn, "primitive", "ranking")
    ordered = [*rows, *(row for row in every if row["machine"] != leading)]
    joined = list(across(printable(family_name(family)), ordered, known.labels, "primitive"))
    for name, one in (*first, *trades, *joined):
        yield from graph(f"{at}/{name}", one)
    yield f"{at}/data.csv", _csv(ordered, over)
    yield page(
        f"{at}/index.html",
        "operation.html.j2",
        **family_of(over, family),
        machine=where,
        graphs=[(name, one.title) for name, one in trades],
        across=[(name, one.title) for name, one in joined],
        charts=drawn, notes=told(notes), rows=rows, headings=headings(rows),
        labels=[(known.labels[one], known.addresses[one]) for one in machines],
        matrix=[_matrix(one, machines) for one in found],
        levels=sorted({row["level"] for row in rows if row["level"]}),
    )  # fmt: skip


def trade_offs(family: str, machine: str, rows: Sequence[Row]) -> Iterator[Graph]:
    """Yield speed against code size, memory and what is sent, for the leaders of primitives."""
    names = OPERATIONS[family].sent if family in OPERATIONS else ()
    sent = [(f"{name.removesuffix('BYTES').lower()} bytes", name) for name in names]
    for what, key in (("code, bytes", "code"), ("memory, bytes", "memory"), *sent):
        league: dict[str, list[Spot]] = {}
        for row in rows:
            size = row["sizes"].get(key) or row.get(key)
            if size and row["low"] > 0 and row["unit"] == rows[0]["unit"]:
                spot = Spot(
                    size, row["value"], row["low"], row["high"], printable(row["primitive"])
                )
                league.setdefault(row["league"] or "no league", []).append(spot)
        lines = [PlotLine(name, tuple(spots)) for name, spots in sorted(league.items())]
        if sum(len(one.spots) for one in lines) > 1:
            title = f"{printable(family_name(family))} on {machine}: speed against {what}"
            yield slug(key.lower()), scatter(title, what, rows[0]["unit"], lines)


def _matrix(summary: Summary, machines: Sequence[str]) -> dict[str, Any]:
    """Return a primitive's best figure on each machine."""
    best = {row["machine"]: row for row in reversed(summary["leaders"])}
    return {"name": summary["name"], "at": summary["at"],
            "implementations": summary["implementations"],
            "cells": [best.get(one) for one in machines]}  # fmt: skip


def _csv(rows: Sequence[Row], over: SiteOverview) -> str:
    """Write the rows of all machines, with the lengths that the operation fixes."""
    sizes = sorted({name for row in rows for name in row["sizes"]})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("machine", *COLUMNS, *map(str.lower, sizes)))
    for row in rows:
        values = [over.known.labels[row["machine"]], row["primitive"], row["name"]]
        values += [row[name] for name in COLUMNS[2:]]
        values += [row["sizes"].get(name) for name in sizes]
        writer.writerow(spreadsheet_cell(one) if isinstance(one, str) else one for one in values)
    return text.getvalue()
