# SPDX-License-Identifier: MIT
"""What a check is, for every kind: a named question, and how to fix what it finds.

A check's function looks at a trial and returns if all is well, perhaps with a remark that
belongs to the result; otherwise it raises CheckFailed, CheckFinding, CheckOpen,
CheckSkipped or CheckInapplicable. A fault, a dead or a silent agent is a failure of the check
that was asking. Verdicts come from here, never from what submitted
code prints.

Another attempt may change some: the time was used up, or Assay itself failed. The former is open:
slow code is not wrong, and what was not asked may fail.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import PackageError
from assay.execute.agent import AgentError, AgentRefusal
from assay.execute.lock import stand_aside
from assay.execute.patience import OutOfPatience, Patience
from assay.fence import cure_of, evidence_of, reason_of
from assay.model import CheckResult, Verdict
from assay.model.compared import PATIENCE, ended_early
from assay.timing.witness import making_sense

TrialT = TypeVar("TrialT")
FoundT = TypeVar("FoundT")
TrialT_contra = TypeVar("TrialT_contra", contravariant=True)


Outputs = tuple[tuple[str, str], ...]
Sizes = tuple[tuple[str, int], ...]

NOT_ASKED = "not asked: the package took too long"
NOT_FINISHED = "not finished: the package took too long"
FAILED = "bench/failed"


class Remark(Struct, frozen=True):
    """What belongs to the result of a check that found nothing wrong; `sizes` are in bytes."""

    text: str = ""
    sizes: Sizes = ()


Said = str | Remark | None


class CheckFailed(Exception):
    """The code under test does not do what the check asks."""

    verdict: ClassVar[Verdict] = Verdict.FAIL

    def __init__(
        self,
        reason: str,
        evidence: str = "",
        cure: str = "",
        outputs: Outputs = (),
        sizes: Sizes = (),
    ) -> None:
        """Take the reason in one sentence, preformatted evidence, and a cure of its own.

        `outputs` are digests by which configurations are compared, `sizes` what was measured.
        """
        super().__init__(reason)
        self.evidence = evidence
        self.cure = cure
        self.outputs = outputs
        self.sizes = sizes


class CheckFinding(CheckFailed):
    """The code does something worth knowing that no rule of its API forbids."""

    verdict = Verdict.FINDING


class CheckOpen(CheckFailed):
    """The question decides whether the package passes, and could not be answered."""

    verdict = Verdict.OPEN


class CheckSkipped(Exception):
    """The question does not apply here, or cannot be asked; the text says why."""


class CheckInapplicable(CheckSkipped):
    """The question never applies to such a package, or on this target: there is no row for it."""


class Origin(StrEnum):
    """Who asks a question first: the framework that an API comes from, or Assay."""

    ESTREAM = "Asked first by eSTREAM's test program."
    SUPERCOP = "Asked first by SUPERCOP's own tests."
    PAPER = "A rule of the Shabal paper, Annex A."
    ASSAY = "Added by Assay."


@contextmanager
def refusal_means(said: CheckSkipped) -> Iterator[None]:
    """Raise this where the agent refuses what it is asked meanwhile."""
    try:
        yield
    except AgentRefusal:
        raise said from None


def once(notes: dict[str, Any], key: str, find: Callable[[], FoundT]) -> FoundT:
    """Return what is found out once for all checks; CheckSkipped if that cannot be found out."""
    if key not in notes:
        try:
            notes[key] = find()
        except CheckSkipped as skipped:
            notes[key] = skipped
    found: FoundT | CheckSkipped = notes[key]
    if isinstance(found, CheckSkipped):
        raise type(found)(*found.args)
    return found


def never(_: object) -> str:
    """Return no excuse: every failure counts."""
    return ""


class Check(Struct, Generic[TrialT_contra], frozen=True):
    """One named check: a section of docs/reference/checks.md, a row of every table of verdicts.

    `asks` is the question, `why` what goes wrong in practice where the answer is
    no, `cure` what the author does then. `origin` tells whose rule it is. `excuse` gives
    the reason why a package need not follow it, where there is one: what fails is then a
    finding. Checks with the same `notes` look at one thing that was found out for all of them
    (`BaseTrial.notes`).
    """

    name: str
    asks: str
    why: str
    cure: str
    run: Callable[[TrialT_contra], Said]
    origin: Origin = Origin.ASSAY
    excuse: Callable[[TrialT_contra], str] = never
    notes: str = ""

    def answered_by(self, run: Callable[[TrialT], Said]) -> "Check[TrialT]":
        """Return the same question, which a kind finds the answer to in a way of its own."""
        return Check(self.name, self.asks, self.why, self.cure, run, self.origin)

    def verdict(self, trial: TrialT_contra) -> CheckResult | None:
        """Run the check on a trial; None if its question never applies there."""
        found = self._asked(trial)
        excuse = self.excuse(trial) if found and found.verdict is Verdict.FAIL else ""
        if found is None or not excuse:
            return found
        return replace(found, verdict=Verdict.FINDING, reason=f"{found.reason} ({excuse})")

    def _asked(self, trial: TrialT_contra) -> CheckResult | None:
        try:
            with making_sense():
                said = self.run(trial) or ""
        except CheckFailed as failed:
            cure = failed.cure or self.cure
            why = (str(failed), cure, failed.evidence, failed.outputs)
            return CheckResult(self.name, failed.verdict, *why, sizes=failed.sizes)
        except CheckInapplicable:
            return None
        except CheckSkipped as skipped:
            return CheckResult(self.name, Verdict.SKIPPED, str(skipped))
        except PackageError as error:  # a file was changed or moved since it was loaded
            return CheckResult(self.name, Verdict.OPEN, str(error), error.cure)
        except AgentError as error:
            return CheckResult(self.name, Verdict.FAIL, str(error), self.cure)
        remark = Remark(said) if isinstance(said, str) else said
        return CheckResult(self.name, Verdict.PASS, remark.text, sizes=remark.sizes)


def sharing(notes: str, checks: Iterable[Check[TrialT]]) -> tuple[Check[TrialT], ...]:
    """Return checks that look at the same notes, so that they are asked by one process."""
    return tuple(replace(one, notes=notes) for one in checks)


def run_checks(
    checks: Iterable[Check[TrialT]], trial: TrialT, patience: Patience | None = None
) -> tuple[CheckResult, ...]:
    """Run all checks; none depends on another's outcome.

    When the time for which the package is waited for is used up, nothing more is asked, and
    what was being asked then has no answer, unless it had failed before.
    """
    allowed = patience or Patience(math.inf)
    verdicts = (_in_time(check, trial, allowed) for check in checks)
    return tuple(one for one in verdicts if one is not None)


def _in_time(check: Check[TrialT], trial: TrialT, patience: Patience) -> CheckResult | None:
    """Run a check if there is time left; None if it does not concern the trial."""
    stand_aside()
    if patience.exhausted:
        return CheckResult(check.name, Verdict.SKIPPED, NOT_ASKED)
    ended = patience.ended
    found = check.verdict(trial)
    failed = found is not None and found.verdict is Verdict.FAIL
    if patience.exhausted and (patience.ended > ended or not failed):
        engine = found.reason if found and found.verdict in (Verdict.SKIPPED, Verdict.OPEN) else ""
        reason = ": ".join(filter(None, (NOT_FINISHED, engine)))
        return CheckResult(check.name, Verdict.SKIPPED, reason)
    return found


def unexpected(error: BaseException) -> CheckResult:
    """Return the failed check of a package at which Assay itself failed (`fence.py`)."""
    return CheckResult(FAILED, Verdict.FAIL, reason_of(error), cure_of(error), evidence_of(error))


def took_too_long(error: OutOfPatience, checks: Iterable[CheckResult] = ()) -> CheckResult:
    """Return the open check, which counts those of `checks` that were answered, and the others."""
    given = tuple(checks)
    left = [one.check for one in given if one.reason.startswith((NOT_ASKED, NOT_FINISHED))]
    reason = f"not examined to the end: {error}"
    if left:
        reason += f"; {len(given) - len(left)} checks were answered, {len(left)} were not"
    return CheckResult(PATIENCE, Verdict.OPEN, reason, error.cure, "\n".join(left))


def is_final(checks: Iterable[CheckResult]) -> bool:
    """Return whether verdicts would be the same in another attempt, so that they can be kept."""
    given = tuple(checks)
    failed = any(one.check == FAILED for one in given)
    return not failed and not ended_early(given)
