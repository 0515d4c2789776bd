# SPDX-License-Identifier: MIT
"""One launch that counts, and the proof that what was counted did its work.

Code that leaves out what is counted would have the best figure of all. So inputs are random, and
agents that count nothing must come to the same outputs by other calls: one of the same build, and
one of the implementation that Assay brings, where it has the primitive.

An emulated clock says nothing about time, so it is never read. Counts are exact, but inputs are
drawn for each launch: code whose path depends on them gives other numbers in each.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from assay.check.engine.build import ReferenceUnusableError, described
from assay.check.engine.workshop import Workshop
from assay.compile.recipe import Recipe
from assay.execute.agent import Agent, AgentError
from assay.measure.audit import WrongOutput
from assay.measure.candidate import Candidate
from assay.measure.counted import CountedAgent, Proof
from assay.measure.launcher import Launcher
from assay.measure.task import LaunchTask
from assay.model import Build, Launch, Subject
from assay.model import Counter as Clock
from assay.package.shipped import counterpart
from assay.plan.choice import like
from assay.timing.witness import making_sense

ResultT = TypeVar("ResultT")


class CountedLaunch(Struct, frozen=True):
    """A built code that is counted on its target."""

    workshop: Workshop
    recipe: Recipe
    build: Build
    subject: Subject

    def take(self, counts: Sequence[Callable[[CountedAgent], Iterable[ResultT]]]) -> list[ResultT]:
        """Count once, in an agent for each of `counts`; WrongOutput if what was written is wrong.

        AgentError if an agent fails.
        """
        unit, stage = self.workshop.stage.target.counts or "", self.workshop.stage
        found: list[ResultT] = []
        proofs: list[Proof] = []
        agent = self.workshop.admit(self.build)
        for count in counts:
            with (
                making_sense(),
                stage.counted(agent, _counted_objects(self.build)) as (opened, counting),
            ):
                counter = CountedAgent(opened, counting, unit, proofs=proofs)
                found += count(counter)
        self._prove(proofs)
        return found

    def _prove(self, proofs: Iterable[Proof]) -> None:
        """Have all that was counted repeated by agents that count nothing."""
        with making_sense(), self.workshop.connector(self.build)() as own:
            for proof in proofs:
                _require(proof(own, self.subject), "when it was not counted")
                own.forget_buffers()
        other = counterpart(self.recipe.package)
        if other is None:
            return
        try:
            build, subject = described(self.workshop, like(self.recipe, other))
        except ReferenceUnusableError:
            return
        connect = self.workshop.connector(build)
        for difference in _answers(proofs, connect, subject):
            _require(difference, f"{other.selector} does")


def _counted_objects(build: Build) -> tuple[Path, ...]:
    """Name the objects whose functions are counted: with an operation's, those it uses."""
    whole = tuple(path.with_suffix(".whole") for path in build.objects)
    return whole if all(path.exists() for path in whole) else build.objects


def _answers(
    proofs: Iterable[Proof], connect: Callable[[], Agent], subject: Subject
) -> Iterator[str]:
    """Ask another implementation; one that fails proves nothing."""
    try:
        with making_sense(), connect() as agent:
            for proof in proofs:
                yield proof(agent, subject)
                agent.forget_buffers()
    except WrongOutput:
        raise
    except AgentError:
        return


def _require(difference: str, than: str) -> None:
    if difference:
        raise WrongOutput(
            f"while it was counted it wrote something else than {than}: {difference}"
        )


NAMES = {
    "instructions": "a qemu plugin that counts executed instructions",
    "cycles": "simavr's cycle-accurate simulation",
}
QUIET = (1.0, 1.0)  # there is no neighbour in an emulated machine


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
