# SPDX-License-Identifier: MIT
"""Verdicts on the comparison with files of known answers, those that lie beside a package too.

Nobody named the latter, so one of which nothing fits is skipped. One whose answers are those
of another version of the primitive is no failure, as far as that can be decided. Primitives that
changed are known by their outputs for the first question of the authors' own
files: no associated data and no message, a key of 00 01 02 and so on, and a nonce that is the same
in files until 2024, and 10 11 12 and so on since then.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from assay.check.answers.read import ALLOWED_BYTES, Allowance, read_answers
from assay.check.answers.records import AnswerEvidence, AnswerFile, FileAgreement
from assay.check.check import took_too_long
from assay.errors import VectorFormatError
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import CheckResult, Package, Verdict
from assay.model.compared import ANSWERED, COMPARISONS

PARTLY = "answers/left-out"
CURE = (
    "Compare the inputs shown with the specification; "
    "docs/reference/known-answers.md describes the formats."
)
OTHER_FUNCTION = "They are answers of another function; give a file of the package's own."
NOTHING_FITS = "Give a file of this primitive, with answers to inputs that are valid."

VERSION = "answers/version"
_VERSION_CURE = (
    "Put the answers of this version beside the package, or name a file with --answers."
)
_TOO_LARGE = "it has more than {} MiB; --answers compares it"

Asked = Callable[[AnswerFile], FileAgreement]


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


class _Compared(Struct, frozen=True):
    """A file that was compared."""

    path: Path
    found: FileAgreement

    @property
    def never_right(self) -> bool:
        """Return whether not one answer is right."""
        return self.found.failed > 0 and self.found.passed == 0


def shipped_answers(
    package: Package, asked: Asked, named: Iterable[Path], checks: Sequence[CheckResult]
) -> tuple[CheckResult, ...]:
    """Return verdicts on the files beside a package, less those that were named.

    `asked` compares the package with a file, `checks` is what is known of it already.
    """
    known = {path.resolve() for path in named}
    places = package.details.answers if package.details else ()
    done: list[_Compared] = []
    results: list[CheckResult] = []
    allowance = Allowance()
    for path in (one for one in places if one.resolve() not in known):
        try:
            done.append(_Compared(path, asked(_read(path, allowance))))
        except VectorFormatError as error:
            results.append(CheckResult(ANSWERED, Verdict.SKIPPED, str(error)))
        except OutOfPatience as error:
            results.append(took_too_long(error))
            break
        except AgentError as error:
            results.append(CheckResult(ANSWERED, Verdict.FAIL, f"{path}: {error}", CURE))
    right = [one.path.name for one in done if one.found.good]
    passed = (one.check for one in checks if one.verdict is Verdict.PASS)
    right += [one for one in passed if one.startswith(COMPARISONS)]
    return (*(each for one in done for each in _judged(package, one, done, right)), *results)


def _read(path: Path, allowance: Allowance) -> AnswerFile:
    try:
        size = path.stat().st_size
    except OSError as error:  # it was moved since it was found
        raise VectorFormatError(f"{path} cannot be read: {error.strerror}", "") from None
    if size > ALLOWED_BYTES:
        raise VectorFormatError(f"{path}: {_TOO_LARGE.format(ALLOWED_BYTES >> 20)}", "")
    return read_answers(path, allowance)


def _judged(
    package: Package, one: _Compared, every: Sequence[_Compared], right: Sequence[str]
) -> Iterator[CheckResult]:
    """Yield the verdict on a file, in the light of the others."""
    why = _another_version(package, one, every, right)
    if why:
        reason = f"{stated(one.path, one.found)}; {why}"
        yield CheckResult(VERSION, Verdict.FINDING, reason, _VERSION_CURE, evidence_of(one.found))
        return
    for each in verdicts(one.path, one.found):
        open_ = each.verdict is Verdict.OPEN
        yield replace(each, verdict=Verdict.SKIPPED, cure="") if open_ else each


def _another_version(
    package: Package, one: _Compared, every: Sequence[_Compared], right: Sequence[str]
) -> str:
    """Explain why wrong answers are none of this version; empty if they accuse the code."""
    if both := versions(one.found.evidence):
        return f"they are the answers of {both[0]}, and the package computes {both[1]}"
    if not one.never_right:
        return ""
    if right:
        return f"not one is right, and by {right[0]} the outputs are: they are of another version"
    near = one.path.parent in (package.root, *package.root.parents[:1])
    if not near and len(every) > 1 and all(each.never_right for each in every):
        return f"none of {len(every)} files fits, and none is named like the package"
    return ""
