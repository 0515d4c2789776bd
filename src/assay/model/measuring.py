# SPDX-License-Identifier: MIT
"""Counters, samples and launches."""

from enum import StrEnum

from msgspec import Struct

from assay.model.subjects import SizeChoice
from assay.model.work import Cell


class Direction(StrEnum):
    """Which way is better."""

    LOWER = "lower is better"


SETUP = "setup/"  # how measures of setups begin
KEY_SETUP, IV_SETUP = f"{SETUP}key", f"{SETUP}iv"
SHORT = "short/"  # and those of whole short messages


class Counter(Struct, frozen=True):
    """The clock that a launch used, found by trying.

    `name` as the original prints it (`RDTSC instruction`); `step_ticks` is the
    smallest difference seen, `ticks_per_second` against the system clock.
    `cycles_per_tick` comes from loops of known latency and is None where they
    did not agree; `cycles_per_tick_spread` is the relative half-range seen.
    `exact_unit` is what is counted where nothing is timed: `instructions`, `cycles`.
    """

    name: str
    step_ticks: int
    ticks_per_second: float
    cycles_per_tick: float | None
    cycles_per_tick_spread: float | None
    exact_unit: str = ""


class Beats(Struct, frozen=True):
    """The core as loops between the batches of a group saw it, at their medians.

    `cycles_per_tick` comes from a chain of additions, and `core_share` is the throughput
    canary in units of it, which a neighbour on the core raises.
    """

    cycles_per_tick: float
    core_share: float


COUNTED = frozenset(("randombytes", "randomcalls", "bytes"))


class Sample(Struct, frozen=True):
    """Raw timings of one measure at one size choice in one launch.

    Every entry of `ticks` is `tests` calls timed as a whole, spread over `keys`
    keys with `tests // keys` calls each; `block_bytes` is the length of one call's
    data where it has data. `beats` are None where nothing ran between the batches.
    `deferred_ticks` are those in each entry that setups leave to the first text behind them.
    `quiet` is whether its own beats were those of a quiet core: then it counts even where other
    samples disturb its launch.
    """

    measure: str
    sizes: SizeChoice
    keys: int
    tests: int
    block_bytes: int
    ticks: tuple[int, ...]
    beats: Beats | None = None
    deferred_ticks: int = 0
    quiet: bool = False

    @property
    def is_count(self) -> bool:
        """Return whether bytes or calls were counted, which no neighbour and no clock changes."""
        return self.measure.partition("/")[0].rpartition("_")[2] in COUNTED

    @property
    def is_setup(self) -> bool:
        """Return whether setups were timed, and a rate is per setup."""
        return self.measure.startswith(SETUP)

    @property
    def work_unit(self) -> str:
        """What a rate is per: `setup`, `hash` (of a short message), `byte`, or else `call`."""
        if self.is_setup:
            return "setup"
        if self.measure.startswith(SHORT):
            return "hash"
        return "byte" if self.block_bytes else "call"

    @property
    def work(self) -> int:
        """What a rate is per: bytes of one call, or 1 for setups and calls without data."""
        return 1 if self.is_setup else self.block_bytes or 1


class Canaries(Struct, frozen=True):
    """Short loops between two timed groups of a launch: ticks per operation.

    `latency` is one chain of additions, `throughput` as many operations at once as the core
    does, `multiplier` three chains of multiplications (None where the processor's cost of
    them is not known), `memory` one access beyond the caches of a core (None but at both
    ends of a launch).
    """

    latency: float
    throughput: float
    multiplier: float | None
    memory: float | None


class Conditions(Struct, frozen=True):
    """What went on around a launch while it measured; None is what the system does not tell.

    `calibration_error` is how much more (relative) a loop of known cost took than the
    number of cycles per tick says, a loop that this number was not taken from; None if no
    such number was established. `canaries` were run between the timed groups, in order.
    `seconds` is the time from the first to the last of them. `absent_share` is the largest
    share of a timed group in which the agent did not have the processor, though it wanted
    to; `switches` how often it was taken off in all. `steal_seconds` went to other virtual
    machines, `pressure_seconds` passed while some process of the machine waited for a
    processor, and `beside_seconds` other programs had the processors that share a core
    with the measured one. `layout` is the number of the placement of code (0: as built).
    `repeated_groups` is how many timed groups were timed again, because canaries around
    or in them said that a neighbour was there; of such only the last time counts. `left_out`
    is how many batches of the other groups do not count for the same reason.
    """

    calibration_error: float | None
    canaries: tuple[Canaries, ...]
    seconds: float
    absent_share: float | None
    switches: int
    steal_seconds: float | None
    pressure_seconds: float | None
    beside_seconds: float | None
    layout: int = 0
    repeated_groups: int = 0
    left_out: int = 0


class Launch(Struct, frozen=True):
    """One run of an agent process: the unit of every statistic.

    `seed` fixed the order, environment size and stack offset. Canary figures are
    ticks per operation of a latency-bound and a throughput-bound loop before and
    after the measures. `disturbed` is the reason why it does not count, or "".
    `conditions` are None where nothing is timed, and in results of older versions.
    `purpose` is "race" where only the fastest of many was looked for: such a launch counts
    for a figure only if there is no other.
    """

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
    samples: tuple[Sample, ...]
    disturbed: str = ""
    conditions: Conditions | None = None
    purpose: str = ""

    @property
    def counts(self) -> bool:
        """Return whether all of it counts: it was quiet, or each of its samples was."""
        spared = bool(self.samples) and all(one.quiet for one in self.samples)
        return not self.disturbed or spared

    @property
    def counts_partly(self) -> bool:
        """Return whether any sample of it counts."""
        timed = [one for one in self.samples if not one.is_count]
        return not self.disturbed or any(one.quiet for one in timed)
