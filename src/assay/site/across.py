# SPDX-License-Identifier: MIT
"""Graphs of several machines: one for each unit that they have in common, and one of time."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.report.plots import PlotLine, Spot, dots
from assay.report.printable import printable
from assay.site.names import slug
from assay.site.rows import Graph, Row

MOST_ROWS, MOST_MACHINES = 16, 8  # of one graph: more could not be told apart
Value = tuple[str, str, Spot]  # a row's name, its machine, and where the point is


def across(
    title: str, rows: Sequence[Row], labels: Mapping[str, str], key: str
) -> Iterator[Graph]:
    """Yield graphs of rows, which are called as `key` says, best first; a colour is a machine."""
    units: dict[str, list[Value]] = {}
    for row in rows:
        if row["low"] <= 0 or row["value"] <= 0:
            continue
        name, machine, unit = printable(row[key]), row["machine"], row["unit"]
        if not unit.startswith("ticks"):  # those of two machines are different things
            units.setdefault(unit, []).append((name, machine, _spot(row, 1.0)))
        if row["ns"]:
            time = f"ns/{unit.partition('/')[2]}"
            scale = row["ns"] / row["value"]
            units.setdefault(time, []).append((name, machine, _spot(row, scale)))
    for unit, values in units.items():
        names = _several(values)
        if names:
            drawn = dots(f"{title}: {unit}; lower is better", unit, _lines(values, names, labels),
                         names)  # fmt: skip
            yield f"machines-{slug(unit)}", drawn


def _spot(row: Row, scale: float) -> Spot:
    return Spot(scale * row["value"], 0.0, scale * row["low"], scale * row["high"])


def _several(values: Sequence[Value]) -> list[str]:
    """Return the names that several machines have."""
    counts = Counter(name for name, _ in {(name, machine) for name, machine, _ in values})
    return [one for one in dict.fromkeys(name for name, _, _ in values) if counts[one] > 1][
        :MOST_ROWS
    ]


def _lines(
    values: Sequence[Value], names: Sequence[str], labels: Mapping[str, str]
) -> list[PlotLine]:
    """Gather the points of each machine; those with most of them are shown."""
    found: dict[str, dict[str, Spot]] = {}
    for name, machine, spot in values:
        if name in names:
            found.setdefault(machine, {}).setdefault(name, spot)
    kept = sorted(found, key=lambda one: (-len(found[one]), labels[one]))[:MOST_MACHINES]
    return [
        PlotLine(labels[one], tuple(
            Spot(spot.x, names.index(name), spot.low, spot.high, name)
            for name, spot in found[one].items()))
        for one in sorted(kept, key=lambda one: labels[one])
    ]  # fmt: skip
