# SPDX-License-Identifier: MIT
"""Launching where nothing is timed: an emulator counts, and launches must agree.

An emulated clock says nothing about time, so it is never read. Counts are exact: a launch
that gives other numbers than the first is marked, since code whose path depends on more than
its inputs has no one figure.
"""

import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from assay.measure.candidate import Candidate
from assay.measure.counted import CountedAgent
from assay.measure.launcher import Launcher
from assay.measure.task import LaunchTask
from assay.model import Counter as Clock
from assay.model import Launch, Sample

NAMES = {
    "instructions": "a qemu plugin that counts executed instructions",
    "cycles": "simavr's cycle-accurate simulation",
}
QUIET = (1.0, 1.0)  # there is no neighbour in an emulated machine


@dataclass(slots=True)
class ExactLauncher(Launcher):
    """Launches on a target that counts; `first` has the counts of each code's first launch."""

    first: dict[str, tuple[Sample, ...]] = field(default_factory=dict)

    def _launched(self, one: Candidate, task: LaunchTask) -> Launch:
        """Count everything once, in an agent for each part of the task."""
        stage, build = self.workshop.stage, one.group[0].build
        unit = stage.target.counts or ""
        begun, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
        samples: list[Sample] = []
        for count in task.counting:
            with stage.counted(self.workshop.admit(build), build.objects) as (agent, counting):
                samples += count(CountedAgent(agent, counting, unit))
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
        """Mark a launch that counted something else than the first."""
        if self.first.setdefault(one.code.object_hash, launch.samples) == launch.samples:
            return launch
        return replace(launch, disturbed="its counts are not those of the launch before")
