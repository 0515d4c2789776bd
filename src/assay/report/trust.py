# SPDX-License-Identifier: MIT
"""How far the figures of a results folder can be believed, and where they come from."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime

from assay import __version__
from assay.model import Launch, Machine
from assay.report.printable import printable
from assay.report.table import Note, Report, Style
from assay.stats.calibration import calibration


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
    if marked == len(timed):
        lines.append(
            f"All {marked} launches were disturbed, so the figures come from disturbed launches."
        )
    elif marked:
        lines.append(f"{marked} of {len(timed)} launches were disturbed and do not count.")
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
