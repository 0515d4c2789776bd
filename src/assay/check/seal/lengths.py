# SPDX-License-Identifier: MIT
"""Whether what is too short, cut off or lengthened is refused, without an access beyond it."""

from collections.abc import Iterator

from assay.check.arena import BufferShape, ordinary
from assay.check.buffers.guard import at_end
from assay.check.check import Check
from assay.check.operation.trial import OperationTrial
from assay.check.routine import Variable
from assay.check.seal.openings import Opening, openings, overhead, refuse_all, sealings
from assay.model.api import Role

SECONDS = 1.5
MESSAGES = (0, 64)
MOST_SHORT = 4096
ENDS = 32  # so many of the shortest and longest of them are tried first, since code treats them so
BLOCK = 16
CUTS = (1, 2, 8, BLOCK)
MOST_DATA, MOST_CUT = 64, 1  # lengths of data with short ciphertexts, and of these for each
LENGTHENED = (Role.CIPHERTEXT, Role.MESSAGE, Role.DATA)


def run_lengths(trial: OperationTrial) -> str:
    """Open everything shorter than a tag, and what is a little shorter or longer than it was."""
    remark = ""
    with trial.session() as session:
        for length in MESSAGES:
            for opening in openings(trial, session, length):
                tried = [*_short(trial, opening), *_other_lengths(trial, opening)]
                if length == MESSAGES[0]:
                    tried += _short_with_data(trial, opening)
                share = SECONDS / len(MESSAGES)
                remark = refuse_all(trial, session, share, tried, inputs_at_end) or remark
        tried = [
            one for call in sealings(trial, session, 0) for one in _without_zeros(trial, call)
        ]
        return refuse_all(trial, session, SECONDS / len(MESSAGES), tried, at_end(1)) or remark


def inputs_at_end(name: str, variable: Variable) -> BufferShape:
    """Let inputs end at an inaccessible page; outputs have room for what is longer than it was."""
    return at_end(1)(name, variable) if variable.is_input else ordinary(name, variable)


def _without_zeros(trial: OperationTrial, call: Opening) -> Iterator[Opening]:
    """Seal each message that has not even the zeros which must stand before it."""
    (name,) = call.routine.having(Role.MESSAGE)
    zeros = trial.subject.constant("ZEROBYTES")
    for length in trial.random.sample(range(zeros), zeros):
        about = f"a {name} of {length} bytes, where {zeros} zeros must stand before a message"
        yield call.given(name, call.value(name)[:length], about)


def _short(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Cut what is sealed to each length that not even a tag has."""
    end = overhead(trial)
    if not end:
        return
    (name,) = opening.sealed
    for length in _short_lengths(trial, end):
        about = f"a {name} of {length} bytes, which is less than the overhead of {end}"
        if length < len(opening.value(name)):  # the overhead in api.h may be more than is added
            yield opening.given(name, opening.value(name)[:length], about)


def _short_with_data(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Open what is too short with data of each short length: nothing has to be sealed for it."""
    end = overhead(trial)
    for name in opening.routine.having(Role.DATA) if end else ():
        (sealed,) = opening.sealed
        value = opening.value(sealed)
        for data in trial.random.sample(range(MOST_DATA), MOST_DATA):
            given = opening.given(name, trial.bytes(data), "")
            cuts = (*trial.random.sample(range(end), min(end, MOST_CUT)), 0, end - 1)
            lengths = range(end) if trial.deep and end <= ENDS else dict.fromkeys(cuts)
            for length in (one for one in lengths if one < len(value)):
                about = f"{sealed} of {length} bytes, less than a tag, and {name} of {data} bytes"
                yield given.given(sealed, value[:length], about)


def _short_lengths(trial: OperationTrial, end: int) -> Iterator[int]:
    """Yield lengths below `end`, each once; all if they are few, those at both ends first."""
    first = (*range(min(ENDS, end)), *range(max(ENDS, end - ENDS), end))
    yield from trial.random.sample(first, len(first))
    rest = range(ENDS, end - ENDS)
    yield from trial.random.sample(rest, min(len(rest), MOST_SHORT - len(first)))


def _other_lengths(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    for name in opening.routine.inputs:
        if opening.routine.variables[name].role not in LENGTHENED:
            continue
        value = opening.value(name)
        for cut in CUTS:
            if cut <= len(value):
                yield opening.given(name, value[:-cut], f"{name} without its last {cut} bytes")
                yield opening.given(name, value[cut:], f"{name} without its first {cut} bytes")
            yield opening.given(name, value + bytes(cut), f"{name} with {cut} zero bytes behind")
            yield opening.given(
                name, value + trial.bytes(cut), f"{name} with {cut} more bytes behind"
            )
    yield from _moved(opening)


def _moved(opening: Opening) -> Iterator[Opening]:
    """Let associated data begin the ciphertext, and the ciphertext end them."""
    names = [opening.routine.having(role) for role in (Role.DATA, Role.CIPHERTEXT)]
    if not all(names):
        return
    (data,), (sealed,) = names
    a, c = opening.value(data), opening.value(sealed)
    about = f"{BLOCK} bytes moved from one of {data} and {sealed} to the other"
    if len(a) >= BLOCK:
        one = opening.given(data, a[:-BLOCK], "")
        yield Opening(one.given(sealed, a[-BLOCK:] + c, "").routine, about)
    if len(c) >= 2 * BLOCK:
        one = opening.given(data, a + c[:BLOCK], "")
        yield Opening(one.given(sealed, c[BLOCK:], "").routine, about)


CHECK = Check(
    "forgeries/lengths",
    "Is everything refused that is too short, cut off, or lengthened?",
    (
        "Whoever sends a ciphertext chooses its length. Code that subtracts the length of the tag "
        "without a comparison accepts nothing at all as a message, or reads 2^64 bytes. The zeros "
        "before a message of NaCl's boxes are part of its length: what has fewer cannot be sealed."
    ),
    "Return -1 for lengths below that of the tag or the zeros, and authenticate lengths.",
    run_lengths,
)
