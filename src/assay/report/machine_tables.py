# SPDX-License-Identifier: MIT
"""What is known of a machine, as tables: what its figures can be trusted with, counters, runs."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.model import Campaign, Counter, Finding, Launch, Trust
from assay.report.canaries import Canary
from assay.report.chart import Axis, Chart, ChartPoint, ChartSeries, Form
from assay.report.table import CellLook, Column, More, Note, Style, Table, decimals, listed

STYLES = {
    Trust.GOOD: Style.PASS,
    Trust.UNKNOWN: Style.UNKNOWN,
    Trust.COSTS: Style.OPEN,
    Trust.BADLY: Style.FAIL,
}
LISTED = 50  # disturbed launches that a page lists


def findings_table(findings: Sequence[Finding]) -> Table:
    """List what costs trust in timings, what it costs and what to do; a row for each topic."""
    return listed(
        findings,
        Column("topic", "Topic", whole=True),
        Column("trust", "Verdict", style=lambda row: STYLES[row["trust"]]),
        Column("state", "Found", look=CellLook.PROSE, more=_costs),
        *map(Column, ("cost", "cure")),
    )


def _costs(row: Mapping[str, Any]) -> More:
    """State what a finding costs, and how to fix what costs trust."""
    cost = (Note(row["cost"]),) if row["cost"] else ()
    costly = row["cure"] and row["trust"] in {Trust.COSTS, Trust.BADLY}
    return More(below=(*cost, *((Note(row["cure"], Style.LEAD),) if costly else ())))


def counters_table(counters: Sequence[tuple[Counter, int]]) -> Table:
    """List the counters with how many launches used them."""
    rows = (
        (one.name, one.step_ticks, one.ticks_per_second / 1e6, _ratio(one), launches)
        for one, launches in counters
    )
    return listed(
        rows,
        Column("name", "Counter", whole=True),
        Column("step", "Step (ticks)", number=True),
        Column("mhz", "MHz", number=True, text=decimals(1)),
        Column("ratio", "Core cycles per tick", number=True),
        Column("launches", "Launches", number=True),
    )


def _ratio(counter: Counter) -> str:
    """Write how many core cycles a tick is, and how far that spread."""
    ratio, spread = counter.cycles_per_tick, counter.cycles_per_tick_spread
    if ratio is None:
        return "not established"
    return f"{ratio:.3f}" if spread is None else f"{ratio:.3f} ± {100 * spread:.2f} %"


def disturbed_table(launches: Sequence[Launch]) -> Table:
    """List the last launches that were disturbed, and why."""
    return listed(
        launches[-LISTED:],
        Column("started_at", "Time"),
        Column("cell", "Package", text=lambda cell: cell.selector, whole=True),
        Column("cell", "Configuration", text=lambda cell: cell.configuration, look=CellLook.CODE),
        Column("disturbed", "Why", look=CellLook.PROSE),
    )


def campaigns_table(campaigns: Sequence[Campaign]) -> Table:
    """List the campaigns of a results folder."""
    return listed(
        campaigns,
        Column("arguments", "Arguments", text=" ".join, look=CellLook.CODE),
        Column("started_at", "Started"),
        Column("finished_at", "Finished", text=lambda moment: moment or "not finished"),
    )


def canary_chart(canary: Canary) -> Chart:
    """Show the figures of a canary in the order of time."""
    points = tuple(ChartPoint(at, value) for at, value in enumerate(canary.values))
    title = f"{canary.name}, in the order of time"
    series = (ChartSeries(canary.name, points),)
    return Chart(Form.TREND, title, Axis("launches"), Axis("ticks per operation"), series)
