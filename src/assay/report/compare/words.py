# SPDX-License-Identifier: MIT
"""What a comparison says in words, the doubts included."""

from collections.abc import Iterator

from assay.model.compared import UNCOMPARED
from assay.model.series import NANOSECONDS, TICKS, Series
from assay.report.compare.answers import BESIDE, BEYOND, Compared, ComparedMeasure
from assay.report.table import digits, span
from assay.stats.comparison import Answer

DOUBT = (
    "launches of both sides were not mixed: a machine changes with time, and comparisons of "
    "equal code measured one after the other gave 56 % false alarms. Measure both in one "
    "campaign: `assay compare A B --measure`, or `assay run A B --results FOLDER`."
)

UNTRUSTED = "not trusted, as no launch was quiet"


def answer_text(row: ComparedMeasure) -> str:
    """Describe what was found for one measure."""
    found, counts = row.comparison, row.first.counts
    if row.same_code:
        return "the same machine code, measured once"
    if found.answer is Answer.SAME:
        return f"the same {counts}" if counts else f"no difference seen{_reach(row)}"
    if found.answer is Answer.UNKNOWN:
        has = " and ".join(map(str, found.launches))
        return f"cannot be said: needs {found.needed} launches each, has {has}"
    if found.answer is Answer.UNTRUSTED:
        return f"{UNTRUSTED} ({found.change_percent:+.1f} %)"
    change = abs(found.change_percent)
    if counts:
        word = "fewer" if found.answer is Answer.FASTER else "more"
        return f"{found.answer.value}: {digits(change)} % {word} {counts}"
    if row.at_least_percent is not None:
        least = f"at least {digits(row.at_least_percent)} % whatever disturbed the launches"
        return f"{found.answer.value} by {digits(change)} % ({least})"
    between = f" ({span(found.interval)})" if found.interval else ""
    return f"{found.answer.value} by {digits(change)} %{between}"


def witness_text(witness: ComparedMeasure | None) -> str:
    """Describe what an emulator counted."""
    if witness is None:
        return ""
    one = witness.first
    return f"{witness.comparison.change_percent:+.2f} % {one.counts} ({one.target})"


def figure_unit(row: ComparedMeasure) -> str:
    """Name the unit of a figure: `cycles/byte`."""
    return f"{'ns' if row.unit == NANOSECONDS else row.unit}/{row.first.work_unit}"


def name_of(series: Series) -> str:
    """Name a side of a row."""
    variant = "" if series.subject.variant == 1 else f"/{series.subject.variant}"
    return f"{series.implementation}{variant}"


def doubts(compared: Compared) -> tuple[str, ...]:
    """Describe what a reader must know before believing the answers; the gravest first."""
    rows = compared.rows
    return (
        *_about_turns(rows),
        *_about_machines(rows),
        *_about_settings(compared),
        *_about_units(rows),
        *_about_cells(rows),
        *_about_luck(rows),
        *_about_rest(compared),
    )


def _reach(row: ComparedMeasure) -> str:
    """Describe what would have been seen."""
    seen = row.comparison.detectable_percent
    if seen is None:
        return ""
    least = "less than 0.01" if seen < 0.01 else digits(seen)
    return f"; one of {least} % would have been seen"


def _about_turns(rows: tuple[ComparedMeasure, ...]) -> Iterator[str]:
    apart = sum(row.in_turn is False for row in rows)
    if apart:
        yield f"in {apart} of {len(rows)} rows {DOUBT}"


def _about_machines(rows: tuple[ComparedMeasure, ...]) -> Iterator[str]:
    pairs = {(row.first.machine, row.second.machine) for row in rows}
    for first, second in sorted(pairs):
        if first != second:
            yield (
                f"the sides are of different machines, {first} and {second}: what differs may be "
                "the machine, and a cycle of one is no cycle of the other."
            )
    counters = {(row.first.clock, row.second.clock) for row in rows if not row.same_code}
    for first, second in sorted(counters):
        if first != second:
            yield f"the sides have different counters: {first}; {second}."


def _about_settings(compared: Compared) -> Iterator[str]:
    """Name what else differs, where each side is of a folder that says it."""
    sides = (compared.first, compared.second)
    old, new = ({} if any(s.imported for s in one.series) else one.settings for one in sides)
    differ = [
        f"{name} ({old.get(name, 'unknown')}; {new.get(name, 'unknown')})"
        for name in dict.fromkeys((*old, *new))
        if old and new and old.get(name) != new.get(name)
    ]
    if differ:
        yield f"what differs may be, besides the sides: {', '.join(differ)}."


def _about_units(rows: tuple[ComparedMeasure, ...]) -> Iterator[str]:
    units = {row.unit for row in rows}
    if TICKS in units:
        yield "ticks are not core cycles: a change of the clock between launches moves them."
    if NANOSECONDS in units:
        yield "core cycles are not known on both sides: compared is time, clock rate included."


def _about_cells(rows: tuple[ComparedMeasure, ...]) -> Iterator[str]:
    series = [one for row in rows for one in (row.first, row.second)]
    failed = sorted({name_of(one) for one in series if one.failed})
    if failed:
        yield f"failed checks: {', '.join(failed)}. A wrong implementation may be fast."
    unknown = sorted({name_of(one) for one in series if not one.compared})
    if unknown:
        yield f"{UNCOMPARED}: {', '.join(unknown)}. A wrong implementation may be fast."
    noisy = sorted({name_of(one) for one in series if one.disturbed})
    if noisy:
        yield (
            f"measured under disturbance, as no launch of a side was quiet: {', '.join(noisy)}. "
            f"Differences below a factor of {BESIDE:g}, or {BEYOND:g} where the sides were not "
            "in turn, are not trusted; measure again when the machine is less busy."
        )


def _about_luck(rows: tuple[ComparedMeasure, ...]) -> Iterator[str]:
    most = max((max(row.chosen_of) for row in rows if row.best_of_each), default=1)
    if most > 1:
        yield (
            f"configurations are each side's fastest of up to {most}, chosen by these very "
            "launches: the luckiest wins. Name them with @CONFIGURATION, or measure again."
        )


def _about_rest(compared: Compared) -> Iterator[str]:
    for side, count in zip((compared.first, compared.second), compared.alone, strict=True):
        if count:
            what = "has" if count == 1 else "have"
            yield f"{count} of {side.text} {what} no counterpart on the other side."
