# SPDX-License-Identifier: MIT
"""How a package stands on a target: one row of the portability matrix."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from assay.check.engine.answers import with_answers
from assay.check.engine.target_traits import common_trait, traits_of
from assay.check.engine.variants import together
from assay.check.engine.workshop import Examination, Workshop, open_workshop
from assay.check.operation.answers.records import AnswerFile
from assay.compile.reasons import NO_ROOM, STOPS
from assay.compile.recipe import Recipe
from assay.errors import MachineError
from assay.execute.agent import AgentError
from assay.execute.jail import Jail
from assay.model import Build, BuildStage, CheckResult, Package, Target, Verdict
from assay.model.compared import COMPARISONS
from assay.plan.choice import fitted
from assay.plan.cross import target_configuration
from assay.targets.fitting import unsuited
from assay.targets.installed import look_for

COLUMNS = ("builds", "conforms", "vectors", "misaligned")
BUILD_CHECKS = ("build/",)


def no_room(checks: Iterable[CheckResult]) -> str:
    """Explain why a build or its vectors are too large for the target; empty if they are not."""
    asked = (*BUILD_CHECKS, *COMPARISONS)
    reasons = (one.reason for one in checks if one.check.startswith(asked))
    return next((reason for reason in reasons if reason.startswith(NO_ROOM)), "")


@dataclass(frozen=True)
class Standing:
    """What came of a package on a target; `skipped` says why nothing did.

    `misaligned` is how many memory accesses of one message were not aligned; None
    if they could not be counted. `traits` are the target's, and `suspect` is what the
    rows that failed have in common, see `explained`.
    """

    target: Target
    configuration: str = ""
    examination: Examination | None = None
    skipped: str = ""
    compiler: str = ""
    misaligned: int | None = None
    traits: frozenset[str] = frozenset()
    suspect: str = ""

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


def explained(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    """Add to the rows that failed what sets their targets apart from those that passed."""
    rows = tuple(standings)
    known = [row for row in rows if row.traits]
    suspect = common_trait(
        (row.traits for row in known if row.failed),
        (row.traits for row in known if not row.failed),
    )
    return tuple(replace(row, suspect=suspect) if row.failed else row for row in rows)


def stand(
    package: Package,
    target: Target,
    jail: Jail,
    *,
    deep: bool = False,
    answers: Sequence[AnswerFile] = (),
) -> Standing:
    """Build and check a package on a target; every variant that it has.

    What is not installed, or written for another architecture, is skipped with the reason.
    Packages of the SUPERCOP API are compared with files of known answers, too.
    """
    installed = look_for(target)
    if not installed.ok:
        return Standing(target, skipped=f"{installed.reason} ({installed.cure})")
    if reason := unsuited(package, target):
        return Standing(target, skipped=reason)
    try:
        configuration, compiler = target_configuration(target)
    except MachineError as error:
        return Standing(target, skipped=str(error))
    fitting = fitted(configuration, package) if target.is_native else configuration
    outcomes: list[Examination] = []
    misaligned: int | None = None
    traits: frozenset[str] = frozenset()
    with open_workshop(jail, target=target) as workshop:
        for variant in range(1, package.variants + 1):
            recipe = Recipe(package, variant, fitting, compiler, target)
            build = workshop.build(recipe)
            stops = build.reason.startswith(STOPS)
            if (build.stage is BuildStage.SKIPPED and not stops) or build.reason.startswith(
                NO_ROOM
            ):
                return Standing(target, skipped=build.reason)
            patient = workshop.patient(recipe, deep=deep)
            outcome = patient.examine(recipe, build, thorough=target.is_native, deep=deep)
            outcome = with_answers(patient, recipe, build, outcome, answers)
            outcomes.append(outcome)
            traits = traits or _traits(workshop, build)
            seen = workshop.misaligned(recipe, build, outcome)
            misaligned = seen if misaligned is None else misaligned + (seen or 0)
    outcome = Examination(None, tuple(c for one in together(outcomes) for c in one.checks))
    return Standing(
        target,
        configuration.name,
        outcome,
        compiler=compiler.release,
        misaligned=misaligned,
        traits=traits,
    )


def _traits(workshop: Workshop, build: Build) -> frozenset[str]:
    """Ask an agent of what kind its machine is; nothing is known of one that does not answer."""
    if not build.ok:
        return frozenset()
    try:
        with workshop.connector(build)() as agent:
            return traits_of(workshop.stage.target, agent)
    except AgentError:
        return frozenset()
