# SPDX-License-Identifier: MIT
"""Records as they lie in the file: without what has a column or a blob of its own."""

from dataclasses import dataclass

from assay.model import Beats, Cell, CheckResult, Conditions, Counter, Launch, Sample, SizeChoice
from assay.store.records import told


@dataclass(frozen=True, slots=True)
class StoredChecks:
    """The verdicts on one build."""

    checks: tuple[CheckResult, ...]


@dataclass(frozen=True, slots=True)
class StoredSample:
    """A sample without its ticks."""

    measure: str
    sizes: SizeChoice
    keys: int
    tests: int
    block_bytes: int
    beats: Beats | None = None


@dataclass(frozen=True, slots=True)
class StoredLaunch:
    """A launch without its samples and its mark."""

    cell: Cell
    object_hash: str
    seed: int
    started_at: str
    counter: Counter
    latency_canary: tuple[float, float]
    throughput_canary: tuple[float, float]
    timed_seconds: float
    total_seconds: float
    jail: str
    conditions: Conditions | None = None
    purpose: str = ""

    def launch(self, samples: tuple[Sample, ...], disturbed: str) -> Launch:
        """Complete the launch."""
        return Launch(
            self.cell,
            self.object_hash,
            self.seed,
            self.started_at,
            self.counter,
            self.latency_canary,
            self.throughput_canary,
            self.timed_seconds,
            self.total_seconds,
            self.jail,
            samples,
            disturbed,
            self.conditions,
            self.purpose,
        )


def head_of(launch: Launch) -> StoredLaunch:
    """Take off a launch's samples and mark."""
    return StoredLaunch(
        launch.cell,
        launch.object_hash,
        launch.seed,
        launch.started_at,
        launch.counter,
        launch.latency_canary,
        launch.throughput_canary,
        launch.timed_seconds,
        launch.total_seconds,
        launch.jail,
        launch.conditions,
        launch.purpose,
    )


def stored_of(sample: Sample) -> StoredSample:
    """Take off a sample's ticks."""
    return StoredSample(
        sample.measure,
        sample.sizes,
        sample.keys,
        sample.tests,
        sample.block_bytes,
        sample.beats,
    )


def sample_of(stored: StoredSample, ticks: tuple[int, ...]) -> Sample:
    """Put a sample together again; AssayError if it would be one of nothing."""
    with told("sample"):
        if min(stored.keys, stored.tests, len(ticks)) < 1 or stored.block_bytes < 0:
            raise ValueError("it has no calls")
    return Sample(
        stored.measure,
        stored.sizes,
        stored.keys,
        stored.tests,
        stored.block_bytes,
        ticks,
        stored.beats,
    )
