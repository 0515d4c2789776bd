# SPDX-License-Identifier: MIT
"""How far the figures of a results folder can be believed, in a few lines."""

from collections.abc import Sequence
from dataclasses import replace

from assay.model import Launch, Machine
from assay.report.origin import origin_text
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

    Nothing is said of results where nothing was timed.
    """
    timed = [launch for launch in launches if launch.conditions is not None]
    if not timed:
        return ()
    lines = []
    error = calibration(timed)
    lines.append(
        error.text if error else "No number of core cycles per tick was established: ticks."
    )
    marked = sum(bool(launch.disturbed) for launch in timed)
    if marked:
        lines.append(f"{marked} of {len(timed)} launches were disturbed and do not count.")
        if marked == len(timed):
            lines[-1] = (
                f"All {marked} launches were disturbed, so the figures come from "
                "disturbed launches."
            )
    if machine is not None and machine.diagnosis:
        lines.append(f"Machine: {printable(machine.diagnosis)}.")
    return tuple(lines)
