# SPDX-License-Identifier: MIT
"""Launching where nothing is timed: an emulator counts.

An emulated clock says nothing about time, so it is never read. Counts are exact, but inputs are
drawn for each launch: code whose path depends on them gives other numbers in each.
"""

import time
from dataclasses import dataclass
from datetime import UTC, datetime

from assay.measure.candidate import Candidate
from assay.measure.counted_launch import CountedLaunch
from assay.measure.launcher import Launcher
from assay.measure.task import LaunchTask
from assay.model import Counter as Clock
from assay.model import Launch

NAMES = {
    "instructions": "a qemu plugin that counts executed instructions",
    "cycles": "simavr's cycle-accurate simulation",
}
QUIET = (1.0, 1.0)  # there is no neighbour in an emulated machine


@dataclass(slots=True)
class ExactLauncher(Launcher):
    """Launches on a target that counts."""

    def _launched(self, one: Candidate, task: LaunchTask) -> Launch:
        """Count everything once, in an agent for each part of the task."""
        stage, build = self.workshop.stage, one.group[0].build
        unit = stage.target.counts or ""
        begun, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        counted = CountedLaunch(self.workshop, one.group[0].recipe, build, one.subject)
        samples = counted.take(task.counting)
        known = 1.0 if unit == "cycles" else None
        return Launch(
            cell=one.code.cell,
            object_hash=one.code.object_hash,
            seed=0,
            started_at=started,
            counter=Clock(NAMES[unit], 1, 0.0, known, known and 0.0, exact_unit=unit),
            latency_canary=QUIET,
            throughput_canary=QUIET,
            timed_seconds=0.0,
            total_seconds=time.monotonic() - begun,
            jail=stage.jail.mode.value,
            samples=tuple(samples),
        )

    def _judged(self, one: Candidate, launch: Launch) -> Launch:
        """Return the launch: nothing beside it changes a count."""
        del one
        return launch
