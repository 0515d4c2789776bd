# SPDX-License-Identifier: MIT
"""The history of implementations on a machine, and the steps in it.

Times are compared with the one before by the rank test of all tables (`stats.rank_sum`), the
false discovery rate held over one history. A step beside which something else changed (machine,
compiler, kernel, Assay, the package itself) is never shown without saying so.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from assay.report.drawing import Drawing
from assay.report.plots import PlotLine, Spot, curves
from assay.report.printable import printable
from assay.site.cells import SiteFigure
from assay.site.names import Key, primitive_at
from assay.site.page import Known, graph, page
from assay.site.raw import said
from assay.site.views import SiteEntry, contests
from assay.site.writer import Page
from assay.stats.discoveries import adjusted_p
from assay.stats.rank_sum import p_value
from assay.stats.shift import change_percent

RATE = 0.05
LEAST_PERCENT = 0.5  # a smaller change is no step, however sure it is
MOST_LINES = 8


@dataclass(frozen=True, slots=True)
class Moment:
    """A time of a history; `changed` is what else is new, `step` by how much, in per cent."""

    entry: SiteEntry
    figure: SiteFigure
    changed: tuple[str, ...] = ()
    step: float | None = None


def history_pages(key: Key, entries: Sequence[SiteEntry], known: Known) -> Iterator[Page]:
    """Yield the page of a primitive's histories with their graphs."""
    at = primitive_at(key)
    machines = []
    subjects: dict[tuple[str, str, int, str], list[SiteEntry]] = {}
    for one in entries:
        if one.cell.sound:
            subjects.setdefault(one.subject, []).append(one)
    for contest in contests(entries):
        chosen = [row.entry.subject for row in contest.rows]
        lines = []
        for subject in chosen:
            moments = moments_of(subjects[subject], known)
            if len(moments) > 1:
                lines.append(moments)
        if not lines:
            continue
        name = f"history-{contest.machine}"
        drawn = _drawn(key, known.labels[contest.machine], lines[:MOST_LINES])
        yield from graph(f"{at}/{name}", drawn)
        machines.append({
            "label": known.labels[contest.machine], "at": known.addresses[contest.machine],
            "anchor": contest.machine, "graph": name,
            "lines": [_line(moments) for moments in lines],
        })  # fmt: skip
    yield page(
        f"{at}/history.html", "history.html.j2", name=printable(key[1]), machines=machines,
        rate=f"{100 * RATE:.0f}", least=LEAST_PERCENT,
    )  # fmt: skip


def moments_of(entries: Iterable[SiteEntry], known: Known) -> tuple[Moment, ...]:
    """Return a history, oldest first, with its steps; figures in another unit are left out."""
    ordered = sorted(entries, key=lambda one: one.moment)
    pairs = [(one, one.figure) for one in ordered if one.figure is not None]
    if not pairs:
        return ()
    last = pairs[-1][1]
    alike = [(one, figure) for one, figure in pairs
             if (figure.text, figure.measure) == (last.text, last.measure)]  # fmt: skip
    chances = [_chance(before[1], after[1]) for before, after in itertools.pairwise(alike)]
    sure = adjusted_p(chances) if chances else []
    found = [Moment(*alike[0])]
    for (before, after), p in zip(itertools.pairwise(alike), sure, strict=True):
        step = _step(before[1], after[1]) if p <= RATE else None
        found.append(Moment(*after, changed=tuple(changes(before[0], after[0], known)), step=step))
    return tuple(found)


def _chance(before: SiteFigure, after: SiteFigure) -> float:
    if before.spread or after.spread or min(before.values + after.values) <= 0:
        return 1.0
    return p_value(before.values, after.values)


def _step(before: SiteFigure, after: SiteFigure) -> float | None:
    change = change_percent(before.values, after.values)
    return change if abs(change) >= LEAST_PERCENT else None


def changes(before: SiteEntry, after: SiteEntry, known: Known) -> Iterator[str]:
    """Name what else differs between two results: what a step may come from."""
    if before.cell.version != after.cell.version:
        yield "the package's contents"
    elif before.cell.code and before.cell.code != after.cell.code:
        yield "the machine code"
    if before.cell.command != after.cell.command:
        yield f"options: {before.cell.command} to {after.cell.command}"
    if before.cell.counter != after.cell.counter:
        yield f"counter: {before.cell.counter or 'unknown'} to {after.cell.counter or 'unknown'}"
    one = known.facts[before.source, before.machine]
    other = known.facts[after.source, after.machine]
    if before.machine != after.machine:
        yield f"machine: {known.labels[before.machine]} to {known.labels[after.machine]}"
    old, new = said(one), said(other)
    for what in dict.fromkeys((*old, *new)):
        if old.get(what) != new.get(what):
            yield f"{what}: {old.get(what, 'unknown')} to {new.get(what, 'unknown')}"


def _line(moments: Sequence[Moment]) -> dict[str, Any]:
    """Return a history as a page shows it."""
    cell = moments[-1].entry.cell
    return {
        "name": printable(cell.implementation),
        "configuration": printable(cell.configuration),
        "unit": moments[-1].figure.text,
        "moments": [
            {"date": one.entry.cell.ended[:10] or "unknown", "value": one.figure.middle,
             "interval": one.figure.interval, "launches": len(one.figure.values),
             "changed": [printable(text) for text in one.changed], "step": one.step}
            for one in moments
        ],
        "steps": sum(one.step is not None for one in moments),
    }  # fmt: skip


def _drawn(key: Key, machine: str, lines: Sequence[Sequence[Moment]]) -> Drawing:
    """Draw histories over days; a line marks where anything but time changed."""
    first = min(_day(one) for moments in lines for one in moments)
    drawn = [
        PlotLine(
            printable(moments[-1].entry.cell.implementation),
            tuple(Spot(_day(one) - first, one.figure.middle, *one.figure.interval,
                       marked=bool(one.changed)) for one in moments),
        )
        for moments in lines
    ]  # fmt: skip
    start = date.fromordinal(int(first)).isoformat()
    unit = lines[0][0].figure.text
    title = f"{printable(key[1])} on {machine}; grey lines: something else changed"
    return curves(title, f"days since {start}", unit, drawn)


def _day(moment: Moment) -> float:
    """Return a moment as a day; the place in the order where its clock says nothing."""
    text = moment.entry.cell.ended
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return float(1 + moment.entry.source)
    seconds = when.replace(tzinfo=when.tzinfo or UTC)
    return seconds.toordinal() + seconds.hour / 24
