# SPDX-License-Identifier: MIT
"""The tables of histories: a row for each time, the line drawn beside it, and the steps named."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from assay.report.leads import in_future
from assay.report.printable import printable
from assay.report.table import Column, Note, Report, Style, Table, TableRow, decimals
from assay.site.figures import what_is
from assay.site.history import History, Moment
from assay.site.page import Known
from assay.site.views import SiteEntry
from assay.stats.rank_sum import launches_needed
from assay.stats.steps import RATE, HistoryStep

WIDTH = 24  # characters of a drawn line
NEW, DOT = "-", "o"
METHOD = (
    "Steps: the Mann-Whitney test over launches, where each history is cut; "
    f"{100 * RATE:.0f} % of histories without a step show one at most."
)


class DatedCommit(Struct, frozen=True):
    """When a commit was made, in ISO 8601, the first line of its message, and its place.

    The place is that among all commits that were measured, from the oldest on.
    """

    date: str
    subject: str
    place: int

    @property
    def moment(self) -> datetime:
        """Return when it was made."""
        return moment_of(self.date)


class Line(Struct, frozen=True):
    """The results of a subject in their order; its history is None if it was measured once."""

    entries: tuple[SiteEntry, ...]
    history: History | None
    by_commit: bool


def moment_of(text: str) -> datetime:
    """Read a time; the oldest there is for what is none."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return datetime.min.replace(tzinfo=UTC)
    return found.replace(tzinfo=found.tzinfo or UTC)


def history_report(
    lines: Sequence[Line], known: Known, dated: Mapping[str, DatedCommit], said: Iterable[str]
) -> Report:
    """Make the report of histories; those with one time are named below."""
    shown = [(one, one.history) for one in lines if one.history]
    tables = tuple(_table(line, history, known, dated) for line, history in shown)
    above = [text for _, history in shown for text in _sentences(history, known, dated)]
    once = [f"{_title(one.entries[-1], known)}: measured once, so there is no history yet."
            for one in lines if not one.history]  # fmt: skip
    machines = {line.entries[0].machine for line, _ in shown}
    several = ["Machines are never compared: each has a history of its own."] * (len(machines) > 1)
    clocks = dict.fromkeys(text for line, _ in shown for text in _clocks(line, dated))
    below = [*said, *clocks, *several, *once]
    notes = tuple(Note(text, Style.LEAD) for text in above or ["No step was found."])
    return Report(
        tables, notes, tuple(Note(text, Style.OPEN) for text in below),
        {"histories": [_record(line, history, known) for line, history in shown]},
    )  # fmt: skip


def _title(entry: SiteEntry, known: Known) -> str:
    cell = entry.cell
    variant = f" (variant {cell.variant})" if cell.variant > 1 else ""
    return f"{cell.selector}{variant} with {cell.configuration} on {known.labels[entry.machine]}"


def _step_style(values: Mapping[str, Any]) -> Style:
    if not values["step"]:
        return Style.PLAIN
    if values["outside"]:
        return Style.OPEN
    return Style.SLOWER if values["step_percent"] > 0 else Style.FASTER


COLUMNS = (
    Column("measured", "measured", whole=True),
    Column("commit", "commit", whole=True, optional=True),
    Column("subject", "subject", optional=True, spare=1),
    Column("value", "figure", number=True, text=decimals(2)),
    Column("known", "known to", text=str, exported=False, spare=3),
    Column("launches", "n", number=True, spare=2),
    Column("line", "line", text=str, whole=True, exported=False, spare=4),
    Column("step", "step", text=str, style=_step_style, optional=True),
    Column("changed", "what changed", text=str, optional=True),
    *map(Column, ("implementation", "variant", "configuration", "machine", "measure", "sizes")),
    *map(Column, ("low", "high", "step_percent", "step_low", "step_high", "step_p", "outside")),
)


def _table(line: Line, history: History, known: Known, dated: Mapping[str, DatedCommit]) -> Table:
    last = history.moments[-1]
    what = what_is(last.entry.cell.family, last.figure)
    middles = [one.figure.middle for one in history.moments]
    place = max(middles) - min(middles) or 1.0
    rows = tuple(
        TableRow({
            **_values(one, known, dated),
            "line": _drawn((one.figure.middle - min(middles)) / place, changed=bool(one.outside)),
        })
        for one in history.moments
    )  # fmt: skip
    order = "commit" if line.by_commit else "time"
    seen = history.steps.smallest_percent
    smallest = (
        f"The smallest step that would have been seen at the newest {order}: {seen:.1f} %"
        if seen is not None
        else "No step would have been seen at the newest time: it needs more launches "
        f"(--launches {launches_needed(RATE / (len(rows) - 1))} is always enough)"
    )
    scatter = (
        f"from {order} to {order} this benchmark scatters by up to "
        f"{history.steps.scatter_percent:.1f} %, below which nothing is a step"
    )
    return Table(
        f"{_title(last.entry, known)}: {what}", last.figure.text, COLUMNS, rows,
        (f"{smallest}; {scatter}. {METHOD} Dashes: the environment changed.",),
    )  # fmt: skip


def _drawn(share: float, *, changed: bool) -> str:
    """Draw a time as a dot between the lowest and the highest figure."""
    at = round(share * (WIDTH - 1))
    fill = NEW if changed else " "
    return fill * at + DOT + fill * (WIDTH - 1 - at)


def _values(one: Moment, known: Known, dated: Mapping[str, DatedCommit]) -> dict[str, Any]:
    cell, step = one.entry.cell, one.step
    low, high = one.figure.interval
    commit = dated.get(cell.commit)
    return {
        "measured": cell.ended[:16].replace("T", " ") or "unknown",
        "commit": cell.commit, "subject": commit.subject if commit else "",
        "value": one.figure.middle, "low": low, "high": high,
        "known": f"{low:.2f} to {high:.2f}", "launches": len(one.figure.values),
        "step": _step_text(step) if step else "", "step_percent": step and step.percent,
        "step_low": step and step.interval and step.interval.low_percent,
        "step_high": step and step.interval and step.interval.high_percent,
        "step_p": step and step.p, "outside": bool(one.outside),
        "changed": printable(one.changed),
        "implementation": cell.selector, "variant": cell.variant,
        "configuration": cell.configuration, "machine": known.labels[one.entry.machine],
        "measure": one.figure.measure, "sizes": one.figure.sizes,
    }  # fmt: skip


def _step_text(step: HistoryStep) -> str:
    way = "slower" if step.percent > 0 else "faster"
    span = step.interval
    known = f"{abs(span.low_percent):.1f} to {abs(span.high_percent):.1f} %, " if span else ""
    return f"{abs(step.percent):.1f} % {way} ({known}p {step.p:.2g})"


def _sentences(history: History, known: Known, dated: Mapping[str, DatedCommit]) -> Iterator[str]:
    """Yield a sentence for each step: since when, by how much, how sure, and what it is of."""
    before = history.moments[0]
    for one in history.moments:
        if one.step:
            where = _title(one.entry, known)
            since = f"since {_when(one, dated)} (before: {_when(before, dated)})"
            doubt = f": {one.doubt}" if one.doubt else ""
            outside = f" ({'; '.join(map(printable, one.outside))})" if one.outside else ""
            yield f"{where}: {_step_text(one.step)} {since}{doubt}{outside}."
        before = one


def _when(one: Moment, dated: Mapping[str, DatedCommit]) -> str:
    commit = one.entry.cell.commit
    known = dated.get(commit)
    subject = f" “{printable(known.subject)}”" if known else ""
    return f"{commit}{subject}" if commit else one.entry.cell.ended[:16].replace("T", " ")


def _clocks(line: Line, dated: Mapping[str, DatedCommit]) -> Iterator[str]:
    """Yield where clocks disagree with each other, or with today."""
    today = datetime.now(UTC).date()
    for one in line.entries:
        made, ended = dated.get(one.cell.commit), one.cell.ended
        if in_future(ended[:10], today):
            yield f"Results are dated {ended[:10]}, in the future: set the machine's clock."
        if made and moment_of(ended) < made.moment:
            yield (
                f"{one.cell.commit} was measured at {ended[:16]}, before it was made "
                f"({made.date[:16]}): a clock was wrong; the order is that of the commits."
            )


def _record(line: Line, history: History, known: Known) -> dict[str, Any]:
    last = history.moments[-1].entry
    return {
        "implementation": last.cell.selector,
        "configuration": last.cell.configuration,
        "machine": known.labels[last.machine],
        "by_commit": line.by_commit,
        "scatter_percent": history.steps.scatter_percent,
        "smallest_percent": history.steps.smallest_percent,
    }
