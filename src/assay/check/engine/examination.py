# SPDX-License-Identifier: MIT
"""What came out of a trial: the verdicts on one cell."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.compile.reasons import NO_ROOM
from assay.compile.warnings import warnings_of
from assay.model import Build, BuildStage, CheckResult, Subject, Verdict, overall
from assay.model.causes import WARNINGS
from assay.model.compared import ended_early
from assay.model.portability import Portability

ANSWERS = "agent/answers"
COMPILES = "build/compiles"
LINKS = "build/links"
FITS = "build/fits"
CONSTANTS = "build/constants"
LOADS = "package/loads"
WARNED_LINES, WARNED_CHARACTERS = 10, 2048
WARNED_CURE = (
    "Look at these lines first. Declare each function before it is called, or include the header "
    "that does; newer compilers (gcc 14, clang 16) refuse such calls and conversions."
)


@dataclass(frozen=True, slots=True)
class Examination:
    """What came out of a trial; `subject` is None if the agent never described itself.

    `portability` is None where nobody asked. `seconds` is how long building and examining took by
    the clock, beside others, when that was done (None: that is not known).
    """

    subject: Subject | None
    checks: tuple[CheckResult, ...]
    portability: Portability | None = None
    seconds: float | None = field(default=None, compare=False)

    @property
    def passed(self) -> bool:
        """Return whether nothing failed."""
        return all(check.verdict is not Verdict.FAIL for check in self.checks)

    def accepted(self, names: tuple[str, ...]) -> bool:
        """Return whether something passed, and nothing failed but checks whose names begin so.

        What is open does not keep a package from being measured; every table says that it is.
        One that used up its time is not measured: what it was not asked may fail.
        """
        if ended_early(self.checks):
            return False
        failed = [one.check for one in self.checks if one.verdict is Verdict.FAIL]
        if names and failed and all(name.startswith(names) for name in failed):
            return any(check.verdict is Verdict.PASS for check in self.checks)
        return self.verdict in {Verdict.PASS, Verdict.OPEN}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: skipped if nothing passed and nothing failed."""
        return overall(check.verdict for check in self.checks)


def build_verdict(build: Build) -> CheckResult:
    """Show a build as the check that it is."""
    if build.ok:
        return CheckResult(LINKS, Verdict.PASS, "; ".join(_linked(build)))
    if build.stage is BuildStage.SKIPPED or build.reason.startswith(NO_ROOM):
        return CheckResult(FITS, Verdict.SKIPPED, build.reason, build.cure)
    name = LINKS if build.object_hash else COMPILES
    return CheckResult(name, Verdict.FAIL, build.reason, build.cure, build.diagnostics)


def with_warnings(checks: tuple[CheckResult, ...], build: Build) -> tuple[CheckResult, ...]:
    """Add to verdicts what the compiler warned of, if it is grave and may tell why code fails.

    Calls of functions without a declaration are noted where nothing fails, too.
    """
    if any(one.check == WARNINGS for one in checks):
        return checks
    found = warning(build, fails=any(one.verdict is Verdict.FAIL for one in checks))
    return (*checks[:1], found, *checks[1:]) if found else checks


def warning(build: Build, *, fails: bool) -> CheckResult | None:
    """Return a finding of what the compiler warned of, for code that fails or does not."""
    grave = warnings_of(build.diagnostics)
    told = [one for one in grave if fails or "implicit declaration" in one.text]
    if not told:
        return None
    more = f" (and {len(told) - 1} more such warnings)" if len(told) > 1 else ""
    lines = "\n".join(map(str, told[:WARNED_LINES]))[:WARNED_CHARACTERS] if more else ""
    return CheckResult(WARNINGS, Verdict.FINDING, f"{told[0]}{more}", WARNED_CURE, lines)


def _linked(build: Build) -> Iterator[str]:
    """Name the subroutines in a build, and those that came first and do not compile."""
    if build.subroutines:
        yield f"linked with {', '.join(map(str, build.subroutines))}"
    if build.passed_over:
        yield f"not with {', '.join(build.passed_over)}, which does not compile here"
    yield from build.notes
