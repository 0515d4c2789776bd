# SPDX-License-Identifier: MIT
"""Measuring where nothing is timed: an emulator counts, and two launches must agree.

An emulated clock says nothing about time, so it is never read. Counts are exact:
a launch that gives other numbers than the one before it is marked, since code
whose path depends on more than its inputs has no one figure.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from assay.check.engine.cells import Made
from assay.check.engine.workshop import Workshop
from assay.check.stream.sizes import accepted_sizes, nearest_sizes
from assay.errors import AssayError
from assay.execute.agent import AgentError
from assay.measure.counted import Counter
from assay.measure.measuring import give_up
from assay.measure.stream.footprint import count
from assay.model import Counter as Clock
from assay.model import Launch, Sample, SizeChoice, StreamSubject
from assay.model.footprint import Steps
from assay.model.progress import Progress
from assay.plan.plan import Plan
from assay.store import Store

LAUNCHES = 2
NAMES = {
    "instructions": "a qemu plugin that counts executed instructions",
    "cycles": "simavr's cycle-accurate simulation",
}
QUIET = (1.0, 1.0)  # there is no neighbour in an emulated machine


def count_round(
    workshop: Workshop,
    store: Store,
    groups: Sequence[tuple[Made, ...]],
    plan: Plan,
    only: tuple[SizeChoice, ...],
    progress: Progress,
) -> None:
    """Count every machine code twice, unless the store has it."""
    del plan
    wanted = [group for group in groups if not store.launches(group[0].build.cell)]
    progress.begin("counting", len(wanted))
    for group in wanted:
        try:
            _count_group(workshop, store, group, only)
        except AgentError as error:
            give_up(store, tuple(one.build.cell for one in group), error)
        progress.advance(group[0].recipe.package.selector)


def _count_group(
    workshop: Workshop, store: Store, group: tuple[Made, ...], only: tuple[SizeChoice, ...]
) -> None:
    cell = group[0].build.cell
    subject = store.subject(cell)
    if not isinstance(subject, StreamSubject):
        raise AssayError(f"{cell} passed its checks without a description", "Report this.")
    sizes = nearest_sizes(subject, only) if only else accepted_sizes(subject)
    first: tuple[Sample, ...] = ()
    for _ in range(LAUNCHES):
        launch = count_once(workshop, group[0], subject, sizes)
        if first and launch.samples != first:
            launch = replace(launch, disturbed="its counts are not those of the launch before")
        first = launch.samples
        store.put_launch(launch)


def count_once(
    workshop: Workshop, made: Made, subject: StreamSubject, sizes: tuple[SizeChoice, ...]
) -> Launch:
    """Launch once and count all measures at all sizes."""
    build, unit = made.build, workshop.stage.target.counts or ""
    begun, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    samples: list[Sample] = []
    for choice in sizes:
        with workshop.stage.counted(workshop.admit(build), build.objects) as (agent, counting):
            steps = count(Counter(agent, counting, unit), subject, choice)
        samples += [_sample(one, choice) for one in steps]
    known = 1.0 if unit == "cycles" else None
    return Launch(
        cell=build.cell,
        object_hash=build.object_hash or "",
        seed=0,
        started_at=started,
        counter=Clock(NAMES[unit], 1, 0.0, known, known and 0.0, exact_unit=unit),
        latency_canary=QUIET,
        throughput_canary=QUIET,
        timed_seconds=0.0,
        total_seconds=time.monotonic() - begun,
        jail=workshop.stage.jail.mode.value,
        samples=tuple(samples),
    )


def _sample(steps: Steps, sizes: SizeChoice) -> Sample:
    return Sample(steps.measure, sizes, 1, 1, steps.work_bytes, (round(steps.amount),))
