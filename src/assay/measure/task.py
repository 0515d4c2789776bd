# SPDX-License-Identifier: MIT
"""What a launch times: the one interface of all kinds."""

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Protocol

from msgspec import Struct

from assay.execute.agent import Agent
from assay.measure.counted import CountedAgent
from assay.model import Sample, SizeChoice
from assay.timing.agent import TimedAgent
from assay.timing.clock import CounterOption

Measured = tuple[str, SizeChoice]  # a measure, at one choice of sizes
NO_SIZES = SizeChoice(0, 0)  # of key and IV: hashes have none, and operations have their own


class Batch(Struct, frozen=True):
    """How many keys, and tests for each, fill a window; one test may last many `windows`."""

    keys: int
    per_key: int
    windows: float = 1.0

    @property
    def tests(self) -> int:
        """Return how many tests that is."""
        return self.keys * self.per_key


Connect = Callable[[], Agent]

# Found at the first launch of a machine code, and kept for its later ones.
Batches = Mapping[tuple[SizeChoice, str], Batch]


class Taken(Protocol):
    """What a launch measured, and how many ticks went into timed windows."""

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The samples."""

    @property
    def timed_ticks(self) -> int:
        """All ticks timed, warm-up included."""

    @property
    def batches(self) -> Batches:
        """What fills a window, of all that was found so far."""

    def prove(self, agent: Agent, connect: Connect) -> None:
        """Have the outputs repeated by an agent that timed nothing, unless they were already.

        `connect` starts another one, if what that agent did meanwhile might give it away.
        """


# Times an agent; the second one proves what the first put out.
Take = Callable[[TimedAgent, Agent, Random], Taken]


# Counts with an agent whose instructions (or cycles) are counted.
Count = Callable[[CountedAgent], Iterable[Sample]]


class LaunchTask(Protocol):
    """What a launch of one machine code shall time."""

    @property
    def asked(self) -> frozenset[Measured]:
        """What a launch has measured if it did all of this."""

    @property
    def counting(self) -> tuple[Count, ...]:
        """What counts it where nothing is timed, each in an agent of its own."""

    def taking(self, counter: CounterOption, batches: Batches) -> Take:
        """Return what does it, timing with this counter."""
