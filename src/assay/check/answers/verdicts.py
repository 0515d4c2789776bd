# SPDX-License-Identifier: MIT
"""Verdicts on the comparison with a file of known answers, and what version a wrong one is of.

Primitives that changed are known by their outputs for the first question of the authors' own
files: no associated data and no message, a key of 00 01 02 and so on, and a nonce that is the same
in files until 2024, and 10 11 12 and so on since then.
"""

from collections.abc import Iterator
from pathlib import Path

from assay.check.answers.records import AnswerEvidence, FileAgreement
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


_LEAST_BYTES = 16
_OUTPUTS = {
    "e355159f292911f794cb1432a0103a8a": "Ascon-128 v1.2",
    "7a834e6f09210957067b10fd831f0078": "Ascon-128a v1.2",
    "abb688efa0b9d56b33277a2c97d2146b": "Ascon-80pq v1.2",
    "38cca290d1f2ef3df9c8531946499037": "Ascon-128 v1.2",
    "6db880ca0cfa1d6af9a82abe364084d9": "Ascon-128a v1.2",
    "d36d9bf38d7b05dfb24212bce7c500ac": "Ascon-80pq v1.2",
    "4427d64b8e1e1451fc445960f0839bb0": "Ascon-AEAD128 (SP 800-232)",
    "4f9c278211bec9316bf68f46ee8b2ec6": "Ascon-AEAD128 (SP 800-232)",
    "7346bc14f036e87ae03d0997913088f5": "Ascon-Hash v1.2",
    "aecd027026d0675f9de7a8ad8ccf512d": "Ascon-Hasha v1.2",
    "5d4cbde6350ea4c174bd65b5b332f840": "Ascon-Xof v1.2",
    "7c10dffd6bb03be262d72fbe1b0f5300": "Ascon-Xofa v1.2",
    "0b3be5850f2f6b98caf29f8fdea89b64": "Ascon-Hash256 (SP 800-232)",
    "473d5e6164f58b39dfd84aacdb8ae42e": "Ascon-XOF128 (SP 800-232)",
}


def versions(evidence: AnswerEvidence | None) -> tuple[str, str] | None:
    """Name what a file has the answers of, and what the package computes; None if unknown.

    That is decided only where the package's output for the file's first question is that of
    a version whose outputs are known.
    """
    if evidence is None:
        return None
    expected, got = evidence.mismatch.expected, evidence.mismatch.got
    if expected is None or got is None or not (mine := _version(got)):
        return None
    theirs = _version(expected) or "another version"
    return None if theirs == mine else (theirs, mine)


def _version(output: bytes) -> str:
    return _OUTPUTS.get(output[:_LEAST_BYTES].hex(), "")
