# SPDX-License-Identifier: MIT
"""What came of a package, target by target: the one stream that all forms of `check` show."""

import re
from collections.abc import Generator, Iterable, Sequence
from functools import cached_property
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from assay.check.engine.cells import LOADS, CheckedCell, Examination
from assay.check.engine.examine import Engine
from assay.check.engine.wanted import Wanted
from assay.check.engine.workshop import common_trait
from assay.compile.reasons import NO_ROOM
from assay.model import BrokenPackage, CheckResult, Package, Target, Verdict, overall
from assay.model.causes import in_order
from assay.model.compared import COMPARISONS
from assay.package.discover import Found
from assay.plan.spread import TargetCells
from assay.store import Store

ORDER = (Verdict.FAIL, Verdict.OPEN, Verdict.FINDING, Verdict.SKIPPED, Verdict.PASS)
NAMED = 3
_VARIABLE = re.compile(r"\b(?:0x[0-9a-f]+|\d{1,15})\b")  # a checksum is another in each group


class Everywhere(Struct, frozen=True):
    """What came of a variant of a package in all of them, in the order that was asked for."""

    rows: tuple[CheckedCell, ...]

    @property
    def codes(self) -> int:
        """How many different object codes there are."""
        return len({row.build.object_hash for row in self.rows} - {None})

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole: one configuration that fails is a failure."""
        return overall(row.verdict for row in self.rows)

    def count(self, verdict: Verdict) -> int:
        """In how many configurations this was the verdict on the whole."""
        return sum(row.verdict is verdict for row in self.rows)

    def findings(self, *, all_names: bool = False) -> tuple[CheckResult, ...]:
        """Return each check's verdicts, once for all configurations where it says the same.

        The reason begins with where that is, unless it is everywhere. Failures come first, and
        before them the findings that they follow from.
        """
        where: dict[tuple[str, Verdict, str], list[str]] = {}
        first: dict[tuple[str, Verdict, str], CheckResult] = {}
        for row in self.rows:
            for one in row.checks:
                key = (one.check, one.verdict, _VARIABLE.sub("N", one.reason))
                first.setdefault(key, one)
                where.setdefault(key, []).append(row.recipe.configuration.name)
        found = [self._located(first[key], names, all_names) for key, names in where.items()]
        return tuple(in_order(sorted(found, key=lambda one: ORDER.index(one.verdict))))

    def _located(self, check: CheckResult, names: list[str], all_names: bool) -> CheckResult:
        """Name the configurations in which a check found it."""
        if len(names) == len(self.rows) > 1:
            return check
        shown = names if all_names or len(names) <= NAMED else names[:NAMED]
        more = len(names) - len(shown)
        place = f"in {', '.join(shown)}" + (f" and {more} more (--all names them)" if more else "")
        return replace(check, reason=f"{place}: {check.reason}" if check.reason else place)


COLUMNS = ("builds", "conforms", "vectors", "misaligned")
BUILD_CHECKS = ("build/",)
WORDS = {Verdict.FAIL: "no", Verdict.OPEN: "open", Verdict.PASS: "yes"}  # the worst first


def no_room(checks: Iterable[CheckResult]) -> str:
    """Explain why a build or its vectors are too large for the target; empty if they are not."""
    asked = (*BUILD_CHECKS, *COMPARISONS)
    reasons = (one.reason for one in checks if one.check.startswith(asked))
    return next((reason for reason in reasons if reason.startswith(NO_ROOM)), "")


class TargetStanding(Struct, frozen=True, dict=True):
    """What came of a package on a target; `skipped` says why nothing did.

    `misaligned` is how many memory accesses of a few messages were not aligned; None
    if they could not be counted. `traits` are the target's, and `suspect` is what the
    rows that failed have in common, see `explained`. `rows` are the cells.
    """

    target: Target
    configuration: str = ""
    examination: Examination | None = None
    skipped: str = ""
    misaligned: int | None = None
    traits: frozenset[str] = frozenset()
    suspect: str = ""
    rows: tuple[CheckedCell, ...] = ()

    @cached_property
    def failed(self) -> bool:
        """Return whether something is wrong here."""
        return self.examination is not None and not (self.examination.passed and not self._rotated)

    @property
    def verdict(self) -> Verdict:
        """The verdict on the whole; skipped where nothing was examined."""
        if self.failed:
            return Verdict.FAIL
        return self.examination.verdict if self.examination else Verdict.SKIPPED

    @property
    def cause(self) -> str:
        """State in one line why the row is not green; the first failure tells most."""
        if self.examination is None:
            return self.skipped
        first = next(iter(self._those(Verdict.FAIL) or self._those(Verdict.OPEN)), None)
        reason = f"{first.check}: {first.reason}" if first else self._rotated
        if not reason:
            return no_room(self.examination.checks)
        return f"{reason} (only where {self.suspect})" if self.suspect else reason

    @property
    def _rotated(self) -> str:
        """Describe what goes wrong on the real processor, though the emulator did as was meant."""
        if not self.misaligned or not self.target.aligned:
            return ""
        return f"misaligned: {self.misaligned} accesses, which only the emulator allows"

    def answer(self, column: str) -> str:
        """Answer one question of the matrix: yes, no, or why it is open."""
        unbuilt = self._those(Verdict.FAIL, BUILD_CHECKS)
        if self.examination is None or (unbuilt and column != "builds"):
            return "-"
        if column == "builds":
            return "no" if unbuilt else "yes"
        if column == "misaligned":
            return "-" if self.misaligned is None else str(self.misaligned or "none")
        compares = column == "vectors"
        for verdict, word in WORDS.items() if compares else list(WORDS.items())[:2]:
            if any(one.check.startswith(COMPARISONS) is compares for one in self._those(verdict)):
                return word
        return "skipped" if compares else "yes"

    def _those(self, verdict: Verdict, names: tuple[str, ...] = ("",)) -> list[CheckResult]:
        checks = self.examination.checks if self.examination else ()
        return [one for one in checks if one.verdict is verdict and one.check.startswith(names)]


def explained(standings: Iterable[TargetStanding]) -> tuple[TargetStanding, ...]:
    """Add to the rows that failed what sets their targets apart from those that passed."""
    rows = tuple(standings)
    known = [row for row in rows if row.traits]
    suspect = common_trait(
        (row.traits for row in known if row.failed),
        (row.traits for row in known if not row.failed),
    )
    return tuple(replace(row, suspect=suspect) if row.failed else row for row in rows)


def standing(place: TargetCells, rows: Sequence[CheckedCell]) -> TargetStanding:
    """Return how a package stands on a target, all its variants and configurations together.

    It is skipped where nothing was examined.
    """
    if not rows:
        return TargetStanding(place.target, skipped=place.skipped)
    if all(one.verdict is Verdict.SKIPPED for one in rows):
        reason = next((c.reason for one in rows for c in one.checks), "")
        return TargetStanding(place.target, skipped=reason, rows=tuple(rows))
    seen = [one.portability for one in rows if one.portability]
    counts = [one.misaligned for one in seen if one.misaligned is not None]
    return TargetStanding(
        place.target,
        _named(rows),
        Examination(None, located(rows)),
        misaligned=sum(counts) if counts else None,
        traits=next((frozenset(one.traits) for one in seen if one.traits), frozenset()),
        rows=tuple(rows),
    )


def _named(rows: Sequence[CheckedCell]) -> str:
    """Name the configuration, or say how many there are."""
    names = {row.recipe.configuration.name for row in rows}
    return names.pop() if len(names) == 1 else f"{len(names)} configurations"


def located(rows: Sequence[CheckedCell], *, all_names: bool = False) -> tuple[CheckResult, ...]:
    """Return all verdicts; those of several configurations say in which they are."""
    variants: dict[int, list[CheckedCell]] = {}
    for row in rows:
        variants.setdefault(row.recipe.variant, []).append(row)
    each = (Everywhere(tuple(listed)) for listed in variants.values())
    return tuple(
        check
        for found in each
        for check in (
            found.rows[0].checks if len(found.rows) == 1 else found.findings(all_names=all_names)
        )
    )


Located = tuple[Found, tuple[TargetCells, ...]]  # a package, and where it is examined


class PackageVerdict(Struct, frozen=True):
    """A package, and what came of it on each target; `unloadable` if it could not be loaded."""

    found: Found
    standings: tuple[TargetStanding, ...] = ()
    unloadable: Examination | None = None

    @property
    def outcomes(self) -> tuple[Examination, ...]:
        """Return the outcomes of all cells."""
        if self.unloadable is not None:
            return (self.unloadable,)
        return tuple(row for each in self.standings for row in each.rows)

    @property
    def checks(self) -> tuple[CheckResult, ...]:
        """Return the verdicts of all cells."""
        return tuple(check for one in self.outcomes for check in one.checks)

    @property
    def seconds(self) -> float:
        """Return how long all cells took, as far as is known."""
        return sum(one.seconds or 0.0 for one in self.outcomes)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Return a verdict for each target."""
        if self.unloadable is not None:
            return (self.unloadable.verdict,)
        return tuple(each.verdict for each in self.standings)


def unloadable(broken: BrokenPackage) -> Examination:
    """Return the verdict on a package that cannot be loaded: a failed check."""
    return Examination(None, (CheckResult(LOADS, Verdict.FAIL, broken.reason, broken.cure),))


def judged(engine: Engine, asked: Iterable[Located], wanted: Wanted) -> Generator[PackageVerdict]:
    """Examine packages in their places; yield each as soon as those before it are done."""
    listed = tuple(asked)
    recall(engine.store, (found for found, _ in listed))
    recipes = (one for _, places in listed for place in places for one in place.recipes)
    stream = engine.examine(recipes, wanted)
    for found, places in listed:
        if isinstance(found, BrokenPackage):
            yield PackageVerdict(found, unloadable=unloadable(found))
            continue
        rows = [islice(stream, len(place.recipes)) for place in places]
        each = _agreed(engine, [tuple(one) for one in rows], wanted)
        yield PackageVerdict(found, explained(map(standing, places, each)))


def _agreed(
    engine: Engine, rows: Sequence[Sequence[CheckedCell]], wanted: Wanted
) -> list[Sequence[CheckedCell]]:
    """Add to the cells of a package, target by target, what their comparison says."""
    if not wanted.outputs:
        return list(rows)
    from assay.check.engine.agreeing import Agreeing  # noqa: PLC0415 - for several cells alone

    compared = iter(Agreeing(engine.workshop).shown([one for each in rows for one in each]))
    return [tuple(islice(compared, len(each))) for each in rows]


def recall(store: Store, packages: Iterable[Found]) -> None:
    """Record packages as last seen, so that what the store has of older contents is not used."""
    for one in packages:
        if isinstance(one, Package):
            store.put_package(one)
        else:
            store.put_broken_package(one)
