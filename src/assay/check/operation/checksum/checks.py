# SPDX-License-Identifier: MIT
"""The checks that report what the checksum tests found."""

from collections.abc import Callable

from assay.check.check import (
    Check,
    CheckFailed,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
    Origin,
)
from assay.check.compared import compared_with
from assay.check.operation.checksum.outcomes import Outcomes, earlier_checksum, outcomes
from assay.check.operation.checksum.run import Stop
from assay.check.operation.checksum.tasks import (
    COMMUTATIVE,
    CONSISTENT,
    DETERMINISTIC,
    FORGERIES,
    INPUTS,
    LENGTHS,
    MARGINS,
    OVERLAP,
    RETURNS,
    ROUND_TRIP,
)
from assay.check.operation.trial import OperationTrial
from assay.model.compared import UNCOMPARED

MISALIGNED = "buffers/misaligned"
CURE = (
    "Compare with known answers (`--answers FILE`), or write `checksumsmall` and `checksumbig` "
    "of an implementation that is known to be right into the primitive's folder "
    "(`assay vectors PACKAGE` prints both)."
)
EARLIER_TESTS = (
    "compared by SUPERCOP's earlier tests, of which the tree's checksum is: what damaged "
    "ciphertexts decapsulate to is not compared"
)


def _report(question: str) -> Callable[[OperationTrial], None]:
    """Make the function of a check: it fails with what was found for a question."""

    def run(trial: OperationTrial) -> None:
        found = outcomes(trial)
        if question not in found.asked:
            raise _unasked(trial, question)
        for one in found.runs:
            if question in one.findings:
                finding = one.findings[question]
                raise CheckFailed(finding.reason, finding.evidence)
        for one in found.runs:
            if one.stop and not one.stop.misaligned and _asker(found, one.stop) == question:
                raise CheckFailed(one.stop.account)
        _reached(found)

    return run


def _asker(found: Outcomes, stop: Stop) -> str:
    """State which question a run ended at: one that nobody asks is one of what calls return."""
    return stop.question if stop.question in found.asked else RETURNS


def _unasked(trial: OperationTrial, question: str) -> CheckSkipped:
    """Explain why the tests do not ask a question: by what api.h says, or by the operation."""
    if question == OVERLAP and trial.subject.constant("NOOVERLAP") == 1:
        return CheckSkipped("api.h says that outputs may not stand where inputs are (NOOVERLAP)")
    return CheckInapplicable(f"{trial.subject.operation} has no use for it")


def _reached(found: Outcomes) -> None:
    """Skip if a run ended before its end."""
    for one in found.runs:
        if one.stop:
            raise CheckSkipped(f"not reached: {one.stop.account}")


def misaligned(trial: OperationTrial) -> None:
    """Report a fault that comes with addresses off alignment only."""
    found = outcomes(trial)
    for one in found.runs:
        if one.stop and one.stop.misaligned:
            raise CheckFailed(
                "faults where pointers are one byte off a multiple of 64, and not where they "
                "are aligned",
                one.stop.account,
            )
    _reached(found)


def _checksum(trial: OperationTrial, *, big: bool) -> str | None:
    found = outcomes(trial)
    expected = trial.details.checksum_big if big else trial.details.checksum_small
    _reached(found)
    if big and len(found.runs) == 1:
        raise CheckSkipped("an emulator takes minutes for it: `--deep` asks it")
    actual, name = found.runs[big].checksum, "checksumbig" if big else "checksumsmall"
    if expected is None:
        raise CheckOpen(
            f"{UNCOMPARED}: the primitive has no {name}; the outputs give {actual}", cure=CURE
        )
    if actual != expected:
        before = earlier_checksum(trial, big=big)
        if before == expected:
            return EARLIER_TESTS
        origin = trial.package.reference or "the primitive"
        raise CheckFailed(
            f"the checksum of all outputs is not the {name} of {origin}",
            f"expected {expected}\nactual   {actual}",
        )
    return compared_with(trial.package.reference)


def small(trial: OperationTrial) -> str | None:
    """Compare the checksum over short inputs."""
    return _checksum(trial, big=False)


def big(trial: OperationTrial) -> str | None:
    """Compare the checksum over longer inputs, and more of them."""
    return _checksum(trial, big=True)


_DEFINED = "Follow the prototypes and constants of api.h; "

CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        name="checksum/small",
        asks="Do all outputs for many short inputs have the primitive's checksum?",
        why="An implementation that computes something else is another primitive.",
        mend="Compare outputs with the reference implementation's; the lengths are below 129.",
        run=small,
        origin=Origin.SUPERCOP,
    ),
    Check(
        name="checksum/big",
        asks="Do all outputs for many longer inputs have the primitive's checksum?",
        why="What is wrong for few lengths, or long ones only, passes short tests.",
        mend="Compare outputs with the reference implementation's for lengths up to 4096.",
        run=big,
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=RETURNS,
        asks="Does every call return what it should, without a fault?",
        why="Callers take another value for a failure, and a fault ends them.",
        mend=_DEFINED + "return 0 for success and let every length be handled.",
        run=_report(RETURNS),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=DETERMINISTIC,
        asks="Does the same input give the same output at another place in memory?",
        why="A result that depends on what stands around or was there before is wrong "
        "somewhere else.",
        mend="Look for reads beyond an input, bytes never written, and memory not initialised.",
        run=_report(DETERMINISTIC),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=ROUND_TRIP,
        asks="Does opening give back what was closed?",
        why="Whoever receives a message must get the one that was sent.",
        mend="Compare what both directions do with the lengths named.",
        run=_report(ROUND_TRIP),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=LENGTHS,
        asks="Are the lengths that calls write what api.h allows?",
        why="Callers make room for as many bytes as api.h says, and trust the length.",
        mend=_DEFINED + "write the length of what was made, at most the message's and BYTES.",
        run=_report(LENGTHS),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=FORGERIES,
        asks="Is a message refused after a byte of it was changed?",
        why="Authentication that accepts modified messages is none.",
        mend="Compare every byte of the authenticator, and return -1 where one differs.",
        run=_report(FORGERIES),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=COMMUTATIVE,
        asks="Do both sides get the same shared secret?",
        why="Two parties that get different secrets cannot speak with each other.",
        mend="Look at carries and at the reduction of the result.",
        run=_report(COMMUTATIVE),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=CONSISTENT,
        asks="Do functions that must agree agree?",
        why="A stream and what is encrypted with it, a box and its two halves, a list sorted "
        "twice are defined through each other.",
        mend="Let one function call the other, or compare them for the length named.",
        run=_report(CONSISTENT),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=INPUTS,
        asks="Are inputs left as they were?",
        why="Callers use their inputs again.",
        mend="Copy what has to be changed.",
        run=_report(INPUTS),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=MARGINS,
        asks="Are the bytes beside outputs left alone?",
        why="Writing beside an output destroys other data.",
        mend="Look at the last block of the length named: it is probably written whole.",
        run=_report(MARGINS),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=OVERLAP,
        asks="May an output stand where an input is?",
        why="Callers encrypt in place and hash into the buffer that they hash.",
        mend="Read all of the input before the first byte is written, or define "
        "CRYPTO_NOOVERLAP as 1 in api.h where the operation allows it.",
        run=_report(OVERLAP),
        origin=Origin.SUPERCOP,
    ),
    Check(
        name=MISALIGNED,
        asks="Do calls work where pointers are not aligned?",
        why="Nobody promises an alignment of `unsigned char *`; some instructions fault.",
        mend="Use loads and stores that take any address (movdqu, memcpy).",
        run=misaligned,
        origin=Origin.SUPERCOP,
    ),
)
