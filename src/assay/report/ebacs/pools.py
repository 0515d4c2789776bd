# SPDX-License-Identifier: MIT
"""The timings of one machine code, by measure."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.model import Launch, Sample
from assay.stats.stabilised import stabilised
from assay.stats.summary import counted, knowing_cycles

CYCLES, TICKS = "cycles", "ticks"
COUNTS = {"randombytes": "bytes", "randomcalls": "calls", "bytes": "bytes"}


@dataclass(frozen=True, slots=True)
class Pool:
    """The samples of one measure, each with the launch that it comes from."""

    measure: str
    samples: tuple[tuple[Launch, Sample], ...]

    @property
    def key(self) -> str:
        """Return SUPERCOP's key."""
        return self.measure.rpartition("/")[0]

    @property
    def size(self) -> int | None:
        """Return the length, None where there is none."""
        text = self.measure.rpartition("/")[2]
        return int(text) if text.isdigit() else None

    @property
    def counts(self) -> str | None:
        """Return the unit of what is counted and not timed: `bytes`, `calls`."""
        return COUNTS.get(self.key.rpartition("_")[2])

    def values(self, unit: str) -> list[float]:
        """Return all values, per call."""
        return [
            ticks * cycles_per_tick(launch, unit) / sample.tests
            for launch, sample in self.samples
            for ticks in sample.ticks
        ]

    def medians(self, unit: str) -> list[float]:
        """Return the middle of each launch's values, per call, oldest first."""
        found: dict[int, list[float]] = {}
        for launch, sample in self.samples:
            factor = cycles_per_tick(launch, unit) / sample.tests
            found.setdefault(id(launch), []).extend(ticks * factor for ticks in sample.ticks)
        return [stabilised(values).median for values in found.values()]


def pools_of(launches: Sequence[Launch]) -> dict[str, Pool]:
    """Gather samples by measure, of the launches that count."""
    measures = dict.fromkeys(sample.measure for one in launches for sample in one.samples)
    found = {}
    for measure in measures:
        having = [one for one in launches if any(s.measure == measure for s in one.samples)]
        samples = (
            (one, s)
            for one in knowing_cycles(counted(having))
            for s in one.samples
            if s.measure == measure
        )
        found[measure] = Pool(measure, tuple(samples))
    return found


def unit_of(launch: Launch) -> str:
    """Name what a launch counted: cycles, if it knows how many a tick is."""
    counter = launch.counter
    return counter.exact_unit or (TICKS if counter.cycles_per_tick is None else CYCLES)


def cycles_per_tick(launch: Launch, unit: str) -> float:
    """Return the factor that turns what was counted into the unit."""
    return launch.counter.cycles_per_tick or 1.0 if unit == CYCLES else 1.0
