# SPDX-License-Identifier: MIT
"""What flows from stage to stage: frozen records, and nothing that acts.

Units stand in names (`_bytes`, `_bits`, `_ns`); what is unknown is None, never 0.
"""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

# ---------------------------------------------------------------- packages


@dataclass(frozen=True, slots=True)
class Quirk:
    """A way in which a package departs from its API and is accepted all the same.

    `name` is a stable identifier such as `quirk/no-profile`; `message` says what
    was seen, `cure` how the author mends it.
    """

    name: str
    message: str
    cure: str


class Role(StrEnum):
    """Why a package is in the comparison."""

    SUBMISSION = "submission"
    BENCHMARK = "benchmark"


@dataclass(frozen=True, slots=True)
class Package:
    """One implementation as somebody submitted it.

    `selector` is `<primitive>/<implementation>` and unique in a tree; `place` is
    the path below the tree's root (`submissions/salsa20/ref`), used for mirror
    folders. `sources` and `files` are relative to `root`. `std` holds the
    Makefile's std line split into options. `vectors` is the verified vector file
    in the folder or the nearest ancestor. `content_hash` covers all files.
    `architecture` is set where assembly binds the package to one (`32-bit x86`).
    """

    selector: str
    primitive: str
    implementation: str
    place: str
    role: Role
    api: str
    kind: str
    root: Path
    header: str
    sources: tuple[str, ...]
    files: tuple[str, ...]
    std: tuple[str, ...]
    variants: int
    vectors: Path | None
    quirks: tuple[Quirk, ...]
    content_hash: str
    architecture: str | None = None

    @property
    def label(self) -> str:
        """What tells it from its siblings: the implementation, or the primitive of a flat one."""
        return self.implementation or self.primitive


@dataclass(frozen=True, slots=True)
class BrokenPackage:
    """A package that cannot even be loaded: a record with a reason, not an error.

    `selector` and `place` are what a Package would have; `root` is its folder.
    """

    selector: str
    place: str
    root: Path
    reason: str
    cure: str


# ---------------------------------------------------------------- toolchains


@dataclass(frozen=True, slots=True)
class Compiler:
    """A compiler found on the path.

    `family` is gcc, clang, tcc or cc; `command` is what the user would type
    (`gcc-12`); `identity` is a digest of the executable behind it, so that two
    names of one program are known to be one.
    """

    family: str
    command: str
    path: Path
    version: str
    target: str
    identity: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """A compiler and its options: one `configs/*.mk` file.

    `family` (`comp` in the file) and `command` (`cc`) name the compiler;
    `arch` and `opt` are option strings as the file has them, possibly empty.
    `tag` is `<comp>_<arch>_<opt>` in compact spelling, what shortlists name;
    `name` is `<cc>_<arch>_<opt>`, the file's stem, unique on a machine.
    """

    family: str
    command: str
    arch: str
    opt: str
    tag: str
    name: str


# ---------------------------------------------------------------- work and its results


@dataclass(frozen=True, slots=True)
class Cell:
    """The unit of work: a variant of a package under a configuration on a target."""

    selector: str
    variant: int
    configuration: str
    target: str = "native"

    @property
    def extension(self) -> str:
        """The suffix of the cell's files: `<variant>_<configuration>`."""
        return f"{self.variant}_{self.configuration}"


@dataclass(frozen=True, slots=True)
class SizeChoice:
    """One accepted combination of sizes; `mac_bits` is None for APIs without a MAC."""

    key_bits: int
    iv_bits: int
    mac_bits: int | None = None

    def __str__(self) -> str:
        """Write `128/64` or `128/64/96`."""
        parts = [self.key_bits, self.iv_bits]
        if self.mac_bits is not None:
            parts.append(self.mac_bits)
        return "/".join(str(part) for part in parts)


class Verdict(StrEnum):
    """The answer of a check. Skipped is never shown as green."""

    PASS = "pass"
    FAIL = "fail"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check's verdict on one cell.

    `reason` is one sentence: why it failed or was skipped. `cure` says how to
    mend it. `evidence` is preformatted text: inputs, expected and actual bytes.
    """

    check: str
    verdict: Verdict
    reason: str = ""
    cure: str = ""
    evidence: str = ""


class BuildStage(StrEnum):
    """Where a build ended."""

    COMPILE = "compile"
    LINK = "link"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Build:
    """A built agent, or the reason why there is none.

    `object_hash` identifies the machine code (None when compilation failed):
    cells that share it share measurements. `diagnostics` is what the compiler
    printed, whether or not it succeeded. `reason`/`cure` are set when it failed.
    `command` is the compile line, for the report. `compile_seconds` is by the clock.
    """

    cell: Cell
    stage: BuildStage
    object_hash: str | None
    agent: Path | None
    diagnostics: str
    command: str
    jail: str
    compile_seconds: float
    reason: str = ""
    cure: str = ""

    @property
    def ok(self) -> bool:
        """Whether an agent can be launched."""
        return self.stage is BuildStage.DONE


@dataclass(frozen=True, slots=True)
class StreamSubject:
    """What the agent says the code under test is (kind `stream`).

    Sizes are as enumerated by the header's macros, in bits, unfiltered;
    `block_bytes` is ECRYPT_BLOCKLENGTH, `buffer_bytes` ECRYPT_BUFFERLENGTH.
    `profile` is None where the header lacks it. `mac_bits` is empty for
    `ecrypt-sync`. `functions` names what can be called.
    """

    api: str
    name: str
    profile: str | None
    key_bits: tuple[int, ...]
    iv_bits: tuple[int, ...]
    mac_bits: tuple[int, ...]
    max_key_bits: int
    max_iv_bits: int
    max_mac_bits: int
    context_bytes: int
    block_bytes: int
    buffer_bytes: int
    flags: frozenset[str]
    functions: frozenset[str]

    @property
    def authenticates(self) -> bool:
        """Whether the API has a MAC."""
        return self.api.endswith("-ae")


class Direction(StrEnum):
    """Which way is better."""

    LOWER = "lower is better"
    HIGHER = "higher is better"


@dataclass(frozen=True, slots=True)
class Counter:
    """The clock that a launch used, found by trying.

    `name` as the original prints it (`RDTSC instruction`); `step_ticks` is the
    smallest difference seen, `ticks_per_second` against the system clock.
    `cycles_per_tick` comes from loops of known latency and is None where they
    did not agree; `cycles_per_tick_spread` is the relative half-range seen.
    """

    name: str
    step_ticks: int
    ticks_per_second: float
    cycles_per_tick: float | None
    cycles_per_tick_spread: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """Raw timings of one measure at one size choice in one launch.

    Every entry of `ticks` is `tests` calls timed as a whole, spread over `keys`
    keys with `tests // keys` calls each; `block_bytes` is the length of one call's
    data where it has data.
    """

    measure: str
    sizes: SizeChoice
    keys: int
    tests: int
    block_bytes: int
    ticks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Launch:
    """One run of an agent process: the unit of every statistic.

    `seed` fixed the order, environment size and stack offset. Canary figures are
    ticks per operation of a latency-bound and a throughput-bound loop before and
    after the measures. `disturbed` is the reason why it does not count, or "".
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


@dataclass(frozen=True, slots=True)
class Figure:
    """A summarised measure: median and quartiles over `launches` launches.

    Values are ticks per test; `cycles_per_tick` (None if not established) turns
    them into core cycles. `keys`, `tests` and `total_ticks` describe the median
    launch, for the text report.
    """

    measure: str
    sizes: SizeChoice
    work: int
    work_unit: str
    launches: int
    q1: float
    median: float
    q3: float
    keys: int
    tests: int
    total_ticks: int
    cycles_per_tick: float | None

    def per_unit(self, ticks: float | None = None) -> float:
        """Cycles (ticks where those are unknown) per byte, or per setup."""
        value = self.median if ticks is None else ticks
        return value * (self.cycles_per_tick or 1.0) / self.work


@dataclass(frozen=True, slots=True)
class CellResult:
    """Everything known about one cell, as reports read it from the store.

    `disturbed` says that no launch was quiet, so that the figures come from
    disturbed ones. `shared_with` names the cell that was measured in its place because the
    object code is identical. `subject` is None if the agent never described
    itself.
    """

    cell: Cell
    package: Package
    configuration: Configuration
    build: Build
    subject: StreamSubject | None
    checks: tuple[CheckResult, ...]
    figures: tuple[Figure, ...]
    counter: Counter | None
    shared_with: Cell | None
    measured_at: str | None
    disturbed: bool = False

    @property
    def failed(self) -> bool:
        """Whether a reader must not trust the figures."""
        return not self.build.ok or any(c.verdict is Verdict.FAIL for c in self.checks)


# ---------------------------------------------------------------- machine


@dataclass(frozen=True, slots=True)
class Machine:
    """Where results were obtained. Fields that the system does not tell are None."""

    host: str
    cpu: str
    architecture: str
    cores: int
    memory_bytes: int
    kernel: str
    system: str
    mhz: float | None
    governor: str | None
    turbo: bool | None
    smt: bool | None
    virtualised: str | None
    notes: tuple[str, ...] = ()


# ---------------------------------------------------------------- campaigns


@dataclass(frozen=True, slots=True)
class Campaign:
    """One call of `assay run`: its arguments and when it ran.

    Times are ISO 8601; `finished_at` is None while it runs or after it was killed.
    """

    arguments: tuple[str, ...]
    started_at: str
    finished_at: str | None = None
