# SPDX-License-Identifier: MIT
"""Verdicts on the comparison with a file of known answers."""

from collections.abc import Iterator
from pathlib import Path

from assay.check.answers.records import FileAgreement
from assay.model import CheckResult, Verdict
from assay.model.compared import ANSWERED

PARTLY = "answers/left-out"
CURE = (
    "Compare the inputs shown with the specification; "
    "docs/reference/known-answers.md describes the formats."
)
OTHER_FUNCTION = "They are answers of another function; give a file of the package's own."
NOTHING_FITS = "Give a file of this primitive, with answers to inputs that are valid."


def verdicts(name: Path, found: FileAgreement) -> Iterator[CheckResult]:
    """Yield the verdict on a file, and what was left out of it."""
    yield _verdict(name, found)
    if found.unfed and found.good:
        said = "; ".join(found.reasons())
        yield CheckResult(PARTLY, Verdict.FINDING, f"{name}: {said}", OTHER_FUNCTION)


def stated(name: Path, found: FileAgreement) -> str:
    """State what came of a file, and why answers were not compared."""
    return "; ".join([f"{name}: {found.sentence()}", *found.reasons()])


def evidence_of(found: FileAgreement) -> str:
    """Describe the first wrong answer."""
    return "\n".join(found.evidence.lines() if found.evidence else ())


def _verdict(name: Path, found: FileAgreement) -> CheckResult:
    if found.good:
        return CheckResult(ANSWERED, Verdict.PASS, stated(name, found))
    if not found.failed:
        return CheckResult(ANSWERED, Verdict.OPEN, stated(name, found), NOTHING_FITS)
    return CheckResult(ANSWERED, Verdict.FAIL, stated(name, found), CURE, evidence_of(found))
