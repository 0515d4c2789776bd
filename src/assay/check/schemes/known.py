# SPDX-License-Identifier: MIT
"""Calls of known primitives with the answers that their definitions give.

Of X25519 (RFC 7748) also points and secret keys that it must take, and few random ones are like.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from assay.check.arena import Arena
from assay.check.check import CheckFailed, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import nacl
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
    expected = multiply(scalar, point)
    return Question(given, PRODUCT, expected, refusable=not any(expected))


def box_key(call: Opening, about: str, scalar: bytes, point: bytes) -> Question:
    """Ask for the key of boxes between two ("Cryptography in NaCl", section 7)."""
    given = call.given(BOX_SECRET_KEY, scalar, "").given(BOX_PUBLIC_KEY, point, about)
    shared = multiply(scalar, point)
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


P = 2**255 - 19
SIZE = 32
ORDER_8 = (
    0x00B8495F16056286FDB1329CEB8D09DA6AC49FF1FAE35616AEB8413B7C7AEBE0,
    0x57119FD0DD4E22D8868E1C58C45C44045BEF839C55B1D0B1248C50A3BC959C5F,
)
"""The u of all points of order 8 on the curve; 0, 1 and -1 are those of orders 2 and 4."""

Draw = Callable[[int], bytes]


def multiply(scalar: bytes, point: bytes) -> bytes:
    """Return X25519(scalar, point) of another implementation; zeros for a point of small order."""
    from cryptography.hazmat.primitives.asymmetric.x25519 import (  # noqa: PLC0415 - slow to load
        X25519PrivateKey,
        X25519PublicKey,
    )

    try:
        return X25519PrivateKey.from_private_bytes(scalar).exchange(
            X25519PublicKey.from_public_bytes(point)
        )
    except ValueError:  # so it says that the result is zero
        return bytes(SIZE)


def points(draw: Draw) -> Iterator[tuple[str, bytes]]:
    """Yield u coordinates that need care, with what is special about them."""
    for u in (0, 1, P - 1, *ORDER_8):
        yield "of small order", _bytes(u)
        yield "of small order, with the top bit set", _bytes(u | 1 << 255)
    for u in range(P, 2**255):
        yield "that is not reduced", _bytes(u)
    for u in (P, P + 1, P + 9, 2**255 - 1):
        yield "that is not reduced, with the top bit set", _bytes(u | 1 << 255)
    for u in (2, 3, 4, 9, 16, P - 2, P - 9, 2**51, 2**102, 2**128, 2**204, 2**254, 2**255 - 20):
        yield "near an end or a limb", _bytes(u)
    for at in range(SIZE):
        data = bytearray(draw(SIZE))
        data[at] = 0xFF
        data[(at + 1) % SIZE] = 0xFF
        yield f"with ff in bytes {at} and {(at + 1) % SIZE}", bytes(data)
    for size in (4, 8, 16, 28):
        yield f"that ends in {size} bytes ff", draw(SIZE - size) + b"\xff" * size
        yield f"that ends in {size} bytes 00", draw(SIZE - size) + bytes(size)
        yield f"that begins with {size} bytes ff", b"\xff" * size + draw(SIZE - size)
        yield f"that begins with {size} bytes 00", bytes(size) + draw(SIZE - size)


def scalars(draw: Draw) -> Iterator[tuple[str, bytes]]:
    """Yield secret keys that need care."""
    for value in (0x00, 0xFF, 0x55, 0xAA, 0x80, 0x01):
        yield f"of bytes {value:02x}", bytes([value]) * SIZE
    for bit in range(0, 256, 17):
        yield f"with the bit {bit} alone", _bytes(1 << bit)
    for size in (2, 8, 16, 24):
        yield f"that ends in {size} bytes ff", draw(SIZE - size) + b"\xff" * size
        yield f"that ends in {size} bytes 00", draw(SIZE - size) + bytes(size)


def _bytes(value: int) -> bytes:
    return value.to_bytes(SIZE, "little")
