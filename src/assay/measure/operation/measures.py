# SPDX-License-Identifier: MIT
"""Timing an operation: every call on fresh inputs, every output compared afterwards.

A second agent, which is not timed, makes the inputs of each task and its right outputs one by one.
Then an agent is timed on these inputs, and what its calls wrote is read back: if anything
differs, the figure is refused. So code that remembers its last message, looks up what it
sealed before, or does less when it is called many times, wins nothing.
"""

import itertools
import statistics
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.operation.routines import TimedGroup, scored
from assay.check.operation.session import OperationSession
from assay.execute.agent import Agent
from assay.measure.operation.account import Uneven, make_again
from assay.measure.operation.bed import Bed
from assay.measure.operation.challenge import Challenge
from assay.measure.operation.parts import counting, parts
from assay.measure.operation.recall import Recall, recalls, repeat
from assay.measure.operation.request_size import SHORT_SECONDS, Beds, request_size_of
from assay.measure.operation.rounds import GroupTiming, TakenTask
from assay.measure.operation.timing import OperationEffort, Timing
from assay.measure.series import DIGITS, beats_of
from assay.measure.task import NO_SIZES, Batches, Connect
from assay.model import Beats, OperationSubject, Sample
from assay.model.operation import SCORE, scores
from assay.model.operations import OPERATIONS
from assay.model.timed import WRITTEN
from assay.timing.beats import Rhythm
from assay.timing.witness import believed


def samples_of(
    subject: OperationSubject,
    group: TimedGroup,
    challenge: Challenge,
    timing: Timing,
    calls: int,
    heard: Rhythm,
) -> Iterator[Sample]:
    """Yield the samples of a task, under SUPERCOP's keys; `heard` is how the core was."""
    size = "-" if group.size is None else group.size
    task, block = challenge.task, group.variables.get("m", 0)
    yield Sample(
        f"{task.key}/{size}", NO_SIZES, 1, calls, block, timing.ticks, beats_of(heard),
        quiet=heard.quiet,
    )  # fmt: skip
    stem = task.key.removesuffix("cycles")
    if OPERATIONS[subject.operation].randomised:
        for what, values in (
            ("randombytes", timing.random_bytes),
            ("randomcalls", timing.random_calls),
        ):
            yield Sample(f"{stem}{what}/{size}", NO_SIZES, 1, calls, block, values)
    if WRITTEN in task.arguments and not task.key.startswith(("forgery", "open", "decrypt")):
        yield Sample(f"{stem}bytes/{size}", NO_SIZES, 1, 1, block, challenge.lengths[-1:])


def score_of(samples: Iterable[Sample]) -> Sample:
    """Add up the calls of a group: ticks per round of them, of which a sample has the most."""
    parts = [one for one in samples if scores(one.measure.split("/")[0])]
    tests = max(one.tests for one in parts)
    rounds = ([tick * tests // one.tests for tick in one.ticks] for one in parts)
    ticks = tuple(sum(each) for each in zip(*rounds, strict=True))
    quiet = all(one.quiet for one in parts)
    return Sample(SCORE, NO_SIZES, 1, tests, 0, ticks, _beats_of_all(parts), quiet=quiet)


def _beats_of_all(samples: Sequence[Sample]) -> Beats | None:
    """Return the clock of samples that are added up, each by its share of the ticks."""
    heard = [(one.beats, statistics.median(one.ticks) / one.tests) for one in samples]
    known = [(beats, ticks) for beats, ticks in heard if beats is not None]
    whole = sum(ticks for _, ticks in known)
    if len(known) < len(heard) or not whole:
        return None
    pace = sum(beats.cycles_per_tick * ticks for beats, ticks in known) / whole
    return Beats(round(pace, DIGITS), max(beats.core_share for beats, _ in known))


SCORES_ACCOUNTED = 0.25  # a group takes twice as long then
SCORED_SAMPLES = 63  # as many as SUPERCOP compares implementations by


class OperationTaken(Struct):
    """What a launch measured, and how many ticks went into timed calls, thrown away or not."""

    samples: tuple[Sample, ...] = ()
    timed_ticks: int = 0
    batches: Batches = field(default_factory=dict)  # calls are counted anew in each launch
    subject: OperationSubject | None = None
    chosen: tuple[Recall, ...] = ()
    uneven: tuple[Uneven, ...] = ()

    def joined(self, other: "OperationTaken") -> "OperationTaken":
        """Return both."""
        return replace(
            self,
            samples=self.samples + other.samples,
            timed_ticks=self.timed_ticks + other.timed_ticks,
            chosen=self.chosen + other.chosen,
            uneven=self.uneven + other.uneven,
        )

    def prove(self, _: Agent, connect: Connect) -> None:
        """Have the chosen calls repeated; every group was proved right after it was timed."""
        if self.subject is not None and self.chosen:
            with connect() as fresh:
                repeat(fresh, self.subject, self.chosen)
        for one in self.uneven:
            believed(partial(self._make_again, connect, one))

    def _make_again(self, connect: Connect, one: Uneven) -> None:
        """Each time in another process: one that knows the inputs could have kept the outputs."""
        if self.subject is not None:
            with connect() as fresh:
                make_again(fresh, self.subject, one)


def take(
    session: OperationSession,
    proof: OperationSession,
    groups: Iterable[TimedGroup],
    effort: OperationEffort,
    random: Random,
) -> OperationTaken:
    """Time groups in random order; WrongOutput if `proof` has other outputs.

    The time of one of them, which nobody knows before, is accounted for.
    """
    taken = OperationTaken(subject=session.subject)
    order = [part for one in groups for part in parts(session.subject, one)]
    chosen = random.choice(order)
    for group in random.sample(order, len(order)):
        one = take_group(session, proof, group, effort, random, accounted=group is chosen)
        taken = taken.joined(one)
    return taken


def take_group(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
    *,
    accounted: bool = False,
) -> OperationTaken:
    """Time the tasks of a group.

    If it is `accounted`, the agent must report most of the processor time that it uses.
    """
    bed, rounds = _long_enough(session, proof, group, effort, random, accounted=accounted)
    tasks, number = random.choice(rounds), effort.samples_for(group)
    samples = itertools.chain.from_iterable(
        _samples(bed, one, random.sample(counting(bed, one.challenge.other), number))
        for one in tasks
    )
    return OperationTaken(
        tuple(samples),
        sum(one.spent for each in rounds for one in each),
        subject=session.subject,
        chosen=tuple(recalls(bed, tasks, random)),
        uneven=tuple(one.uneven for one in tasks if one.uneven),
    )


def _samples(bed: Bed, one: TakenTask, counting: list[int]) -> Iterator[Sample]:
    """Yield the samples that are counted of a task."""
    timing = one.timing.of(sorted(counting))
    subject = bed.session.subject
    return samples_of(subject, bed.group, one.challenge, timing, bed.calls, one.heard)


def _long_enough(
    session: OperationSession,
    proof: OperationSession,
    group: TimedGroup,
    effort: OperationEffort,
    random: Random,
    *,
    accounted: bool,
) -> tuple[Bed, Sequence[Sequence[TakenTask]]]:
    """Time rounds, and longer ones if the agent reports less time than can be judged."""
    size = request_size_of(session, proof, group, effort, random)
    while True:
        beds = Beds.of(session, proof, group, size)
        timing = GroupTiming(beds.timed, beds.challenger, effort, random)
        rounds = timing.rounds(accounted=accounted)
        seconds = [sum(one.timing.ticks) / effort.ticks_per_second for one in rounds[0]]
        longer = size.longer(seconds)
        if min(seconds) >= SHORT_SECONDS or longer == size:
            return beds.timed, rounds
        size = longer


def score(
    session: OperationSession,
    proof: OperationSession,
    effort: OperationEffort,
    random: Random,
) -> OperationTaken:
    """Time what implementations are compared by: all calls of one group together."""
    more = replace(effort, samples=SCORED_SAMPLES)
    accounted = random.random() < SCORES_ACCOUNTED
    taken = OperationTaken(subject=session.subject)
    for part in parts(session.subject, scored(session.subject)):
        one = take_group(session, proof, part, more, random, accounted=accounted)
        taken = taken.joined(one)
    return replace(taken, samples=(score_of(taken.samples),))
