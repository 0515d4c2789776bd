# SPDX-License-Identifier: MIT
"""Calls of known primitives with the answers that their definitions give."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.check.arena import Arena
from assay.check.check import CheckFailed, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import nacl, x25519
from assay.check.seal.openings import Opening
from assay.model.operation import Op

LENGTH = 37  # of a signed message
MULTIPLY = (Op.SCALARMULT, Op.DH)
SCALAR, POINT, PRODUCT = "a", "d", "e"
SECRET_KEY, MESSAGE, SIGNED = "s", "m", "c"
BOX_SECRET_KEY, BOX_PUBLIC_KEY, BOX_KEY = "a", "z", "e"
HASHED = bytes(16)  # with the product


@dataclass(frozen=True, slots=True)
class Question:
    """A call and the output that is right, if it has one by name.

    `refusable` if -1 may be the answer instead.
    """

    call: Opening
    output: str
    expected: bytes
    refusable: bool = False


def multiplies(trial: OperationTrial) -> bool:
    """Return whether the operation is X25519."""
    return trial.subject.operation in MULTIPLY and trial.subject.primitive == "curve25519"


def boxes(trial: OperationTrial) -> bool:
    """Return whether the operation is NaCl's crypto_box, which begins with X25519."""
    named = trial.subject.operation, trial.subject.primitive
    return named == (Op.BOX, "curve25519xsalsa20poly1305")


def signs(trial: OperationTrial) -> bool:
    """Return whether the operation is Ed25519."""
    return (trial.subject.operation, trial.subject.primitive) == (Op.SIGN, "ed25519")


def only_known(trial: OperationTrial) -> None:
    """Raise CheckInapplicable for all but these two."""
    if not multiplies(trial) and not signs(trial):
        raise CheckInapplicable("the bench has no definition of the primitive")


def call_of(
    trial: OperationTrial, session: OperationSession, suffix: str, length: int = LENGTH
) -> Opening:
    """Return the call of a function on ordinary inputs, with a message of a length."""
    number = session.number(suffix)
    *_, batch = trial.computations(session, (length,))
    return Opening(next(one for one in batch if one.steps[0].number == number))


def product(call: Opening, about: str, scalar: bytes, point: bytes) -> Question:
    """Ask for a multiple of a point; zero may be refused."""
    given = call.given(SCALAR, scalar, "").given(POINT, point, about)
    expected = x25519.multiply(scalar, point)
    return Question(given, PRODUCT, expected, refusable=not any(expected))


def box_key(call: Opening, about: str, scalar: bytes, point: bytes) -> Question:
    """Ask for the key of boxes between two ("Cryptography in NaCl", section 7)."""
    given = call.given(BOX_SECRET_KEY, scalar, "").given(BOX_PUBLIC_KEY, point, about)
    shared = x25519.multiply(scalar, point)
    expected = nacl.hsalsa20(shared, HASHED)
    return Question(given, BOX_KEY, expected, refusable=not any(shared))


def signature(call: Opening, about: str, seed: bytes, message: bytes) -> Question:
    """Ask for a signed message."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - slow to load
        Ed25519PrivateKey,
    )

    key = Ed25519PrivateKey.from_private_bytes(seed)
    secret = seed + key.public_key().public_bytes_raw()
    given = call.given(SECRET_KEY, secret, "").given(MESSAGE, message, about)
    return Question(given, SIGNED, key.sign(message) + message)


def ask_all(
    trial: OperationTrial, session: OperationSession, seconds: float, asked: Iterable[Question]
) -> str:
    """Fail for the first wrong answer; return the remark on questions left out."""
    budget, arena = trial.budget(seconds), Arena(session)
    session.agent.forget_buffers()
    waiting = [
        (one, arena.begin(one.call.routine)) for one in budget.each(session, asked)
    ]  # fmt: skip
    for one, pending in waiting:
        found = pending.value
        if found.results[0] and one.refusable:
            continue
        actual = found.outputs.get(one.output, b"")
        if found.results[0] or actual != one.expected:
            _fail(one, found.results[0], actual)
    return budget.remark()


def _fail(one: Question, result: int, actual: bytes) -> None:
    raise CheckFailed(
        f"{one.call.step.function} is wrong for {one.call.about}",
        f"{inputs(one.call.routine)}"
        f"expected 0 and {one.expected.hex()}\nactual   {result} and {actual.hex()}\n",
    )
