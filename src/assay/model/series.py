# SPDX-License-Identifier: MIT
"""The one record of results: a measure of one build, launch by launch.

All that reports show is a view of series: rows and ranks, quartiles, curves, comparisons,
sizes, exact counts, imported lines. `summary/series.py` reads them from a store.
"""

from msgspec import Struct
from msgspec.structs import replace

from assay.model.kinds import PackageKind
from assay.model.measuring import Counter
from assay.model.subjects import SizeChoice
from assay.model.supercop import Source
from assay.model.toolchains import Configuration

CYCLES, TICKS, NANOSECONDS = "cycles", "ticks", "nanoseconds"
BYTES, CALLS = "bytes", "calls"
NO_SIZES = SizeChoice(0, 0)
TIMES = frozenset({CYCLES, TICKS})


class Point(Struct, frozen=True):
    """One launch: its value per test in each unit that is known, and when it began.

    Of what is counted, `ticks` is the count. `layout` is the number of the placement of code.
    """

    ticks: float | None
    cycles: float | None = None
    nanoseconds: float | None = None
    started_at: str | None = None
    layout: int = 0


class Implementation(Struct, frozen=True):
    """Whose results they are: `name` is its selector, `crypto_hash/sha256/ref` or `salsa20/ref`.

    `operation` is `crypto_hash`, and of other kinds the kind. `league` is SUPERCOP's, empty where
    there are none. `place` is where the package is in its tree and `contents` the digest of its
    files; both are empty for what was imported.
    """

    kind: PackageKind
    operation: str
    primitive: str
    name: str
    league: str = ""
    variant: int = 1
    place: str = ""
    contents: str = ""

    @property
    def short_name(self) -> str:
        """Return the name without operation and primitive: `dolbeau/amd64-sha`."""
        return self.name.removeprefix(f"{self.operation}/").removeprefix(f"{self.primitive}/")


class Series(Struct, frozen=True):
    """One measure of one build at one size. Lower is better in all of them.

    `measure` is unique within a build and its `sizes` (`packet/40`, `cycles/576`, `code/text`);
    `size` is the length in bytes that a test works on (of two lengths as SUPERCOP packs them),
    None where there is none. `sizes` are those of key, IV and MAC, 0 where a kind has none.

    `q1`, `median` and `q3` are per test in `unit`: `cycles` where each launch knows how long a
    tick is, else `ticks`; `instructions`, `bytes` or `calls` where `exact` says that it was
    counted and not timed. They are taken as the kind prescribes: over launches, or over all
    timings of all launches. A test has `work` of `work_unit`: `byte`, `setup`, `hash`, `call`.
    `launches` is how many processes they come from, None where that is not known; `points` are
    those processes, oldest first, as far as they are known apart.

    `source` says on which machine and day, and by which program. `counter` is common to all
    launches. `keys` and `tests` are those of the median launch. `failed` and `compared` are about
    the outputs: they are wrong, they were compared with others at all. `disturbed` says that no
    launch was quiet. `shared` names the configuration that was launched in place of this one,
    whose machine code is the same. `estimated` says that no launch knows its core cycles, so that
    they come from the usual number in a tick. `deferred` says that setups leave work to the first
    text behind them, which counts as theirs. `timings` are all timings per test, and `noisy` the
    launches that do not count beside quiet ones, both where they were asked for.
    """

    subject: Implementation
    configuration: Configuration
    target: str
    source: Source
    measure: str
    size: int | None
    unit: str
    q1: float
    median: float
    q3: float
    launches: int | None
    points: tuple[Point, ...]
    sizes: SizeChoice = NO_SIZES
    work: int = 1
    work_unit: str = "call"
    exact: bool = False
    counter: Counter | None = None
    keys: int = 1
    tests: int = 1
    failed: bool = False
    compared: bool = True
    disturbed: bool = False
    imported: bool = False
    shared: str = ""
    estimated: bool = False
    deferred: bool = False
    timings: tuple[int, ...] = ()
    noisy: tuple[Point, ...] = ()

    def in_cycles(self, ratio: float) -> "Series":
        """Return it in core cycles, a tick being `ratio` of them: an estimate, of each launch."""
        points = tuple(
            replace(one, cycles=None if one.ticks is None else one.ticks * ratio)
            for one in self.points
        )
        counter = self.counter and replace(self.counter, cycles_per_tick=ratio)
        low, middle, high = (one * ratio for one in (self.q1, self.median, self.q3))
        return replace(
            self,
            unit=CYCLES, q1=low, median=middle, q3=high, points=points, counter=counter,
            estimated=True,
        )  # fmt: skip

    def in_ticks(self) -> "Series":
        """Return it in ticks of its counter; what knows no cycles is as it is."""
        if not self.core_cycles:
            return self
        low, middle, high = (one / self.ratio for one in (self.q1, self.median, self.q3))
        return replace(self, unit=TICKS, q1=low, median=middle, q3=high)

    def values(self, unit: str) -> list[float]:
        """Return one value per launch in `cycles`, `ticks` or `nanoseconds`, where known."""
        return [value for point in self.points if (value := getattr(point, unit)) is not None]

    def knows(self, unit: str) -> bool:
        """Return whether every launch has a value in a unit."""
        return len(self.values(unit)) == len(self.points) > 0

    @property
    def per_launch(self) -> tuple[float, ...]:
        """Return the value of each launch in the series' unit, oldest first."""
        return tuple(self.values(CYCLES if self.core_cycles else TICKS))

    def at(self, value: float) -> Point:
        """Return a launch of which no more is known than its value in the series' unit."""
        return Point(None, value) if self.core_cycles else Point(value)

    @property
    def rate(self) -> float:
        """Return the median per byte, setup, hash or call, in the series' unit."""
        return self.median / self.work

    @property
    def quartiles(self) -> tuple[float, float]:
        """Return the lower and the upper quartile per byte, setup, hash or call."""
        return self.q1 / self.work, self.q3 / self.work

    @property
    def rate_unit(self) -> str:
        """Name the unit of the rate: `cycles/byte`, `cycles/setup`, `cycles/hash`."""
        return f"{self.unit}/{self.work_unit}"

    @property
    def ticks(self) -> float:
        """Return the median in ticks of the counter."""
        return self.median / self.ratio

    @property
    def ratio(self) -> float:
        """Return how many of the series' unit are a tick."""
        known = self.counter and self.counter.cycles_per_tick
        return known or 1.0 if self.core_cycles else 1.0

    @property
    def core_cycles(self) -> bool:
        """Return whether each launch knows how many core cycles a tick was."""
        return self.unit == CYCLES and not self.exact

    @property
    def timed(self) -> bool:
        """Return whether a clock said it."""
        return not self.exact and self.unit in TIMES

    @property
    def steps(self) -> bool:
        """Return whether an emulator counted the steps of code."""
        return self.counter is not None and self.unit == self.counter.exact_unit

    @property
    def counts(self) -> str:
        """Name what was counted exactly; empty where time was taken."""
        return self.unit if self.exact else ""

    @property
    def key(self) -> str:
        """Return the measure without its length: SUPERCOP's key of an operation's measure."""
        return self.measure.rpartition("/")[0] or self.measure

    @property
    def clock(self) -> str:
        """Name the counter; an imported result has that of its machine."""
        return self.counter.name if self.counter else f"the counter of {self.machine}"

    @property
    def machine(self) -> str:
        """Name the machine."""
        return self.source.machine

    @property
    def implementation(self) -> str:
        """Name the implementation by its selector."""
        return self.subject.name

    @property
    def names(self) -> frozenset[str]:
        """Return what its configuration may be called."""
        return frozenset({self.configuration.name, self.configuration.tag})

    @property
    def sizes_text(self) -> str:
        """Write the sizes; nothing where there are none."""
        return str(self.sizes) if any(self.sizes.bits()) else ""
