# SPDX-License-Identifier: MIT
"""Cells, builds and verdicts: what checks found, under the names that they have today.

Results of older versions, options and readers of JSON know former names, which go with the next
release. A package may promise something of its timing: verdicts say whether anybody has looked.
"""

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

PROMISED = "secrets/timing"
UNEXAMINED = "declared goals not examined"
ASKING = f"{UNEXAMINED}, `--deep` examines them"
FORMERLY = {
    "state/static-memory": "state/leftover",
    "state/residue": "state/leftovers",
    "sanitize/threads": "threads/race",
    "supercop/returns": "calls/returns",
    "supercop/round-trip": "calls/round-trip",
    "supercop/lengths": "calls/lengths",
    "supercop/forgeries": "calls/forgeries",
    "supercop/commutative": "calls/commutative",
    "supercop/consistent": "calls/consistent",
    "supercop/inputs": "buffers/inputs",
    "supercop/margins": "buffers/margins",
    "supercop/overlap": "buffers/overlap",
    "supercop/misaligned": "buffers/misaligned",
}
_TODAY = {old: new for new, old in FORMERLY.items()}


class Cell(Struct, frozen=True):
    """The unit of work: a variant of a package under a configuration on a target."""

    selector: str
    variant: int
    configuration: str
    target: str = "native"

    @property
    def extension(self) -> str:
        """The suffix of the cell's files: `<variant>_<configuration>`."""
        return f"{self.variant}_{self.configuration}"


class Verdict(StrEnum):
    """The answer of a check. Only a pass is shown as green.

    A finding is an observation that does not fail the package. Open is a question that decides
    a pass and got no answer: a declared goal that could not be examined, say.
    """

    PASS = "pass"
    FAIL = "fail"
    OPEN = "open"
    FINDING = "finding"
    SKIPPED = "skipped"


class CheckResult(Struct, frozen=True):
    """One check's verdict on one cell.

    `reason` is one sentence: why it failed or was skipped. `cure` says how to
    fix it. `evidence` is preformatted text: inputs, expected and actual bytes. `outputs` are
    digests of what was computed from inputs that are the same in every configuration, by name:
    cells of one package are compared by them. `sizes` are what it measured, in bytes, by name
    (`stack`). `follows` names the check whose failure explains
    this one (`assay.model.causes`).
    """

    check: str
    verdict: Verdict
    reason: str = ""
    cure: str = ""
    evidence: str = ""
    outputs: tuple[tuple[str, str], ...] = ()
    follows: str = ""
    sizes: tuple[tuple[str, int], ...] = ()


def overall(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the verdict on the whole: the gravest one; skipped if nothing was examined.

    Findings do not count against a package, so it is never one.
    """
    given = frozenset(verdicts)
    for gravest in (Verdict.FAIL, Verdict.OPEN):
        if gravest in given:
            return gravest
    return Verdict.PASS if given & {Verdict.PASS, Verdict.FINDING} else Verdict.SKIPPED


def measured_sizes(checks: Iterable[CheckResult]) -> dict[str, int]:
    """Return what checks measured, in bytes, by name."""
    return dict(size for one in checks for size in one.sizes)


class BuildStage(StrEnum):
    """Where a build ended."""

    SKIPPED = "skipped"  # not for this machine: nobody's fault
    COMPILE = "compile"
    LINK = "link"
    DONE = "done"


class Stacks(Struct, frozen=True):
    """What the sources of a package say of the stack, by the notes in their object files.

    `asking` want an executable one, `silent` say nothing and hold code or data, `empty` say
    nothing and hold neither.
    """

    asking: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()


class Linked(Struct, frozen=True):
    """An implementation of another primitive that a package was linked with.

    `shipped` says that it came with Assay, as the package's own tree has none.
    """

    selector: str
    league: str
    content_hash: str
    shipped: bool = False

    def __str__(self) -> str:
        """Name it as reports do."""
        return f"{self.selector} ({self.league}{', shipped with Assay' * self.shipped})"


class LibraryFile(Struct, frozen=True):
    """A library that is not built by Assay, and what tells this version of it from others."""

    path: Path
    version: str

    def __str__(self) -> str:
        """Name it as reports do."""
        return f"{self.path.name} ({self.version})"


class Build(Struct, frozen=True):
    """A built agent, or the reason why there is none.

    `object_hash` identifies the machine code (None when compilation failed):
    cells that share it share measurements. `diagnostics` is what the compiler
    printed, whether or not it succeeded. `reason`/`cure` are set when it failed.
    `command` is the compile line, for the report. `compile_seconds` is by the clock.
    `objects` are the package's own object files, without adapter and harness. `notes` state
    what else a reader should know of how it was built. `stacks` is what the package's own
    object files say of the stack. Of packages of the SUPERCOP API, `league` is the one that
    the build is in, `subroutines` are the implementations that it was linked with,
    `passed_over` names those that came first and do not compile here, and `libraries` are the
    system's and the user's own.
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
    objects: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    stacks: Stacks = Stacks()
    league: str = ""
    subroutines: tuple[Linked, ...] = ()
    passed_over: tuple[str, ...] = ()
    libraries: tuple[LibraryFile, ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether an agent can be launched."""
        return self.stage is BuildStage.DONE


def examined(checks: Iterable[CheckResult]) -> bool:
    """Return whether declared goals were looked at, to the end or until one was broken."""
    answers = (Verdict.PASS, Verdict.FAIL)
    return any(one.check == PROMISED and one.verdict in answers for one in checks)


def unexamined(goals: frozenset[str], checks: Iterable[CheckResult]) -> bool:
    """Return whether goals are declared, and nobody asked for what takes a minute.

    Where it was asked for and could not be answered, the check itself is open.
    """
    skipped = (one.check == PROMISED and one.verdict is Verdict.SKIPPED for one in checks)
    return bool(goals) and any(skipped)


def todays(name: str) -> str:
    """Return the name that a check has today."""
    return _TODAY.get(name, name)


def under_todays_names(checks: Iterable[CheckResult]) -> tuple[CheckResult, ...]:
    """Return verdicts with the names that their checks have today."""
    return tuple(
        replace(one, check=_TODAY[one.check]) if one.check in _TODAY else one for one in checks
    )
