# SPDX-License-Identifier: MIT
"""Whether every bit counts of a tag, a ciphertext, a signature, and of all inputs beside them.

What is genuine is refused with any bit changed, and under another key, nonce, message or
associated data.
"""

from collections.abc import Iterator
from contextlib import suppress

from msgspec.structs import replace

from assay.check.arena import Arena
from assay.check.check import Check
from assay.check.operation.trial import OperationTrial
from assay.check.routine import flipped
from assay.check.seal.ends import sealed_pair
from assay.check.seal.lengths import seal_names
from assay.check.seal.openings import (
    FILLED,
    OFTEN,
    STRICT_SIGNATURES,
    Opening,
    often,
    one_in_each_part,
    openings,
    overhead,
    raised,
    refuse_all,
    require_no_chain,
)
from assay.execute.agent import AgentError
from assay.model.api import Role
from assay.model.operation import Op

SECONDS = 3.0
ALL_SECONDS = 4.0  # with what is sealed for them
WHOLE = (0, 37)  # lengths of messages with which every bit is tried
PARTS = (200, 1025)  # with which one bit in each part is
PART = 16
SHORT_SEALED = 256  # bytes of which every bit is tried
PAIRS = 96  # of equal differences, which a comparison may cancel
SEVERAL = (4, 8, 16)  # bytes with one: 16 bits lose the sum of four squares of 128
BITS = 8
ENDS = 64  # bytes at either end that get all values with `--deep`
DEEP_SECONDS = 20.0
INVERTED = bytes(range(0xFF, -1, -1))

INPUTS_SECONDS = 1.5
LENGTHS = (37, 200)
SHORT = 64  # bytes of which every one is tried
KEYS = (Role.KEY, Role.NONCE, Role.PUBLIC_KEY)
BOUND = (*KEYS, Role.MESSAGE, Role.DATA)
ALL_BITS = 0xFF  # of a byte of a key some bits may be unused: not all


def run_bits(trial: OperationTrial) -> str:
    """Change what is authenticated; each change must be noticed."""
    remark = ""
    lengths = trial.asked(WHOLE + (PARTS if trial.thorough else PARTS[:1]))
    budget = trial.budget(ALL_SECONDS)
    with trial.session() as session:
        for length in lengths if trial.deep else budget.each(session, lengths):
            for opening in openings(trial, session, length):
                whole = length in WHOLE
                tried = [one for name in opening.sealed for one in flips(trial, opening, name)]
                more = [one for name in opening.sealed for one in all_flips(trial, opening, name)]
                tried += more if whole else []
                tried += [one for name in opening.sealed for one in raised(trial, opening, name)]
                share = SECONDS / len(lengths)
                remark = refuse_all(trial, session, share, tried) or remark
                if length == WHOLE[-1]:
                    refuse_all(trial, session, OFTEN, often(trial, opening))
                if trial.deep and length == WHOLE[-1]:
                    valued = [
                        one for name in opening.sealed for one in _values(trial, opening, name)
                    ]
                    remark = refuse_all(trial, session, DEEP_SECONDS, valued) or remark
    return "; ".join(filter(None, (remark, budget.remark("lengths of messages"))))


def _values(trial: OperationTrial, opening: Opening, name: str) -> Iterator[Opening]:
    """Set each byte at either end to each value: some code makes an exception for one."""
    first, end = _authenticated(trial, opening, name)
    value = opening.value(name)
    for at in sorted({*range(first, min(first + ENDS, end)), *range(max(end - ENDS, first), end)}):
        for byte in trial.some(range(1 << BITS)):
            if byte != value[at]:
                data = value[:at] + bytes([byte]) + value[at + 1 :]
                yield opening.given(name, data, f"byte {at} of {name} set to {byte:02x}")


def flips(trial: OperationTrial, opening: Opening, name: str) -> Iterator[Opening]:
    """Flip a bit of the first byte, of the last, and of one in each part; then fill parts."""
    first, end = _authenticated(trial, opening, name)
    if end > first:
        for at in dict.fromkeys((first, end - 1, *one_in_each_part(trial.random, first, end))):
            yield opening.with_bits(name, (at, trial.random.randrange(BITS)))
    yield from opening.filled(name, first, (*FILLED, overhead(trial)))
    yield from _rearranged(opening, name, first, end)


def _rearranged(opening: Opening, name: str, first: int, end: int) -> Iterator[Opening]:
    """Exchange, turn and invert the bytes of each half, and of the 16 at either end."""
    value = opening.value(name)
    for at, to in {(first, end), (first, min(first + PART, end)), (max(end - PART, first), end)}:
        part, half = value[at:to], (to - at) // 2
        others = {
            "turned around": part[::-1],
            "with its halves exchanged": part[half:] + part[:half],
            "moved on by a byte": part[-1:] + part[:-1],
            "with neighbours exchanged": _neighbours_exchanged(part),
            "inverted": part.translate(INVERTED),
        }
        for about, data in others.items():
            if data != part:
                text = f"bytes {at} to {to - 1} of {name} {about}"
                yield opening.given(name, value[:at] + data + value[to:], text)


def _neighbours_exchanged(part: bytes) -> bytes:
    changed, even = bytearray(part), len(part) // 2 * 2
    changed[0:even:2], changed[1:even:2] = part[1:even:2], part[0:even:2]
    return bytes(changed)


def all_flips(trial: OperationTrial, opening: Opening, name: str) -> Iterator[Opening]:
    """Flip every bit of a short value, and then the same bit of two bytes, and of more."""
    first, end = _authenticated(trial, opening, name)
    if end - first > SHORT_SEALED or end == first:
        return
    every = [(at, bit) for at in range(first, end) for bit in range(BITS)]
    for place in trial.some(every):
        yield opening.with_bits(name, place)
    pairs = [(a, b, bit) for a in range(first, end) for b in range(first, a) for bit in (0, 7)]
    for a, b, bit in trial.some(pairs, PAIRS):
        yield opening.with_bits(name, (a, bit), (b, bit))
    for count in (one for one in SEVERAL if one <= end - first):
        for bit in range(BITS):
            yield opening.with_bits(
                name, *((at, bit) for at in trial.some(range(first, end), count))
            )


def _authenticated(trial: OperationTrial, opening: Opening, name: str) -> tuple[int, int]:
    """Return first and end of the bytes that count: the zeros before a box need not."""
    return trial.subject.constant("BOXZEROBYTES"), len(opening.value(name))


CHANGED_BITS = Check(
    "forgeries/bits",
    "Is everything refused of which one bit was changed, or a part filled with zeros or ones?",
    (
        "SUPERCOP changes three bytes of some messages. A tag of which a byte, or a bit, is not "
        "compared passes that, and is forged in as much less time. With `--deep` the bytes at "
        "either end get all their values. To numbers of a signature the order of a group is "
        "added. A tag that begins with zeros is tried beside hundreds of messages: one that is "
        "compared as a string is right for one in 256."
    ),
    "Compare all bytes of the tag, and authenticate the ciphertext to its end.",
    run_bits,
)


def run_inputs(trial: OperationTrial) -> str:
    """Open what is genuine with every input but the sealed one changed."""
    remark = ""
    with trial.session() as session:
        for length in trial.asked(LENGTHS):
            for opening in openings(trial, session, length):
                tried = tuple(_changed(trial, opening))
                share = INPUTS_SECONDS / len(LENGTHS)
                remark = refuse_all(trial, session, share, tried) or remark
    if seal_names(trial) and not trial.stretch:
        with trial.session() as session:
            pair, arena = sealed_pair(trial, session), Arena(session)
            tried = tuple(pair.made_with_others(arena, (0, ALL_BITS)))
            refuse_all(trial, session, INPUTS_SECONDS, tried)
    with suppress(AgentError), trial.session() as session:  # code may divide by such a key
        for opening in openings(trial, session, *trial.asked(LENGTHS[:1])):
            refuse_all(trial, session, INPUTS_SECONDS, _under_no_key(trial, opening))
    require_no_chain(trial)
    return remark


def _under_no_key(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Verify under a key that is none, of a scheme whose keys may have idle parts."""
    for name in opening.routine.having(Role.PUBLIC_KEY):
        if _unknown(trial, Role.PUBLIC_KEY):
            for byte in (0, ALL_BITS):
                data = bytes([byte]) * len(opening.value(name))
                yield opening.given(name, data, f"a signature under a key of bytes {byte:02x}")


def _changed(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    yield from _exchanged(trial, opening)
    for name in opening.routine.inputs:
        role = opening.routine.variables[name].role
        if role not in BOUND or _unknown(trial, role):
            continue
        value = opening.value(name)
        may_be_idle = trial.subject.operation == Op.ENCRYPT and role is Role.KEY  # a part of it
        for at in () if may_be_idle else _places(trial, len(value)):
            bits = ALL_BITS if role in KEYS else 1 << trial.random.randrange(8)
            data = flipped(value, at, bits)
            yield opening.given(name, data, f"another {role}: byte {at} of {name} changed")
        for other, about in (
            (trial.bytes(len(value)), "at random"),
            (bytes(len(value)), "of zeros"),
            (bytes([ALL_BITS]) * len(value), "of ff"),
        ):
            if other != value:
                yield opening.given(name, other, f"another {role}: {name} {about}")


def _exchanged(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    """Let data and ciphertext change places, with room for the message: a sum forgets which."""
    tag = overhead(trial)
    for data in opening.routine.having(Role.DATA):
        for name in (one for one in opening.sealed if opening.value(data)):
            value = opening.value(name)
            text, behind = value[: len(value) - tag], value[len(value) - tag :]
            forged = opening.value(data) + behind
            roomy = _with_room(opening, len(forged))
            yield roomy.given(data, text, "").given(name, forged, "data and ciphertext exchanged")


def _with_room(opening: Opening, size: int) -> Opening:
    """Return the opening with outputs of at least so many bytes."""
    variables = opening.routine.variables
    longer = {name: replace(variables[name], size=size) for name in opening.routine.outputs}
    more = {name: one for name, one in longer.items() if variables[name].size < size}
    routine = replace(opening.routine, variables={**variables, **more})
    return Opening(routine, genuine=opening.genuine or opening.routine)


def _unknown(trial: OperationTrial, role: Role) -> bool:
    """Return whether parts of a public key may be without use to one signature."""
    signs = trial.subject.operation == Op.SIGN
    return signs and role is Role.PUBLIC_KEY and trial.subject.primitive not in STRICT_SIGNATURES


def _places(trial: OperationTrial, size: int) -> list[int]:
    if size <= SHORT:
        return list(range(size))
    return [0, size - 1, *one_in_each_part(trial.random, 0, size)]


CHANGED_INPUTS = Check(
    "forgeries/inputs",
    "Is what is genuine refused under another key, nonce, message or associated data?",
    (
        "A part of a key that does not count makes the key shorter; data that are not "
        "authenticated can be exchanged on the way. What was made with a key or a nonce of zeros "
        "or of ones is opened with that alone. A signature that is genuine under a key of "
        "zeros or ones is a finding where the scheme is not known. A tag that adds up what it has "
        "of the data and of the ciphertext fits where they change places. Of crypto_auth, genuine "
        "tags must not tell that of a chain, or of a message with the halves of others."
    ),
    "Compute the tag from all of the key, the nonce, the data and the message.",
    run_inputs,
)
