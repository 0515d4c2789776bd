# SPDX-License-Identifier: MIT
"""The page of an operation: all of its primitives, on all machines, with graphs and data."""

from collections.abc import Iterator, Sequence
from typing import Any

from assay.model.operations import OPERATIONS
from assay.report.formats.data_files import csv_of
from assay.report.printable import natural, printable
from assay.site.charts import SIZES, across, charts, headings, rankings, told, trade_offs
from assay.site.fronts import SiteOverview, Summary, family_of, levels_of, ranked_rows
from assay.site.names import family_name, operation_at
from assay.site.page import graph, page
from assay.site.views import Row
from assay.site.writer import Page

COLUMNS = ("primitive", "implementation", "configuration", "place", "league", "level", "value",
           "low", "high", "ns", "unit", "what", "code", "memory", "date")  # fmt: skip


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
