# SPDX-License-Identifier: MIT
"""Calls of known primitives with the answers that their definitions give.

Of Poly1305 and XSalsa20 NaCl's boxes are made. Poly1305 (RFC 8439, section 2.5) has messages whose
sums random ones hardly ever have. XSalsa20 is from Bernstein, "Extending the Salsa20 nonce",
section 2.
"""

from collections.abc import Iterable, Iterator
from struct import pack, unpack
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.check.arena import Arena
from assay.check.check import CheckFailed, CheckInapplicable
from assay.check.evidence import inputs
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes.curve25519 import Draw, exchange
from assay.check.seal.openings import Opening
from assay.check.supercop.salsa20 import core, stream
from assay.model import OperationSubject
from assay.model.operation import Op

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

POLY1305_PRIME = 2**130 - 5
BLOCK = 16
ABOVE = 1 << 8 * BLOCK  # what stands above a whole block
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
EDGES = range(-6, 11)  # sums around p, and around 2^130
LIMBS = (26, 32, 44, 52, 64, 88, 96, 104)
# Plus 2^130 - 5 they carry through all limbs, into the second one of which a bit is set or none.
CARRYING = tuple((n << bits) + more for bits in LIMBS for n in (1, 2) for more in range(-1, 5))
TRIES = 200  # one of four will do

LENGTH = 37  # of a signed message
SEEDED_BYTES = 64  # of a seed and the public key, which SUPERCOP's Ed25519 has for a secret key
MULTIPLY = (Op.SCALARMULT, Op.DH)
SCALAR, POINT, PRODUCT = "a", "d", "e"
SECRET_KEY, MESSAGE, SIGNED = "s", "m", "c"
BOX_SECRET_KEY, BOX_PUBLIC_KEY, BOX_KEY = "a", "z", "e"
HASHED = bytes(16)  # with the product


def tag(key: bytes, message: bytes) -> bytes:
    """Return the tag of another implementation."""
    from cryptography.hazmat.primitives.poly1305 import Poly1305  # noqa: PLC0415 - slow to load

    return Poly1305.generate_tag(key, message)


def messages(draw: Draw) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield what is special, key and message."""
    for s in (bytes(BLOCK), b"\xff" * BLOCK, draw(BLOCK)):
        for more in EDGES:
            about = f"whose sum is 2^130 - 5 {more:+d}"
            yield about, _number(1) + s, _adding_up_to(POLY1305_PRIME + more, draw)
            yield f"whose sum comes to {more}", *_product(more % POLY1305_PRIME, s, draw)
        for bits in LIMBS:
            carrying = _number((1 << bits) - 1) + _number(1)
            yield f"whose sum carries beyond bit {bits}", _number(1) + s, carrying
            yield f"whose sum carries from bit {bits} on", _number(1) + s, _run_of_ones(bits)
        for wanted in CARRYING:
            yield f"whose sum comes to {wanted:x} in hex", *_product(wanted, s, draw)
        for blocks in range(1, 9):
            full = b"\xff" * BLOCK * blocks
            yield f"of {len(full)} bytes ff, the key too", _number(CLAMP) + s, full
            yield f"of {len(full)} bytes ff, r is 2", _number(2) + s, full


def last_block(sum_before: int, r: int, wanted: int) -> bytes | None:
    """Return the whole block after which the sum is `wanted`, if there is one."""
    block = (wanted * pow(r, -1, POLY1305_PRIME) - sum_before) % POLY1305_PRIME - ABOVE
    return _number(block) if 0 <= block < ABOVE else None


def sum_of(blocks: bytes, r: int) -> int:
    """Return what whole blocks come to."""
    total = 0
    for at in range(0, len(blocks), BLOCK):
        number = int.from_bytes(blocks[at : at + BLOCK], "little")
        total = (total + number + ABOVE) * r % POLY1305_PRIME
    return total


def _product(wanted: int, s: bytes, draw: Draw) -> tuple[bytes, bytes]:
    """Return a random key and a message whose sum is `wanted`."""
    for _ in range(TRIES):
        r = int.from_bytes(draw(BLOCK), "little") & CLAMP
        before = draw(2 * BLOCK)
        found = last_block(sum_of(before, r), r, wanted) if r else None
        if found is not None:
            return _number(r) + s, before + found
    raise AssertionError("one try of four is right")


def _adding_up_to(total: int, draw: Draw) -> bytes:
    """Return three blocks that come to `total` if r is 1, without being reduced."""
    first = int.from_bytes(draw(BLOCK), "little") >> 2  # so that the others have room
    rest = total - 3 * ABOVE - first
    second = min(rest, ABOVE - 1)
    return _number(first) + _number(second) + _number(rest - second)


def _run_of_ones(bits: int) -> bytes:
    """Return two blocks whose sum, if r is 1, carries from a bit to the end."""
    return _number((ABOVE - 1) >> bits << bits) + _number(1 << bits)


def _number(value: int) -> bytes:
    return value.to_bytes(BLOCK, "little")


HALF = 16  # bytes of a nonce that make the key of the others
CONSTANTS = unpack("<4I", b"expand 32-byte k")
AT_CONSTANTS, AT_INPUT = (0, 5, 10, 15), (6, 7, 8, 9)  # words that no key is added to
WORD = 1 << 32


def hsalsa20(key: bytes, data: bytes) -> bytes:
    """Return 32 bytes: the words of Salsa20's core from which what it adds is taken away."""
    words = unpack("<16I", core(data, key))
    places = (*AT_CONSTANTS, *AT_INPUT)
    added = (*CONSTANTS, *unpack("<4I", data))
    return pack("<8I", *((words[at] - one) % WORD for at, one in zip(places, added, strict=True)))


def keystream(key: bytes, nonce: bytes, length: int) -> bytes:
    """Return the first bytes of a stream, for a nonce of 24 bytes."""
    return stream(hsalsa20(key, nonce[:HALF]), int.from_bytes(nonce[HALF:], "little"), length)


class Question(Struct, frozen=True):
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


def seeded(subject: OperationSubject) -> bool:
    """Return whether secret keys have the size of a seed with the public key behind it."""
    return subject.constant("SECRETKEYBYTES") == SEEDED_BYTES


def without_marks(primitive: str) -> str:
    """Return a primitive's name in small letters, without marks."""
    return primitive.lower().replace("-", "").replace("_", "")


def only_known(trial: OperationTrial) -> None:
    """Raise CheckInapplicable for all but these two."""
    if not multiplies(trial) and not signs(trial):
        raise CheckInapplicable("the bench has no definition of the primitive")


def product(call: Opening, about: str, scalar: bytes, point: bytes) -> Question:
    """Ask for a multiple of a point; zero may be refused."""
    given = call.given(SCALAR, scalar, "").given(POINT, point, about)
    expected = exchange(scalar, point)
    return Question(given, PRODUCT, expected, refusable=not any(expected))


def box_key(call: Opening, about: str, scalar: bytes, point: bytes) -> Question:
    """Ask for the key of boxes between two ("Cryptography in NaCl", section 7)."""
    given = call.given(BOX_SECRET_KEY, scalar, "").given(BOX_PUBLIC_KEY, point, about)
    shared = exchange(scalar, point)
    expected = hsalsa20(shared, HASHED)
    return Question(given, BOX_KEY, expected, refusable=not any(shared))


def signing_key(seed: bytes) -> "Ed25519PrivateKey":
    """Return a key of another implementation of Ed25519."""
    from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415 - slow to load

    return ed25519.Ed25519PrivateKey.from_private_bytes(seed)


def signature(call: Opening, about: str, seed: bytes, message: bytes) -> Question:
    """Ask for a signed message."""
    key = signing_key(seed)
    secret = seed + key.public_key().public_bytes_raw()
    given = call.given(SECRET_KEY, secret, "").given(MESSAGE, message, about)
    return Question(given, SIGNED, key.sign(message) + message)


def ask_all(
    trial: OperationTrial, session: OperationSession, seconds: float, asked: Iterable[Question]
) -> str:
    """Fail for the first wrong answer; return the remark on questions left out."""
    budget, arena = trial.budget(seconds), Arena.alone(session)
    waiting = [(one, arena.begin(one.call.routine)) for one in budget.each(session, asked)]
    for one, pending in waiting:
        found = pending.value
        if found.results[0] and one.refusable:
            continue
        actual = found.outputs.get(one.output, b"")
        if found.results[0] or actual != one.expected:
            raise CheckFailed(
                f"{one.call.step.function} is wrong for {one.call.about}",
                f"{inputs(one.call.routine)}expected 0 and {one.expected.hex()}\n"
                f"actual   {found.results[0]} and {actual.hex()}\n",
            )
    return budget.remark()
