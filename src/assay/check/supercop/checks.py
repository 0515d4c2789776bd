# SPDX-License-Identifier: MIT
"""The checks that report what the checksum tests found."""

from collections.abc import Callable
from functools import partial

from assay.check.calls import surroundings
from assay.check.check import (
    Check,
    CheckFailed,
    CheckInapplicable,
    CheckOpen,
    CheckSkipped,
    Origin,
    never,
)
from assay.check.evidence import compared_with
from assay.check.object.linked import objects_of
from assay.check.operation.trial import OperationTrial
from assay.check.supercop.outcomes import Outcomes, earlier_checksum, outcomes
from assay.check.supercop.run import Stop
from assay.check.supercop.settings import Asked
from assay.compile.supercop.names import namespace
from assay.elf.code import outside_code
from assay.elf.reading import ObjectError
from assay.model.compared import UNCOMPARED, UNFINISHED
from assay.model.supercop import LEAGUES

SUPERCOP = "supercop"  # the layout whose tests ask for overlaps

MISALIGNED = "supercop/misaligned"
CURE = (
    "Compare with known answers (`--answers FILE`), or write `checksumsmall` and `checksumbig` "
    "of an implementation that is known to be right into the primitive's folder "
    "(`assay vectors PACKAGE` prints both)."
)
UNHURRIED = "Check the package alone, or many with `--unhurried`: all inputs are tried."
EARLIER_TESTS = (
    "compared by SUPERCOP's earlier tests, of which the tree's checksum is: what damaged "
    "ciphertexts decapsulate to is not compared"
)
FAULT = "SIGSEGV"


def misplaced(trial: OperationTrial, account: str) -> str:
    """Explain a fault by a called function that cannot be executed; empty if none is so."""
    if FAULT not in account:
        return ""
    called = {
        namespace(trial.package, league) + suffix
        for league in LEAGUES
        for suffix in trial.subject.functions
    }
    try:
        found = [one for path in objects_of(trial) for one in outside_code(path)]
    except (CheckSkipped, ObjectError):
        return ""
    for name, section in found:
        if name in called:
            return f"{name} is defined in {section}, which is not executable; add `.text`"
    return ""


def _report(trial: OperationTrial, question: str) -> str:
    """Raise CheckFailed with what was found for a question; return what was left out."""
    found = outcomes(trial)
    if question not in found.asked:
        raise _unasked(trial, question)
    for one in found.runs:
        if question in one.findings:
            finding = one.findings[question]
            raise CheckFailed(finding.reason, finding.evidence)
    for one in found.runs:
        if one.stop and not one.stop.misaligned and _asker(found, one.stop) == question:
            cause = misplaced(trial, one.stop.account)
            raise CheckFailed(": ".join(filter(None, (one.stop.account, cause))))
    _reached(found)
    return found.remark(question)


def _asker(found: Outcomes, stop: Stop) -> str:
    """State which question a run ended at: one that nobody asks is one of what calls return."""
    return stop.question if stop.question in found.asked else Asked.RETURNS


def _unasked(trial: OperationTrial, question: str) -> CheckSkipped:
    """Explain why the tests do not ask a question: by what api.h says, or by the operation."""
    if question == Asked.OVERLAP and trial.subject.constant("NOOVERLAP") == 1:
        return CheckSkipped("api.h excludes outputs that overlap inputs (NOOVERLAP)")
    return CheckInapplicable(f"{trial.subject.operation} has no use for it")


def _unpromised(trial: OperationTrial) -> str:
    """Return why outputs need not stand where inputs are: only SUPERCOP's own tests ask for it."""
    layout = trial.details.layout
    return (
        "" if layout == SUPERCOP else f"SUPERCOP's tests ask for it, and {layout}'s API does not"
    )


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
    """Compare the checksum over short inputs, or over longer ones and more of them."""
    found = outcomes(trial)
    expected = trial.details.checksum_big if big else trial.details.checksum_small
    _reached(found)
    name = "checksumbig" if big else "checksumsmall"
    if found.no_room:
        raise CheckSkipped(found.no_room)
    if found.ended_early and (big or len(found.runs) == 1):
        raise _left_out(found, name, big=big)
    if big and len(found.runs) == 1:
        raise CheckSkipped("takes minutes in an emulator; run it with `--deep`")
    actual = found.runs[big].checksum
    if expected is None:
        raise CheckOpen(
            f"{UNCOMPARED}: the primitive has no {name}; the outputs give {actual}",
            cure=CURE,
            outputs=((name, str(actual)),),
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


def _left_out(found: Outcomes, name: str, *, big: bool) -> CheckSkipped | CheckOpen:
    """Explain that a run was ended early; without the small one nothing was compared."""
    reason = f"{name} {UNFINISHED}: {found.remark(Asked.RETURNS)}"
    if big:
        return CheckSkipped(f"{reason}; `--unhurried` tries all")
    return CheckOpen(f"{UNCOMPARED}: {reason}", cure=UNHURRIED)


def _question(
    name: Asked, asks: str, why: str, cure: str, excuse: Callable[[OperationTrial], str] = never
) -> Check[OperationTrial]:
    """Return the check that reports what was found for a question of SUPERCOP's tests."""
    run = partial(_report, question=name)
    return Check(name.value, asks, why, cure, run, Origin.SUPERCOP, excuse)


_DEFINED = "Follow the prototypes and constants of api.h; "

CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "checksum/small",
        "Do the outputs for many short inputs have the primitive's checksum?",
        "An implementation with another checksum computes another primitive.",
        "Compare the outputs with those of the reference implementation, for lengths below 129.",
        partial(_checksum, big=False),
        Origin.SUPERCOP,
    ),
    Check(
        "checksum/big",
        "Do the outputs for many longer inputs have the primitive's checksum?",
        "Errors at a few lengths, or only at long ones, pass short tests.",
        "Compare the outputs with those of the reference implementation, for lengths up to 4096.",
        partial(_checksum, big=True),
        Origin.SUPERCOP,
    ),
    _question(
        Asked.RETURNS,
        "Does every call return the right value, without a fault?",
        "Callers treat another value as a failure, and a fault ends the program.",
        _DEFINED + "return 0 for success, and handle every length.",
    ),
    surroundings.DETERMINISTIC.answered_by(partial(_report, question=Asked.DETERMINISTIC)),
    _question(
        Asked.ROUND_TRIP,
        "Does opening recover the original message?",
        "The receiver must get the message that was sent.",
        "Compare how both directions handle the named lengths.",
    ),
    _question(
        Asked.LENGTHS,
        "Are the lengths that calls write within the limits of api.h?",
        "Callers allocate as many bytes as api.h states, and trust the length.",
        _DEFINED + "write the length of the output, at most that of the message plus BYTES.",
    ),
    _question(
        Asked.FORGERIES,
        "Is a message rejected after a byte of it was changed?",
        "Authentication that accepts modified messages is worthless.",
        "Compare every byte of the authenticator, and return -1 if one differs.",
    ),
    _question(
        Asked.COMMUTATIVE,
        "Do both sides get the same shared secret?",
        "Two parties with different secrets cannot communicate.",
        "Look at carries and at the final reduction.",
    ),
    _question(
        Asked.CONSISTENT,
        "Do related functions agree?",
        "Some functions are defined by others: encryption by the stream, a box by its two "
        "halves, sorting twice by sorting once.",
        "Let one function call the other, or compare them at the named length.",
    ),
    _question(
        Asked.INPUTS,
        "Do inputs stay unchanged?",
        "Callers use their inputs again.",
        "Copy data before changing it.",
    ),
    _question(
        Asked.MARGINS,
        "Do the bytes around outputs stay unchanged?",
        "Writing outside an output corrupts other data.",
        "Look at the last block at the named length: it is probably written whole.",
    ),
    _question(
        Asked.OVERLAP,
        "May an output overwrite an input?",
        "Callers encrypt in place, and write a hash over its own input.",
        "Read all of the input before writing the first byte, or define CRYPTO_NOOVERLAP as "
        "1 in api.h where the operation allows it.",
        excuse=_unpromised,
    ),
    Check(
        MISALIGNED,
        "Do calls work with misaligned pointers?",
        "An `unsigned char *` may have any alignment, and some instructions fault.",
        "Use loads and stores for any address (movdqu, memcpy).",
        misaligned,
        Origin.SUPERCOP,
    ),
)
