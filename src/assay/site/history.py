# SPDX-License-Identifier: MIT
"""The history of implementations on a machine, and the steps in it.

Steps are those of `stats.steps`. One beside which the environment changed (machine, compiler,
kernel, Assay) is never shown without saying so, and never taken for the code's.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from assay.grouped import grouped
from assay.report.drawing import Drawing
from assay.report.plots import PlotLine, Spot, curves
from assay.report.printable import natural, printable
from assay.site.cells import SiteFigure
from assay.site.names import Key, primitive_at
from assay.site.page import Known, graph, page
from assay.site.views import PrimitiveEntries, SiteEntry
from assay.site.writer import Page
from assay.stats.steps import LEAST_PERCENT, RATE, HistoryStep, HistorySteps, steps_of

MOST_LINES = 8
OF_ENVIRONMENT = "possibly of the environment, which changed too"
OF_NEITHER = "of neither the machine code nor anything else that is known to differ"


class Moment(Struct, frozen=True):
    """A time of a history, with the step that it begins.

    `code` names what is new of the package, and `outside` what else changed since the time before.
    """

    entry: SiteEntry
    figure: SiteFigure
    code: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    step: HistoryStep | None = None

    @property
    def changed(self) -> str:
        """Name all that is new."""
        return "; ".join(self.code + self.outside)

    @property
    def doubt(self) -> str:
        """State why a step may not be the code's; nothing where only that changed."""
        return OF_ENVIRONMENT if self.outside else "" if self.code else OF_NEITHER


class History(Struct, frozen=True):
    """The times of a subject in their order, and what their steps were found with."""

    moments: tuple[Moment, ...]
    steps: HistorySteps


def history_pages(key: Key, entries: PrimitiveEntries, known: Known) -> Iterator[Page]:
    """Yield the page of a primitive's histories with their graphs."""
    at = primitive_at(key)
    machines = []
    subjects = grouped((one.subject, one) for one in entries.in_time if one.cell.sound)
    for contest in sorted(entries.contests, key=lambda one: natural(known.labels[one.machine])):
        made = (history_of(subjects[row.entry.subject], known) for row in contest.rows)
        lines = [history for history in made if history is not None]
        if not lines:
            continue
        name = f"history-{contest.machine}"
        drawn = _drawn(key, known.labels[contest.machine], lines[:MOST_LINES])
        yield from graph(f"{at}/{name}", drawn)
        machines.append({
            "label": known.labels[contest.machine], "at": known.addresses[contest.machine],
            "anchor": contest.machine, "graph": name,
            "lines": lines,
        })  # fmt: skip
    yield page(
        f"{at}/history.html", "history.html.j2", name=printable(key[1]), machines=machines,
        rate=f"{100 * RATE:.0f}", least=LEAST_PERCENT,
    )  # fmt: skip


def history_of(
    entries: Iterable[SiteEntry],
    known: Known,
    choose: Callable[[SiteEntry], SiteFigure | None] = lambda one: one.figure,
) -> History | None:
    """Return the history of entries, oldest first, with its steps; None of fewer than two times.

    Figures in another unit than the newest are left out, and so are those without launches.
    """
    pairs = [(one, figure) for one in entries
             if (figure := choose(one)) is not None and not figure.spread
             and min(figure.values, default=0) > 0]  # fmt: skip
    last = pairs[-1][1] if pairs else None
    alike = [(one, figure) for one, figure in pairs
             if last and (figure.text, figure.measure) == (last.text, last.measure)]  # fmt: skip
    if len(alike) < 2:
        return None
    found = [Moment(*alike[0])]
    for (before, _), (after, figure) in itertools.pairwise(alike):
        outside = tuple(outside_changes(before, after, known))
        found.append(Moment(after, figure, tuple(code_changes(before, after)), outside))
    same = [not (one.code or one.outside) for one in found[1:]]
    steps = steps_of([one.figure.values for one in found], same)
    begun = {one.at: one for one in steps.found}
    moments = (replace(one, step=begun.get(at)) for at, one in enumerate(found))
    return History(tuple(moments), steps)


def code_changes(before: SiteEntry, after: SiteEntry) -> Iterator[str]:
    """Name what differs of the package between two results."""
    if before.cell.version != after.cell.version:
        yield "the package's contents"
    elif before.cell.code and before.cell.code != after.cell.code:
        yield "the machine code"


def outside_changes(before: SiteEntry, after: SiteEntry, known: Known) -> Iterator[str]:
    """Name what differs between two results besides the package: a step may come from it."""
    if before.cell.command != after.cell.command:
        yield f"options: {before.cell.command} to {after.cell.command}"
    if before.cell.counter != after.cell.counter:
        yield f"counter: {before.cell.counter or 'unknown'} to {after.cell.counter or 'unknown'}"
    if before.machine != after.machine:
        yield f"machine: {known.labels[before.machine]} to {known.labels[after.machine]}"
    old, new = _settings(before, known), _settings(after, known)
    both = bool(before.cell.settings) == bool(after.cell.settings)  # else one says more things
    different = {what for what, _ in old.items() ^ new.items()}
    for what in {**old, **new} if different else ():
        if what in different and (both or (what in old and what in new)):
            yield f"{what}: {old.get(what, 'unknown')} to {new.get(what, 'unknown')}"


def _settings(entry: SiteEntry, known: Known) -> Mapping[str, str]:
    return entry.cell.settings or known.facts[entry.source, entry.machine].settings


def _drawn(key: Key, machine: str, lines: Sequence[History]) -> Drawing:
    """Draw histories over days; a line marks where the environment changed."""
    first = min(_day(one) for history in lines for one in history.moments)
    drawn = [
        PlotLine(
            printable(history.moments[-1].entry.cell.implementation),
            tuple(Spot(_day(one) - first, one.figure.middle, *one.figure.interval,
                       marked=bool(one.outside)) for one in history.moments),
        )
        for history in lines
    ]  # fmt: skip
    start = date.fromordinal(int(first)).isoformat()
    unit = lines[0].moments[0].figure.text
    title = f"{printable(key[1])} on {machine}; grey lines: the environment changed"
    return curves(title, f"days since {start}", unit, drawn)


def _day(moment: Moment) -> float:
    """Return a moment as a day; the place in the order where its clock says nothing."""
    known = _day_of(moment.entry.cell.ended)
    return float(1 + moment.entry.source) if known is None else known


@lru_cache(maxsize=1024)
def _day_of(text: str) -> float | None:
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    seconds = when.replace(tzinfo=when.tzinfo or UTC)
    return seconds.toordinal() + seconds.hour / 24
