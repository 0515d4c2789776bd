# SPDX-License-Identifier: MIT
"""Cells on their way through the engine: what a recipe became, its verdicts, what is stored.

Verdicts are kept with a digest of the sources on which those of a kind of package depend, and
those of other sources are not taken for an answer. Reports, pages and measuring are not part of
it; the harness and the compiler belong to the build.
"""

import functools
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from assay.check.depth import Depth
from assay.check.engine.build import Foundry
from assay.check.engine.wanted import Wanted
from assay.compile.harness import harness_hash
from assay.compile.installed import unchanged
from assay.compile.reasons import NO_ROOM, warnings_of
from assay.compile.recipe import Recipe
from assay.grouped import grouped
from assay.model import Build, BuildStage, CheckResult, PackageKind, Subject, Verdict, overall
from assay.model.causes import WARNINGS
from assay.model.compared import ended_early
from assay.model.notes import Portability
from assay.store import Store

ANSWERS = "agent/answers"
COMPILES = "build/compiles"
LINKS = "build/links"
FITS = "build/fits"
LOADS = "package/loads"
WARNED_LINES, WARNED_CHARACTERS = 10, 2048
WARNED_CURE = (
    "Look at these lines first. Declare each function before it is called, or include the header "
    "that does; newer compilers (gcc 14, clang 16) refuse such calls and conversions."
)


@dataclass(frozen=True)
class Examination:
    """What came out of a trial; `subject` is None if the agent never described itself.

    `portability` is None where nobody asked. `seconds` is how long building and examining took by
    the clock, beside others, when that was done (None: that is not known).
    """

    subject: Subject | None
    checks: tuple[CheckResult, ...]
    portability: Portability | None = field(default=None, kw_only=True)
    seconds: float | None = field(default=None, compare=False, kw_only=True)

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
    """Name what a build is linked with, and what came first and does not compile."""
    if linked := (*build.subroutines, *build.libraries):
        yield f"linked with {', '.join(map(str, linked))}"
    if build.passed_over:
        yield f"not with {', '.join(build.passed_over)}, which does not compile here"
    yield from build.notes


OF_THE_SOURCE = ("forgeries/lengths", "forgeries/plaintext", "schemes/")
"""How the names of checks begin that a package's source decides, whatever compiles it."""


@dataclass(frozen=True)
class BuiltCell:
    """A recipe and what it became."""

    recipe: Recipe
    build: Build

    @property
    def code(self) -> tuple[str, int, str | None]:
        """What is checked and measured once: machine code of a variant of a package."""
        return self.recipe.package.place, self.recipe.variant, self.build.object_hash


@dataclass(frozen=True)
class CheckedCell(Examination, BuiltCell):
    """A cell that was built and checked; those with the same code share what was found."""

    @classmethod
    def of(cls, recipe: Recipe, build: Build, found: Examination) -> Self:
        """Return a cell of whose code this was found."""
        return cls(recipe, build, **vars(found))


def passed(
    cells: Iterable[CheckedCell], accept: tuple[str, ...] = ()
) -> list[tuple[BuiltCell, ...]]:
    """Return the cells that passed, grouped by identical code, in their order.

    What fails only checks whose names begin with one of `accept` counts as passed.
    """
    groups = grouped((one.code, one) for one in cells if one.accepted(accept))
    return [tuple(group) for group in groups.values()]


def skipped(cells: Iterable[CheckedCell]) -> set[str]:
    """Name the places of packages that are not for this machine, or lack a library here.

    That does not depend on a configuration.
    """
    found = (one for one in cells if one.verdict is Verdict.SKIPPED)
    return {one.recipe.package.place for one in found}


def wrong(cells: Iterable[CheckedCell], accept: tuple[str, ...] = ()) -> set[str]:
    """Name the places of packages whose source is wrong, whatever compiles it.

    Checks whose names begin with one of `accept` do not matter.
    """

    def is_wrong(check: CheckResult) -> bool:
        failed = check.verdict is Verdict.FAIL and check.check.startswith(OF_THE_SOURCE)
        return failed and not (accept and check.check.startswith(accept))

    return {one.recipe.package.place for one in cells if any(map(is_wrong, one.checks))}


SOURCE = Path(__file__).parents[2]
SHARED = ("compile", "elf", "execute", "machine", "model", "package", "targets", "timing")
SUFFIXES = (".py", ".toml")
PREFIXES = {Depth.SHORT: "short-", Depth.GLANCE: "glance-"}  # of who asks less


@functools.cache
def asked_by(kind: str, source: Path = SOURCE) -> str:
    """Return the digest of all that asks packages of a kind."""
    digest = hashlib.sha256()
    for path in sorted(_files(kind, source)):
        digest.update(str(path.relative_to(source)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _files(kind: str, source: Path) -> Iterator[Path]:
    """Yield the sources; what other kinds are asked is none of them."""
    others = {str(source / "check" / other) for other in PackageKind if other != kind}
    for folder in ("check", *SHARED):
        for place, folders, files in os.walk(source / folder):
            folders[:] = [one for one in folders if f"{place}/{one}" not in others]
            yield from (Path(place, one) for one in files if one.endswith(SUFFIXES))


def asker(kind: str, wanted: Wanted) -> str:
    """Name who asks, as verdicts are kept with it."""
    return PREFIXES.get(wanted.extent.depth, "") + asked_by(kind)


def askers(kind: str, wanted: Wanted) -> tuple[str, ...]:
    """Name those whose verdicts say all that is wanted; an examination says what a glance does."""
    full = asked_by(kind)
    prefixes = (prefix for depth, prefix in PREFIXES.items() if wanted.extent.depth <= depth)
    return (full, *(prefix + full for prefix in prefixes))


def made_with(recipe: Recipe) -> str:
    """Name what else a build depends on: the harness and the compiler behind the name."""
    return f"{harness_hash()}-{recipe.compiler.identity[:12]}"


def known_build(store: Store, recipe: Recipe) -> Build | None:
    """Return the build of the store that still holds; one of other subroutines does not."""
    package, configuration = recipe.package, recipe.configuration
    harness, target = made_with(recipe), recipe.target
    build = store.build_for(package, configuration, harness, recipe.variant, target.name)
    return build if build is not None and _still_holds(recipe, build) else None


def _still_holds(recipe: Recipe, build: Build) -> bool:
    """Return whether a build would be linked with the same subroutines and libraries today."""
    from assay.compile.supercop.names import abi_of  # noqa: PLC0415 - when a store has builds
    from assay.compile.supercop.subroutines import linked, still_linked  # noqa: PLC0415

    if not all(map(unchanged, build.libraries)):
        return False
    if not recipe.package.kind.rules.combined:
        return linked(recipe.served.subroutines) == build.subroutines
    return still_linked(recipe.package, abi_of(recipe.configuration, recipe.target), build)


def same_jail(build: Build, foundry: Foundry) -> bool:
    """Return whether a stored build was made in the jail of today."""
    return build.jail == foundry.stage.jail.mode.value
