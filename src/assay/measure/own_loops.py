# SPDX-License-Identifier: MIT
"""Whether the loops of known cost in an agent with a package take as long as those in one without.

The loops say how many cycles a tick is, so code that slowed them down would divide all figures
of its launch by that factor, and its own agent alone would not show it.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.model import Launch
from assay.timing.beats import BEAT_BOUND
from assay.timing.witness import AgentLied

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
    said = "its own loops of known cost took {:.2f} times as long as those of an agent"
    if always > MOST_FACTOR:
        said = said.format(always)
        raise AgentLied(f"{said} without a package, so its figures would be too low by that")
    said = said.format(at_most)
    return replace(launch, disturbed=launch.disturbed or f"{said} without a package")
