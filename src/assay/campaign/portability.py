# SPDX-License-Identifier: MIT
"""How a package stands on a target: one row of the portability matrix."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from assay.build.reasons import NO_ROOM
from assay.build.recipe import Recipe
from assay.campaign.choice import fitted
from assay.campaign.foreign import target_configuration
from assay.campaign.workshop import Examination, open_workshop
from assay.errors import MachineError
from assay.execute.jail import Jail
from assay.model import CheckResult, Package, Target, Verdict
from assay.target.fitting import fits
from assay.target.installed import look_for

COLUMNS = ("builds", "conforms", "vectors", "misaligned")
VECTOR_CHECKS = ("vectors/verified", "digest/verified")
BUILD_CHECKS = ("build/",)


def no_room(checks: Iterable[CheckResult]) -> str:
    """Say why a build or its vectors are too large for the target; empty if they are not."""
    asked = (*BUILD_CHECKS, *VECTOR_CHECKS)
    reasons = (one.reason for one in checks if one.check.startswith(asked))
    return next((reason for reason in reasons if reason.startswith(NO_ROOM)), "")


@dataclass(frozen=True)
class Standing:
    """What came of a package on a target; `skipped` says why nothing did.

    `misaligned` is how many memory accesses of one message were not aligned; None
    if they could not be counted.
    """

    target: Target
    configuration: str = ""
    examination: Examination | None = None
    skipped: str = ""
    misaligned: int | None = None

    @cached_property
    def failed(self) -> bool:
        """Whether something is wrong here."""
        return self.examination is not None and not self.examination.passed

    @property
    def cause(self) -> str:
        """Say in one line why the row is not green; the first failure tells most."""
        if self.examination is None:
            return self.skipped
        first = next(iter(self._failures(("",))), None)
        return f"{first.check}: {first.reason}" if first else ""

    def answer(self, column: str) -> str:
        """Answer one question of the matrix: yes, no, or why it is open."""
        if self.examination is None:
            return "-"
        if column == "builds":
            return "no" if self._failures(BUILD_CHECKS) else "yes"
        if self._failures(BUILD_CHECKS):
            return "-"
        if column == "vectors":
            return self._verdict(VECTOR_CHECKS)
        if column == "misaligned":
            return "-" if self.misaligned is None else str(self.misaligned or "none")
        others = [one for one in self._failures(("",)) if not one.check.startswith(VECTOR_CHECKS)]
        return "no" if others else "yes"

    def _failures(self, names: tuple[str, ...]) -> list[CheckResult]:
        checks = self.examination.checks if self.examination else ()
        return [
            one for one in checks if one.verdict is Verdict.FAIL and one.check.startswith(names)
        ]

    def _verdict(self, names: tuple[str, ...]) -> str:
        checks = self.examination.checks if self.examination else ()
        verdicts = {one.verdict for one in checks if one.check.startswith(names)}
        if Verdict.FAIL in verdicts:
            return "no"
        return "yes" if Verdict.PASS in verdicts else "skipped"


def stand(package: Package, target: Target, jail: Jail, *, deep: bool = False) -> Standing:
    """Build and check a package on a target; every variant that it has.

    What is not installed, or written for another architecture, is skipped with the reason.
    """
    installed = look_for(target)
    if not installed.ok:
        return Standing(target, skipped=f"{installed.reason} ({installed.cure})")
    if not fits(package.architecture, target):
        return Standing(target, skipped=f"it is assembly for {package.architecture}")
    try:
        configuration, compiler = target_configuration(target)
    except MachineError as error:
        return Standing(target, skipped=str(error))
    fitting = fitted(configuration, package) if target.is_native else configuration
    checks: tuple[CheckResult, ...] = ()
    misaligned: int | None = None
    with open_workshop(jail, target=target) as workshop:
        for variant in range(1, package.variants + 1):
            recipe = Recipe(package, variant, fitting, compiler, target)
            build = workshop.build(recipe)
            if build.reason.startswith(NO_ROOM):
                return Standing(target, skipped=build.reason)
            outcome = workshop.examine(recipe, build, thorough=target.is_native, deep=deep)
            checks += outcome.checks
            seen = workshop.misaligned(recipe, build, outcome)
            misaligned = seen if misaligned is None else misaligned + (seen or 0)
    return Standing(target, configuration.name, Examination(None, checks), "", misaligned)
