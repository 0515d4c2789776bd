# SPDX-License-Identifier: MIT
"""Which implementation of a primitive is best, and what it costs: the eBACS way, with care.

All that passed its checks is timed once on the same task. Whatever comes near the best
of its league is timed again, in turn with the others and in processes of its own, and
the least median wins. Only then is the winner measured, again in new processes: the
figures printed are not the luckiest of many.
"""

import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from assay.check.engine.cells import Made
from assay.check.engine.retry import unless_killed
from assay.check.engine.workshop import Workshop
from assay.check.operation.session import OperationSession
from assay.check.operation.tasks import Group, group, has_message
from assay.errors import AssayError
from assay.execute.agent import Agent, AgentError
from assay.execute.lock import machine_lock
from assay.execute.processor import away_from
from assay.measure.gauge import Gauge
from assay.measure.launch import Launched, measure_once
from assay.measure.measuring import give_up
from assay.measure.operation.measures import OperationEffort, OperationTaken, score, take
from assay.model import Launch, OperationSubject
from assay.model.progress import Progress
from assay.stats.summary import per_test
from assay.store import Store
from assay.timing.clock import CounterOption

SCORE = "score/-"
NEAR = 0.10  # what is within this of the best may be the best
MOST_NEAR = 4
FURTHER_SCORES = 2
CONSTANT_TIME = "constbranchindex"


@dataclass(slots=True)
class Entrant:
    """A machine code that passed, its cells, and what is known of its speed.

    `measured` names the measures of every undisturbed launch that there was before.
    """

    group: tuple[Made, ...]
    subject: OperationSubject
    launched: Launched
    league: str
    scores: list[float] = field(default_factory=list)
    measured: tuple[frozenset[str], ...] = ()
    out: bool = False

    @property
    def standing(self) -> float:
        """The score so far, in core cycles or ticks; infinite without one."""
        return statistics.median(self.scores) if self.scores else float("inf")


@dataclass(slots=True)
class Contest:
    """The entrants of one primitive, on one machine."""

    workshop: Workshop
    store: Store
    gauge: Gauge
    effort: OperationEffort
    launches: int
    sizes: Sequence[tuple[int, int]]
    progress: Progress
    random: Random

    def hold(self, entrants: list[Entrant], *, everything: bool = False) -> list[Entrant]:
        """Time all, find the winners, measure them (or everything); give who was measured."""
        with away_from(self.workshop.stage.cpu):
            self._score([one for one in entrants if not one.scores])
            again = [(one, 1 + FURTHER_SCORES - len(one.scores)) for one in self._near(entrants)]
            self._score([one for one, missing in again for _ in range(missing)])
            chosen = [one for one in entrants if not one.out] if everything else winners(entrants)
            self._measure(chosen)
            return chosen

    def _score(self, turns: Iterable[Entrant]) -> None:
        order = [one for one in turns if not one.out]
        self.random.shuffle(order)
        self.progress.begin("choosing", len(order))
        for one in order:
            launch = self._launch(one, scores=True)
            if launch is not None:
                one.scores += [_score_of(launch)]
            self.progress.advance(one.launched.cell.selector)

    def _near(self, entrants: list[Entrant]) -> Iterator[Entrant]:
        """Yield what is near the best of its league, if anything beside the best is."""
        for league in sorted({one.league for one in entrants}):
            mine = [one for one in entrants if one.league == league and one.scores]
            mine.sort(key=lambda one: one.standing)
            near = [one for one in mine if one.standing <= mine[0].standing * (1 + NEAR)]
            yield from near[:MOST_NEAR] if len(near) > 1 else ()

    def _measure(self, chosen: list[Entrant]) -> None:
        turns = [one for one in chosen for _ in range(self.launches - self._had(one))]
        self.random.shuffle(turns)
        self.progress.begin("measuring", len(turns))
        for one in turns:
            launch = None if one.out else self._launch(one, scores=False)
            if launch is not None and launch.disturbed:
                self._launch(one, scores=False)
            self.progress.advance(one.launched.cell.selector)

    def _had(self, one: Entrant) -> int:
        """Count the launches of before that measured all that is wanted now."""
        wanted = {
            f"{task.key}/{'-' if each.size is None else each.size}"
            for each in self.groups_of(one.subject)
            for task in each.tasks
            if task.key
        }
        return sum(wanted <= measured for measured in one.measured)

    def _launch(self, one: Entrant, *, scores: bool) -> Launch | None:
        """Launch once and write it down; None if the code does not go through with it."""
        try:
            launch = unless_killed(partial(self._measured, one, scores=scores))
        except AgentError as error:
            one.out = True
            give_up(self.store, tuple(made.build.cell for made in one.group), error)
            return None
        launch = self.gauge.judged(launch)
        self.store.put_launch(launch)
        return launch

    def _measured(self, one: Entrant, *, scores: bool) -> Launch:
        """Launch two agents with the machine for themselves; one is timed, the other never."""

        def taken(agent: Agent, second: Agent, random: Random) -> OperationTaken:
            session, proof = (OperationSession(each, one.subject) for each in (agent, second))
            if scores:
                return score(session, proof, self.effort, random)
            return take(session, proof, self.groups_of(one.subject), self.effort, random)

        with machine_lock(exclusive=True):
            self.gauge.look()
            seed = self.random.getrandbits(63)
            stage, counter = self.workshop.stage.patient("operation"), self.gauge.counter
            return measure_once(stage, one.launched, counter, taken, seed)[0]

    def groups_of(self, subject: OperationSubject) -> list[Group]:
        """Return what to measure; one group where there is no message."""
        sizes = self.sizes if has_message(subject.operation) else ((0, 0),)
        return [group(subject, *each) for each in sizes]


def winners(entrants: Iterable[Entrant]) -> list[Entrant]:
    """Return the best of each league; the one that leaks timings only if it is faster."""
    best: dict[str, Entrant] = {}
    for one in entrants:
        if one.out or not one.scores:
            continue
        if one.league not in best or one.standing < best[one.league].standing:
            best[one.league] = one
    safe = best.get(CONSTANT_TIME)
    return [
        one
        for league, one in sorted(best.items())
        if league == CONSTANT_TIME or safe is None or one.standing < safe.standing
    ]


def entrant(workshop: Workshop, store: Store, made: tuple[Made, ...]) -> Entrant:
    """Enter a machine code that has passed, with what is known of it from before."""
    build = made[0].build
    subject = store.subject(build.cell)
    if not isinstance(subject, OperationSubject) or build.object_hash is None:
        raise AssayError(f"{build.cell} passed its checks without a description", "Report this.")
    launched = Launched(build.cell, build.object_hash, workshop.admit(build))
    one = Entrant(made, subject, launched, build.league)
    before = [each for each in store.launches(build.cell) if not each.disturbed]
    one.scores = [_score_of(each) for each in before if _is_score(each)]
    full = [each for each in before if not _is_score(each)]
    one.measured = tuple(frozenset(sample.measure for sample in each.samples) for each in full)
    return one


def _is_score(launch: Launch) -> bool:
    return any(sample.measure == SCORE for sample in launch.samples)


def effort_for(counter: CounterOption, samples: int) -> OperationEffort:
    """Return how much to time with a counter."""
    rate = counter.ticks_per_second
    return OperationEffort(samples, counter.step_ticks, rate)


def _score_of(launch: Launch) -> float:
    sample = next(one for one in launch.samples if one.measure == SCORE)
    return per_test(launch, sample) * (launch.counter.cycles_per_tick or 1.0)
