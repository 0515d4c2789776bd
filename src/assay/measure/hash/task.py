# SPDX-License-Identifier: MIT
"""What a launch of a hash times, and by what hashes are compared (Shabal paper, section 2).

It times a long message and short ones. The long one is one context that takes 8 KiB again and
again, with a byte of every 64 changed; a short one has 32 bytes and is a whole hash. What was
timed is proved: the agent tells the digest of the long message, that of the last short one, and a
short message that the bench chose, with its digest. Another agent, which timed nothing, must come
to the same. Hashes are compared by long messages.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import ClassVar

from msgspec.structs import replace

from assay.check.answers.vector_text import read_family
from assay.check.session import HashSession
from assay.execute.agent import Agent
from assay.execute.protocol import PayloadReader
from assay.measure.audit import require_same
from assay.measure.counted import CountedAgent, sample_of
from assay.measure.hash.footprint import count, memory
from assay.measure.hash.message import digest_of, long_message
from assay.measure.kinds import CORRECT, KindCosts, by_one_measure
from assay.measure.loops import LoopMeasure, LoopTask, SetupTime, TimedSeries, numbers
from assay.measure.task import NO_SIZES
from assay.model import HashSubject, Package, Sample, SizeChoice
from assay.model.apis import COMPACT, LONG_MESSAGE, PACKAGED
from assay.model.footprint import FunctionMemory, Steps
from assay.model.timed import Timed, TimingTable
from assay.plan.plan import Effort, Plan
from assay.timing.witness import require_rest

OUT_BITS = 256  # of the digest, where the package has that size
LONG = 0  # loop
NEVER = (1 << 32) - 1  # in place of a chosen call
SAMPLES = 101  # of a single launch, where nothing but a footprint is wanted


@dataclass(frozen=True, slots=True)
class HashTask(LoopTask):
    """Both measures, or the one that the effort names, with one size of digest."""

    subject: HashSubject
    out_bits: int
    effort: Effort
    sizes: tuple[SizeChoice, ...] = (NO_SIZES,)
    keyed: ClassVar[bool] = False
    tells_end: ClassVar[bool] = True
    setting_up: ClassVar[str] = "setting up"
    renews: ClassVar[bool] = False

    @property
    def timing(self) -> TimingTable:
        """Return the table of the API."""
        return PACKAGED.get(self.subject.api, COMPACT).timing

    def measure(self, row: Timed, length: int) -> LoopMeasure:
        """Return a row of the table: figures of long messages are per byte."""
        work = length if row.loop == LONG else 0
        return LoopMeasure(f"{row.name}/{self.out_bits}", row.loop, length, length, work)

    def choose(self, series: TimedSeries, random: Random) -> tuple[int, ...]:
        """Choose a short message."""
        return (random.randrange(series.calls),)

    def setup(self, series: TimedSeries) -> bytes:
        """Return size, seed and chosen message."""
        return numbers(self.out_bits) + series.seed + numbers(*(series.chosen or (NEVER,)))

    def prove(self, agent: Agent, series: Sequence[TimedSeries]) -> list[TimedSeries]:
        """Have the messages that are told hashed; the long one need not be repeated then."""
        for one in series:
            reader = PayloadReader(one.end)
            data, longest = self._message(one, reader), one.measure.length
            told = reader.bytes(self.out_bits // 8)
            right = digest_of(HashSession(agent, self.subject), self.out_bits, data, longest)
            require_same(f"while {one.measure.name} was timed it", "digest", told, right)
            agent.forget_buffers()
        return [one for one in series if one.measure.loop != LONG]

    def require_untimed(self, setups: Sequence[SetupTime], *_: object) -> None:
        """Require that half of the setups only began a context; the end comes with a series."""
        used = [one.seconds for one in setups]
        require_rest("before a series", statistics.median(used) if used else None)

    def _message(self, one: TimedSeries, told: PayloadReader) -> bytes:
        """Return a message."""
        if one.measure.loop != LONG:
            return told.bytes(one.measure.length)
        return long_message(one.seed, one.measure.length, one.calls)

    def counted(self, sizes: SizeChoice, counter: CountedAgent) -> list[Sample]:
        """Count both measures."""
        return [
            replace(
                sample_of(one, sizes),
                measure=f"{one.measure}/{self.out_bits}",
                block_bytes=one.work_bytes if one.measure == LONG_MESSAGE else 0,
            )
            for one in count(counter, self.subject, self.out_bits)
        ]


def digest_bits(package: Package) -> int:
    """Return the size of the digest to measure: 256 bits, or the largest that there is."""
    known = set(package.sizes)
    if not known and package.vectors is not None and not package.reference:
        known = {one.out_bits for one in read_family(package.vectors)}
    return OUT_BITS if OUT_BITS in known or not known else max(known)


def _full(subject: HashSubject, package: Package, plan: Plan) -> HashTask:
    return HashTask(subject, digest_bits(package), plan.effort)


def _memory(agent: Agent, subject: HashSubject) -> tuple[FunctionMemory, ...]:
    return memory(agent, subject, OUT_BITS)


def _counted(counter: CountedAgent, subject: HashSubject) -> tuple[Steps, ...]:
    return count(counter, subject, OUT_BITS)


def _timed(subject: HashSubject) -> HashTask:
    return HashTask(subject, OUT_BITS, Effort(samples=SAMPLES))


MEASURES = by_one_measure(_full, KindCosts(CORRECT, _memory, _counted, _timed))
