# SPDX-License-Identifier: MIT
"""How a package stands on a target: one row of the portability matrix."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from assay.check.engine.cells import Examined
from assay.check.engine.everywhere import Everywhere
from assay.check.engine.examination import Examination
from assay.check.engine.target_traits import common_trait
from assay.compile.reasons import NO_ROOM
from assay.model import CheckResult, Target, Verdict
from assay.model.compared import COMPARISONS
from assay.plan.spread import TargetCells

COLUMNS = ("builds", "conforms", "vectors", "misaligned")
BUILD_CHECKS = ("build/",)


def no_room(checks: Iterable[CheckResult]) -> str:
    """Explain why a build or its vectors are too large for the target; empty if they are not."""
    asked = (*BUILD_CHECKS, *COMPARISONS)
    reasons = (one.reason for one in checks if one.check.startswith(asked))
    return next((reason for reason in reasons if reason.startswith(NO_ROOM)), "")


@dataclass(frozen=True)
class TargetStanding:
    """What came of a package on a target; `skipped` says why nothing did.

    `misaligned` is how many memory accesses of one message were not aligned; None
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
    rows: tuple[Examined, ...] = ()

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
        first = next(iter(self._failures(("",)) or self._open()), None)
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
        if self.examination is None:
            return "-"
        if column == "builds":
            return "no" if self._failures(BUILD_CHECKS) else "yes"
        if self._failures(BUILD_CHECKS):
            return "-"
        if column == "vectors":
            return self._verdict(COMPARISONS)
        if column == "misaligned":
            return "-" if self.misaligned is None else str(self.misaligned or "none")
        others = [one for one in self._failures(("",)) if not one.check.startswith(COMPARISONS)]
        if others:
            return "no"
        left = [one for one in self._open() if not one.check.startswith(COMPARISONS)]
        return "open" if left else "yes"

    def _failures(self, names: tuple[str, ...]) -> list[CheckResult]:
        checks = self.examination.checks if self.examination else ()
        return [
            one for one in checks if one.verdict is Verdict.FAIL and one.check.startswith(names)
        ]

    def _open(self) -> list[CheckResult]:
        checks = self.examination.checks if self.examination else ()
        return [one for one in checks if one.verdict is Verdict.OPEN]

    def _verdict(self, names: tuple[str, ...]) -> str:
        checks = self.examination.checks if self.examination else ()
        verdicts = {one.verdict for one in checks if one.check.startswith(names)}
        if Verdict.FAIL in verdicts:
            return "no"
        if Verdict.OPEN in verdicts:
            return "open"
        return "yes" if Verdict.PASS in verdicts else "skipped"


def explained(standings: Iterable[TargetStanding]) -> tuple[TargetStanding, ...]:
    """Add to the rows that failed what sets their targets apart from those that passed."""
    rows = tuple(standings)
    known = [row for row in rows if row.traits]
    suspect = common_trait(
        (row.traits for row in known if row.failed),
        (row.traits for row in known if not row.failed),
    )
    return tuple(replace(row, suspect=suspect) if row.failed else row for row in rows)


def standing(place: TargetCells, rows: Sequence[Examined]) -> TargetStanding:
    """Return how a package stands on a target, all its variants and configurations together.

    It is skipped where nothing was examined.
    """
    if not rows:
        return TargetStanding(place.target, skipped=place.skipped)
    outcomes = [row.outcome for row in rows]
    if all(one.verdict is Verdict.SKIPPED for one in outcomes):
        reason = next((c.reason for one in outcomes for c in one.checks), "")
        return TargetStanding(place.target, skipped=reason, rows=tuple(rows))
    seen = [one.portability for one in outcomes if one.portability]
    counts = [one.misaligned for one in seen if one.misaligned is not None]
    return TargetStanding(
        place.target,
        _named(rows),
        Examination(None, located(rows)),
        misaligned=sum(counts) if counts else None,
        traits=next((frozenset(one.traits) for one in seen if one.traits), frozenset()),
        rows=tuple(rows),
    )


def _named(rows: Sequence[Examined]) -> str:
    """Name the configuration, or say how many there are."""
    names = {row.recipe.configuration.name for row in rows}
    return names.pop() if len(names) == 1 else f"{len(names)} configurations"


def located(rows: Sequence[Examined], *, all_names: bool = False) -> tuple[CheckResult, ...]:
    """Return all verdicts; those of several configurations say in which they are."""
    variants: dict[int, list[Examined]] = {}
    for row in rows:
        variants.setdefault(row.recipe.variant, []).append(row)
    each = (Everywhere(tuple(listed)) for listed in variants.values())
    return tuple(
        check
        for found in each
        for check in (
            found.rows[0].outcome.checks
            if len(found.rows) == 1
            else found.findings(all_names=all_names)
        )
    )
