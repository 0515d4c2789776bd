# SPDX-License-Identifier: MIT
"""What launches are judged by: the counter, its rate, and the throughput of a quiet core.

None of it is asked of an agent that contains a package, because code in the agent's address
space can change every answer, and one package would decide how all others are judged. The
agent without a package (`compile/linking.py`) is compiled and confined as they are.

Loops of known cost say how many cycles a tick is, so code that slowed them down would divide all
figures of its launch by that factor, and its own agent alone would not show it. So they must take
as long in it as in the agent without a package.
"""

import contextlib
import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from assay.check.engine.workshop import unless_killed
from assay.errors import MachineError
from assay.execute.agent import AgentError
from assay.execute.protocol import LATENCY, THROUGHPUT
from assay.execute.stage import Stage
from assay.measure.disturbance import Quiet
from assay.model import Launch, Machine
from assay.timing.agent import TimedAgent
from assay.timing.beats import BEAT_BOUND, NO_BEATS, beats_for, read_series
from assay.timing.clock import (
    CounterOption,
    ask_loop,
    choose_counter,
    fastest,
    select,
    steady_counters,
)
from assay.timing.watch import REPEATS, THOUSANDS
from assay.timing.witness import AgentLied, making_sense

# No processor slows its clock down by as much for instructions that need more power. A launch is
# not believed if all of its samples exceed this; if only some do, neighbours may have slowed them
# down, and the launch is disturbed.
MOST_FACTOR = 1.6


def factors(launch: Launch, latencies: Sequence[float]) -> tuple[float, float]:
    """Return how many times as long the launch's loops took as the slowest of other readings.

    The least and the most of all samples. `latencies` are the ticks of an addition in a chain,
    where there was no package.
    """
    told = [one.beats.cycles_per_tick for one in launch.samples if one.beats]
    told += [launch.counter.cycles_per_tick or 0.0]
    known = [one for one in told if one > 0]
    if not known or not latencies:
        return 1.0, 1.0
    return 1.0 / (max(known) * max(latencies)), 1.0 / (min(known) * max(latencies))


def differs(launch: Launch, latencies: Sequence[float]) -> bool:
    """Return whether loops took longer than beats vary."""
    return factors(launch, latencies)[1] > 1.0 + BEAT_BOUND


def judged(launch: Launch, latencies: Sequence[float]) -> Launch:
    """Mark a launch whose loops were slow; AgentLied where no clock explains it.

    A neighbour on the host who came with the launch and left with it would explain it, too: the
    code fails only if this is seen launch after launch, with readings without it in between.
    """
    if not differs(launch, latencies):
        return launch
    always, at_most = factors(launch, latencies)
    samples = tuple(replace(one, quiet=False) for one in launch.samples)
    said = "its own loops of known cost took {:.2f} times as long as those of an agent"
    if always > MOST_FACTOR:
        said = said.format(always)
        raise AgentLied(f"{said} without a package, so its figures would be too low by that")
    said = said.format(at_most)
    why = launch.disturbed or f"{said} without a package"
    return replace(launch, disturbed=why, samples=samples)


RECENT = 8  # readings by which the loops of a launch are judged
READINGS = 5  # of the core, until so many are known
EVERY_SECONDS = 10.0  # between two readings: one takes some 40 milliseconds
BATCHES = 39  # of nothing, each with its beat
TIMING_SECONDS = 30.0


class CoreReading(NamedTuple):
    """Throughput in units of latency, and latency: the ticks of an addition in a chain."""

    share: float
    latency: float


class Gauge(Struct):
    """A counter, and what a quiet core looks like through it.

    `read` takes a reading of the core (None: there is nothing to read it with).
    """

    counter: CounterOption
    quiet: Quiet = field(default_factory=Quiet)
    read: Callable[[], CoreReading] | None = None
    latencies: list[float] = field(default_factory=list)
    _last: float | None = None

    @classmethod
    def made(
        cls,
        stage: Stage,
        agent: Path,
        machine: Machine | None,
        counter: CounterOption | None = None,
    ) -> "Gauge":
        """Choose a counter, unless one is given, and remember what is known of the machine.

        `agent` is one without a package: what it is compiled with is part of what is known.
        """
        option = counter or _chosen(stage, agent)
        target = "" if stage.target.is_native else stage.target.name
        quiet = Quiet.remembered(machine, f"{target} {agent.name}".strip())
        return cls(option, quiet, partial(core_reading, stage, agent, option))

    def look(self) -> None:
        """Take readings of the core if the last are old; the caller has the machine for itself.

        A reading that fails is not taken again: an agent that the system killed says nothing.
        """
        now = time.monotonic()
        if self.read is None or (self._last is not None and now - self._last < EVERY_SECONDS):
            return
        for _ in range(max(1, READINGS - len(self.quiet.shares))):
            self._take()
        self._last = time.monotonic()

    def _take(self) -> None:
        if self.read is None:
            return
        with contextlib.suppress(AgentError):
            found = self.read()
            self.quiet.learn(found.share)
            self.latencies = [*self.latencies, found.latency][-RECENT:]

    def judged(self, launch: Launch) -> Launch:
        """Mark a launch whose core was shared, or whose loops of known cost were slow.

        AgentLied if they were so slow that only the package explains it. The clock may have
        changed since the last reading, so another one is taken before that is said.
        """
        if self.counter.core_cycles:
            return self.quiet.judged(launch)
        if differs(launch, self.latencies):
            self._take()
        return judged(self.quiet.judged(launch), self.latencies)


def _chosen(stage: Stage, agent: Path) -> CounterOption:
    """Ask the agent without a package; MachineError if it fails, which is no package's fault."""

    def ask() -> CounterOption:
        with making_sense(), stage.connect(agent) as opened:
            return choose_counter(steady_counters(opened))

    try:
        return unless_killed(ask)
    except AgentError as error:
        raise MachineError(
            f"the agent without a package does not work here: {error}",
            "`assay doctor` looks at this machine; if nothing explains it, report this.",
        ) from error


def core_reading(stage: Stage, agent: Path, counter: CounterOption) -> CoreReading:
    """Read the measured core, in a process of its own."""
    with (
        making_sense(),
        stage.connect_as(TimedAgent, agent, SystemRandom().getrandbits(63), pinned=True) as opened,
    ):
        select(opened, counter)
        return _read(opened, counter)


def _read(agent: TimedAgent, counter: CounterOption) -> CoreReading:
    """Read beats, as launches of stream ciphers have them; canaries where beats are too short."""
    beats = beats_for(counter.ticks_per_second)
    if beats == NO_BEATS:
        asked = [ask_loop(agent, one, THOUSANDS[one], REPEATS) for one in (LATENCY, THROUGHPUT)]
        latency = fastest(asked[0], THOUSANDS[LATENCY])[0]
        return CoreReading(fastest(asked[1], THOUSANDS[THROUGHPUT])[0] / latency, latency)
    payload = BATCHES.to_bytes(4, "little") + beats
    reader = agent.time(payload, "timing nothing", TIMING_SECONDS)
    series = read_series(reader, BATCHES, beats)[1:]
    share = statistics.median(one.share for one in series)
    return CoreReading(share, statistics.median(one.latency for one in series))
