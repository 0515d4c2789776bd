# SPDX-License-Identifier: MIT
"""Whether what is genuine is refused under another key, nonce, message or associated data."""

from collections.abc import Iterator

from assay.check.check import Check
from assay.check.operation.trial import OperationTrial
from assay.check.seal.openings import (
    STRICT_SIGNATURES,
    Opening,
    one_in_each_part,
    openings,
    refuse_all,
)
from assay.model.api import Role
from assay.model.operation import Op

SECONDS = 1.5
LENGTHS = (37, 200)
SHORT = 64  # bytes of which every one is tried
KEYS = (Role.KEY, Role.NONCE, Role.PUBLIC_KEY)
BOUND = (*KEYS, Role.MESSAGE, Role.DATA)
ALL_BITS = 0xFF  # of a byte of a key some bits may be unused: not all


def run_inputs(trial: OperationTrial) -> str:
    """Open what is genuine with every input but the sealed one changed."""
    remark = ""
    with trial.session() as session:
        for length in trial.asked(LENGTHS):
            for opening in openings(trial, session, length):
                tried = tuple(_changed(trial, opening))
                share = SECONDS / len(LENGTHS)
                remark = refuse_all(trial, session, share, tried) or remark
    return remark


def _changed(trial: OperationTrial, opening: Opening) -> Iterator[Opening]:
    for name in opening.routine.inputs:
        role = opening.routine.variables[name].role
        if role not in BOUND or _unknown(trial, role):
            continue
        value = opening.value(name)
        for at in _places(trial, len(value)) if not _part_may_be_idle(trial, role) else ():
            data = bytearray(value)
            data[at] ^= ALL_BITS if role in KEYS else 1 << trial.random.randrange(8)
            yield opening.given(name, bytes(data), f"another {role}: byte {at} of {name} changed")
        for other, about in (
            (trial.bytes(len(value)), "at random"),
            (bytes(len(value)), "of zeros"),
            (bytes([ALL_BITS]) * len(value), "of ff"),
        ):
            if other != value:
                yield opening.given(name, other, f"another {role}: {name} {about}")


def _unknown(trial: OperationTrial, role: Role) -> bool:
    """Return whether parts of a public key may be without use to one signature."""
    signs = trial.subject.operation == Op.SIGN
    return signs and role is Role.PUBLIC_KEY and trial.subject.primitive not in STRICT_SIGNATURES


def _part_may_be_idle(trial: OperationTrial, role: Role) -> bool:
    """Return whether a secret key may have parts that decryption does without."""
    return trial.subject.operation == Op.ENCRYPT and role is Role.KEY


def _places(trial: OperationTrial, size: int) -> list[int]:
    if size <= SHORT:
        return list(range(size))
    return [0, size - 1, *one_in_each_part(trial.random, 0, size)]


CHECK = Check(
    "forgeries/inputs",
    "Is what is genuine refused under another key, nonce, message or associated data?",
    (
        "A part of a key that does not count makes the key shorter; data that are not "
        "authenticated can be exchanged on the way."
    ),
    "Compute the tag from all of the key, the nonce, the data and the message.",
    run_inputs,
)
