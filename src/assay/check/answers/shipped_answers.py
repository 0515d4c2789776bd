# SPDX-License-Identifier: MIT
"""Comparing a package with the known answers that lie beside it, without being asked to.

Nobody named these files, so one of which nothing fits is skipped. One whose answers are those
of another version of the primitive is no failure, as far as that can be decided.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.check.answers.read import ALLOWED_BYTES, Allowance, read_answers
from assay.check.answers.records import AnswerFile, FileAgreement
from assay.check.answers.verdicts import CURE, evidence_of, stated, verdicts, versions
from assay.check.patience import took_too_long
from assay.errors import VectorFormatError
from assay.execute.agent import AgentError
from assay.execute.patience import OutOfPatience
from assay.model import CheckResult, Package, Verdict
from assay.model.compared import ANSWERED, COMPARISONS

VERSION = "answers/version"
_CURE = "Put the answers of this version beside the package, or name a file with --answers."
_TOO_LARGE = "it has more than {} MiB; --answers compares it"

Asked = Callable[[AnswerFile], FileAgreement]


@dataclass(frozen=True, slots=True)
class _Compared:
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
    right += [one.check for one in checks if _is_right(one)]
    return (*(each for one in done for each in _judged(package, one, done, right)), *results)


def _read(path: Path, allowance: Allowance) -> AnswerFile:
    try:
        size = path.stat().st_size
    except OSError as error:  # it was moved since it was found
        raise VectorFormatError(f"{path} cannot be read: {error.strerror}", "") from None
    if size > ALLOWED_BYTES:
        raise VectorFormatError(f"{path}: {_TOO_LARGE.format(ALLOWED_BYTES >> 20)}", "")
    return read_answers(path, allowance)


def _is_right(check: CheckResult) -> bool:
    return check.verdict is Verdict.PASS and check.check.startswith(COMPARISONS)


def _judged(
    package: Package, one: _Compared, every: Sequence[_Compared], right: Sequence[str]
) -> Iterator[CheckResult]:
    """Yield the verdict on a file, in the light of the others."""
    why = _another_version(package, one, every, right)
    if why:
        reason = f"{stated(one.path, one.found)}; {why}"
        yield CheckResult(VERSION, Verdict.FINDING, reason, _CURE, evidence_of(one.found))
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
