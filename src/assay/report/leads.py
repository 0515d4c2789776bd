# SPDX-License-Identifier: MIT
"""What stands around tables: what they answer, how far to believe it, where figures come from."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

from msgspec.structs import replace

from assay import __version__
from assay.grouped import grouped
from assay.model import Launch, Machine
from assay.report.compare.answers import BEYOND
from assay.report.printable import printable
from assay.report.table import Note, Report, Style, digits, figure_text, span
from assay.stats.comparison import Answer, Comparison, compare, compare_counts
from assay.stats.summary import calibration
from assay.summary.ranks import Entrant, Ranking, listed_names

DISTURBED = (
    "{} {} launches were disturbed; of these only what was timed between disturbances counts, "
    "or all where a row says so."
)


def lead(entrants: Sequence[Entrant | None], ranking: Ranking, unit: str) -> str:
    """Return the sentence; empty where fewer than two rows could be the fastest.

    The first is compared with the next one, as `assay compare` would compare them; what shares
    the first place is named without one. Of the rows of one implementation the best one counts.
    Whether rows are told apart is what the ranking found, though a table has no places where
    slower rows are not settled.
    """
    rows = zip(entrants, ranking.settled, strict=True)
    sound = [(one, place) for one, place in rows if one is not None and not one.dropped]
    sound.sort(key=lambda row: row[0].figure)
    first = {one.name: (one, place) for one, place in reversed(sound)}
    known = sorted(first.values(), key=lambda row: row[0].figure)
    if len(known) < 2:
        return ""
    (best, first_place), (other, next_place) = known[:2]
    takes = f"{figure_text(best.figure)} {unit}"
    equal = [one.name for one, place in known if place is not None and place.first == 1]
    if len(equal) > 1:
        return f"{listed_names(equal)} share the first place; {best.name} takes {takes}."
    found = _compared(other, best)
    if found is not None and found.answer is Answer.FASTER:
        return f"{best.name} is the fastest: {takes}, {_by(found)} less than {other.name}."
    if (least := _at_least(other, best)) > 0.0:
        return (
            f"{best.name} is the fastest: {takes}, at least {digits(least)} % less than "
            f"{other.name}, even if noise slowed only the latter."
        )
    beside = f"{other.name} takes {figure_text(other.figure)}"
    if first_place is None or next_place is None:
        return f"{best.name} takes {takes}, and {beside}: which is faster is not settled."
    return (
        f"{best.name} is in front: it takes {takes}, and {beside}. "
        "Too few quiet launches say by how much."
    )


def winners(firsts: Iterable[tuple[str, str, float, bool]], unit: str) -> str:
    """State what is first on which machine; empty unless there are several.

    Each has its machine, name and figure, and whether that place is its own alone.
    """
    known = tuple(firsts)
    unsure = {True: "", False: ", not separated from others"}
    found = grouped(
        (name, f"{machine} ({figure_text(figure)} {unit}{unsure[alone]})")
        for machine, name, figure, alone in known
    )
    said = "; ".join(f"{name} on {' and '.join(where)}" for name, where in found.items())
    return f"the fastest is {said}." if len(known) > 1 else ""


def _compared(first: Entrant, second: Entrant) -> Comparison | None:
    """Compare two rows; None where launches are not known, or no figure is sure."""
    if first.exact:
        return compare_counts(first.figure, second.figure)
    if any(one.estimated or one.disturbed or not one.values for one in (first, second)):
        return None
    return compare(first.values, second.values, detectable=False)


def _at_least(slower: Entrant, faster: Entrant) -> float:
    """Return by how many per cent the faster one takes less, had noise slowed the other alone.

    By BEYOND, between the launches that are closest; 0 or less where that may be all.
    """
    if any(one.estimated or one.exact or not one.values for one in (slower, faster)):
        return 0.0
    return 100.0 * (1.0 - BEYOND * max(faster.values) / min(slower.values))


def _by(found: Comparison) -> str:
    """Write by how much, with the interval where something was timed."""
    change = f"{digits(abs(found.change_percent))} %"
    if found.interval is None or found.interval.low_percent == found.interval.high_percent:
        return change
    sure = f"{100 * found.interval_confidence:.3g} % confidence"
    return f"{change} ({span(found.interval)}, {sure})"


def trusted(report: Report, machine: Machine | None, launches: Sequence[Launch]) -> Report:
    """Return the report with lines on how far its figures can be believed, and their origin."""
    said = trust_text(machine, launches)
    below = (*report.below, *(Note(line, Style.PLAIN) for line in said))
    return replace(report, below=below, origin=origin_text(machine, launches))


def trust_text(machine: Machine | None, launches: Sequence[Launch]) -> tuple[str, ...]:
    """Return the error of the calibration, how many launches count, and what the doctor said.

    Of results where nothing was timed no more is said than that they are dated in the future.
    """
    timed = [launch for launch in launches if launch.conditions is not None]
    newest = max((launch.started_at[:10] for launch in launches), default="")
    lines = []
    if in_future(newest, datetime.now(UTC).date()):
        lines.append(f"Results are dated {newest}, in the future: a clock is wrong.")
    if not timed:
        return tuple(lines)
    error = calibration(timed)
    lines.append(
        error.text if error else "No number of core cycles per tick was established: ticks."
    )
    marked = sum(bool(launch.disturbed) for launch in timed)
    if marked:
        how_many = "All" if marked == len(timed) else f"{marked} of"
        lines.append(DISTURBED.format(how_many, len(timed)))
    if machine is not None and machine.diagnosis:
        lines.append(f"Machine: {printable(machine.diagnosis)}.")
    return tuple(lines)


def in_future(day: str, today: date) -> bool:
    """Return whether a day is later than any clock that is right can say; False if it is none."""
    try:
        return (date.fromisoformat(day) - today).days > 1
    except ValueError:
        return False


def origin_text(machine: Machine | None, launches: Sequence[Launch]) -> str:
    """Return the sentence; empty where nothing is known of a machine or nothing was launched."""
    if machine is None or not launches:
        return ""
    guest = f", virtualised ({machine.virtualised})" if machine.virtualised else ""
    hardware = f"{machine.cpu}, {machine.architecture}{guest}"
    counters = dict.fromkeys(launch.counter.name for launch in launches)
    parts = (
        f"{measured_on(launches)} on {machine.host} ({hardware})",
        f"clock: {' and '.join(counters)}",
        *((f"compilers: {' and '.join(machine.compilers)}",) if machine.compilers else ()),
        f"by Assay {machine.assay or __version__}",
    )
    return f"Measured {', '.join(parts)}."


def measured_on(launches: Sequence[Launch]) -> str:
    """Return the day of the launches, or the first and the last one."""
    days = sorted({launch.started_at[:10] for launch in launches})
    return days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
