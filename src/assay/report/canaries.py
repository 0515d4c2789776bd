# SPDX-License-Identifier: MIT
"""How quiet the machine was: the canaries and counters of all launches."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model import Counter, Launch
from assay.stats.calibration import Calibration, calibration
from assay.stats.quartiles import Quartiles, quartiles


@dataclass(frozen=True, slots=True)
class Canary:
    """One canary over all launches: ticks per operation, in the order of time.

    `drift_percent` is the largest change between before and after the measures
    of one launch.
    """

    name: str
    values: tuple[float, ...]
    quartiles: Quartiles
    drift_percent: float


@dataclass(frozen=True, slots=True)
class Health:
    """Canaries, counters with their numbers of launches, disturbances, the calibration's error.

    `calibration` is None where no launch has it.
    """

    canaries: tuple[Canary, ...]
    counters: tuple[tuple[Counter, int], ...]
    disturbed: tuple[Launch, ...]
    calibration: Calibration | None = None


def health(launches: Sequence[Launch]) -> Health:
    """Summarise launches (samples are not needed)."""
    disturbed = tuple(launch for launch in launches if launch.disturbed)
    if not launches:
        return Health((), (), ())
    pairs = {
        "latency-bound loop": [launch.latency_canary for launch in launches],
        "throughput-bound loop": [launch.throughput_canary for launch in launches],
    }
    found = tuple(_canary(name, values) for name, values in pairs.items())
    return Health(found, _counters(launches), disturbed, calibration(launches))


def _canary(name: str, pairs: Sequence[tuple[float, float]]) -> Canary:
    """Summarise one canary."""
    values = tuple(value for pair in pairs for value in pair)
    drift = max(abs(after / before - 1.0) if before else 0.0 for before, after in pairs)
    return Canary(name, values, quartiles(values), 100.0 * drift)


def _counters(launches: Sequence[Launch]) -> tuple[tuple[Counter, int], ...]:
    """Return the newest record of every counter, and how many launches used it."""
    newest = {launch.counter.name: launch.counter for launch in launches}
    counts = [sum(each.counter.name == name for each in launches) for name in newest]
    return tuple(zip(newest.values(), counts, strict=True))
