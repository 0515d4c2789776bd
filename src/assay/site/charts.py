# SPDX-License-Identifier: MIT
"""Pictures of rows: bars in pages and as files, several machines in one, curves, trade-offs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

from msgspec.structs import replace

from assay.grouped import grouped
from assay.report.drawing import Axis, Drawing
from assay.report.plots import PlotLine, Spot, curves, dots, scatter
from assay.report.printable import printable
from assay.report.quantities import Part
from assay.report.ranked import ranked_charts
from assay.report.table import Column, Table, TableRow
from assay.site.figures import view_of
from assay.site.names import slug
from assay.site.views import Row, SiteContest
from assay.summary.ranks import EXACT_NOTE, NOTE

Graph = tuple[str, Drawing]  # with the path of its files beside the page, without the end
APART = 14.0  # per cent of the width between labels
LETTER = 5.5  # per cent of the width that one takes on a phone
WHOLE = 100.0
LEAST_LENGTHS = 4  # that make a curve
LONGEST_CURVE = 2048
MOST_CURVES = 8  # in one graph: more could not be told apart
MOST_ROWS, MOST_MACHINES = 16, 8  # of a graph of several machines
SIZES = {one: f"{one}, bytes" for one in ("code", "memory", "stack")}  # of every row
Points = dict[str, dict[str, Spot]]  # by the names of rows and by machines


def told(notes: Sequence[str]) -> list[str]:
    """Return the notes that say what is missing: how places come about stands below pictures."""
    return [note for note in notes if note not in {NOTE, EXACT_NOTE}]


def headings(rows: Sequence[Row]) -> list[str]:
    """Return the measures that rows have, in the order of the first that has each."""
    return list(dict.fromkeys(name for row in rows for name in row["measures"]))


def charts(rows: Sequence[Row], most: int | None = None) -> list[dict[str, Any]]:
    """Return a picture for each unit, the one of most rows first."""
    units = grouped((row["unit"], row) for row in rows if row["value"] and row["value"] > 0)
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
    axis = Axis.over(
        [value for row in rated for value in (row["low"], row["value"], row["high"]) if value > 0],
        0.0, WHOLE,
    )  # fmt: skip
    letters = len(f"{max(row['value'] for row in rated):.0f}")
    bars = [_bar(axis, row) for row in rated]
    blocks = groupby(enumerate(bars), lambda item: item[1]["place"] or item[0])
    return {
        "blocks": [[bar for _, bar in block] for _, block in blocks],
        "ticks": axis.ticks(max(APART, LETTER * letters)),
        "unit": rated[0]["unit"],
        "what": ", ".join(_common([row["what"].split(", ") for row in rated])),
        "benchmarks": any(row["benchmark"] for row in rated),
        "disturbed": sum(row["disturbed"] for row in rated),
        "rows": len(rated),
        "file": "",
    }


def _common(whats: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield what is so of all rows, from the beginning: ciphers differ in sizes."""
    for each in zip(*whats, strict=False):
        if len(set(each)) > 1:
            return
        yield each[0]


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


def _bar(axis: Axis, row: Row) -> Row:
    low, high = (axis.at(row[key] if row[key] > 0 else row["value"]) for key in ("low", "high"))
    return {**row, "x": axis.at(row["value"]), "from": low, "wide": max(round(high - low, 1), 0.4)}


def across(
    title: str, rows: Sequence[Row], labels: Mapping[str, str], key: str
) -> Iterator[Graph]:
    """Yield graphs of rows, which are called as `key` says, best first; a colour is a machine."""
    units: dict[str, Points] = {}
    for row in rows:
        for unit, scale in _units(row) if row["low"] > 0 and row["value"] > 0 else ():
            machines = units.setdefault(unit, {}).setdefault(printable(row[key]), {})
            spot = Spot(scale * row["value"], 0.0, scale * row["low"], scale * row["high"])
            machines.setdefault(row["machine"], spot)
    for unit, points in units.items():
        shown = _with_most(_several(points), labels)
        kept = _several({
            name: {one: found[one] for one in shown if one in found}
            for name, found in points.items()
        })  # fmt: skip
        if kept:
            lines = [PlotLine(labels[one], tuple(_of_machine(kept, one))) for one in shown]
            drawn = dots(f"{title}: {unit}; lower is better", unit, lines, list(kept))
            yield f"machines-{slug(unit)}", drawn


def _units(row: Row) -> Iterator[tuple[str, float]]:
    """Yield the units that machines have in common, and how many of each are one of the row's."""
    unit = row["unit"]
    if not unit.startswith("ticks"):  # those of two machines are different things
        yield unit, 1.0
    if row["ns"]:
        yield f"ns/{unit.partition('/')[2]}", row["ns"] / row["value"]


def _several(points: Points) -> Points:
    """Return the names that several machines have."""
    several = ((name, found) for name, found in points.items() if len(found) > 1)
    return dict(islice(several, MOST_ROWS))


def _with_most(points: Points, labels: Mapping[str, str]) -> list[str]:
    """Return the machines that are shown, those with most of the names, by their labels."""
    counts = Counter(machine for found in points.values() for machine in found)
    kept = sorted(counts, key=lambda one: (-counts[one], labels[one]))[:MOST_MACHINES]
    return sorted(kept, key=lambda one: labels[one])


def _of_machine(points: Points, machine: str) -> Iterator[Spot]:
    """Yield the points of a machine, each in the row of its name."""
    for row, (name, found) in enumerate(points.items()):
        if machine in found:
            yield replace(found[machine], y=float(row), name=name)


def curve_graph(name: str, contest: SiteContest) -> Iterator[Graph]:
    """Yield the curves of a machine's implementations by length, if there are any."""
    lines = list(_curves(contest))
    if lines:
        unit = f"{contest.rows[0].figure.unit} per call"
        drawn = curves(f"{name}: time by message length", "bytes", unit, lines)
        yield f"curves-{contest.machine}", drawn


def _curves(contest: SiteContest) -> Iterator[PlotLine]:
    """Yield a line for each implementation that was measured at enough lengths."""
    for row in contest.rows[:MOST_CURVES]:
        key = row.figure.measure.rpartition("/")[0]
        views = ((view_of(row.cell.family, one), one) for one in row.cell.figures)
        found = {
            view.size: Spot(view.size, one.middle, *one.interval)
            for view, one in views
            if view and (view.quantity.key, view.part) == (key, Part.MESSAGE)
            and isinstance(view.size, int) and view.size <= LONGEST_CURVE
        }  # fmt: skip
        if len(found) >= LEAST_LENGTHS:
            yield PlotLine(row.cell.implementation, tuple(found[one] for one in sorted(found)))


def trade_offs(
    title: str, rows: Sequence[Row], sizes: Mapping[str, str], key: str
) -> Iterator[Graph]:
    """Yield speed against sizes, of which the words are given; a colour is a league of rows.

    Points are called as `key` says. One alone makes no picture.
    """
    for size, what in sizes.items():
        known = ((row, row["sizes"].get(size) or row.get(size)) for row in rows)
        leagues = grouped(
            (row["league"] or "no league",
             Spot(x, row["value"], row["low"], row["high"], printable(row[key])))
            for row, x in known
            if x and min(row["value"], row["low"]) > 0 and row["unit"] == rows[0]["unit"]
        )  # fmt: skip
        against = f"{title}: speed against {what.partition(',')[0]}"
        drawn = scatter(against, what, rows[0]["unit"], leagues) if leagues else None
        if drawn:
            yield slug(size.lower()), drawn
