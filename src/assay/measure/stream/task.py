# SPDX-License-Identifier: MIT
"""What a launch of a stream cipher times: the measures of the eSTREAM framework.

Long stream, packets of 40, 576 and 1500 bytes, key setup, IV setup (with finalisation where
there is a MAC), and agility over 16 MB of contexts. Ciphers are compared by their long streams.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from msgspec.structs import replace

from assay.check.stream.routines import accepted_sizes, nearest_sizes
from assay.execute.agent import Agent
from assay.measure.counted import CountedAgent, sample_of
from assay.measure.kinds import CORRECT, KindCosts, by_one_measure
from assay.measure.loops import (
    EndTime,
    LoopMeasure,
    LoopTask,
    SetupTime,
    TimedSeries,
    numbers,
)
from assay.measure.stream.footprint import count, memory
from assay.measure.stream.proof import contexts_of, provable, prove, short_bytes
from assay.measure.stream.untimed import accounted, audits, require_ends, require_setups
from assay.model import Package, Sample, SizeChoice, StreamSubject
from assay.model.apis import LONG_STREAM, PACKAGED, SYNC
from assay.model.footprint import FunctionMemory, Steps
from assay.model.measuring import IV_SETUP, KEY_SETUP
from assay.model.timed import BUFFER, Timed, TimingTable
from assay.plan.plan import Effort, Plan

LONG, AGILITY = 0, 4  # loops
MOST_CHOSEN = 32  # calls of a series whose contexts are looked at
MOST_KEPT_BYTES = 1 << 20  # of contexts


@dataclass(frozen=True, slots=True)
class StreamTask(LoopTask):
    """All measures at some sizes, or those that the effort names."""

    subject: StreamSubject
    sizes: tuple[SizeChoice, ...]
    effort: Effort
    keyed: ClassVar[bool] = True
    tells_end: ClassVar[bool] = False
    setting_up: ClassVar[str] = "setting up 100 keys, IVs and contexts"
    renews: ClassVar[bool] = True

    @property
    def timing(self) -> TimingTable:
        """Return the table of the API."""
        return PACKAGED.get(self.subject.api, SYNC).timing

    def measure(self, row: Timed, length: int) -> LoopMeasure:
        """Return a row of the table: whole blocks, but for packets."""
        if not row.whole:
            name = f"{row.name}/{length}" if length else row.name
            return LoopMeasure(name, row.loop, length, length, length)
        wanted, block = self.subject.buffer_bytes, self.subject.block_bytes
        whole = short_bytes(block)
        if length == BUFFER:
            whole = -(-wanted // block) * block
        return LoopMeasure(row.name, row.loop, 0, whole, whole)

    def choose(self, series: TimedSeries, random: Random) -> tuple[int, ...]:
        """Choose calls of the series: one whose output is looked at, or some contexts."""
        if series.measure.length or series.measure.loop == LONG or series.measure.loop > AGILITY:
            return (random.randrange(series.calls),)
        most = min(MOST_CHOSEN, max(1, MOST_KEPT_BYTES // self.subject.context_bytes))
        return tuple(sorted(random.sample(range(series.calls), min(most, series.calls))))

    @property
    def audits(self) -> tuple[LoopMeasure, ...]:
        """Return what says whether setups leave work to others, where both are measured."""
        names = {one.name for one in self.measures}
        return audits(self.subject.block_bytes) if {KEY_SETUP, IV_SETUP} <= names else ()

    def accounted(self, samples: Sequence[Sample], rate: float) -> tuple[Sample, ...]:
        """Count in setups what they leave to others."""
        return tuple(accounted(samples, rate))

    def most_calls(self, measure: LoopMeasure) -> int | None:
        """Return how many contexts agility has: none is used twice in a series.

        Of those that are large because much of them is not used there are few, and what is used
        would stay in the caches.
        """
        return contexts_of(self.subject) if measure.loop == AGILITY else None

    def setup(self, series: TimedSeries) -> bytes:
        """Return sizes, seed and chosen calls; for agility, that all calls get own contexts."""
        sizes, chosen = series.sizes, series.chosen
        doubled = 1 + (series.calls - 1).bit_length() if series.measure.loop == AGILITY else 0
        flags = bytes([doubled, len(chosen)])
        bits = numbers(sizes.key_bits, sizes.iv_bits, sizes.mac_bits or 0)
        return bits + series.seed + flags + numbers(*chosen)

    def prove(self, agent: Agent, series: Sequence[TimedSeries]) -> Sequence[TimedSeries]:
        """Have the chosen calls made one by one, where that says something."""
        prove(agent, self.subject, (one for one in series if provable(self.subject, one)))
        return series

    def require_untimed(
        self,
        setups: Sequence[SetupTime],
        ends: Sequence[EndTime],
        samples: Sequence[Sample],
        rate: float,
    ) -> None:
        """Compare the setups before each series, and what follows it, with what was timed."""
        require_setups(setups, samples, rate, AGILITY)
        require_ends(ends, samples, rate)

    def counted(self, sizes: SizeChoice, counter: CountedAgent) -> list[Sample]:
        """Count all measures but agility."""
        return [sample_of(one, sizes) for one in count(counter, self.subject, sizes)]


def _full(subject: StreamSubject, _: Package, plan: Plan) -> StreamTask:
    return StreamTask(subject, _sizes(subject, plan), plan.effort)


def _sizes(subject: StreamSubject, plan: Plan) -> tuple[SizeChoice, ...]:
    if plan.sizes:
        return nearest_sizes(subject, plan.sizes)
    accepted = accepted_sizes(subject)
    return accepted if plan.every_size else (max(accepted, key=SizeChoice.bits),)


def _memory(agent: Agent, subject: StreamSubject) -> tuple[FunctionMemory, ...]:
    return memory(agent, subject, accepted_sizes(subject)[-1])


def _counted(counter: CountedAgent, subject: StreamSubject) -> tuple[Steps, ...]:
    steps = count(counter, subject, accepted_sizes(subject)[-1])
    long = next(one for one in steps if one.measure == LONG_STREAM)
    return (replace(long, measure="long"), *steps)


MEASURES = by_one_measure(_full, KindCosts(CORRECT, _memory, _counted), paced=True)
