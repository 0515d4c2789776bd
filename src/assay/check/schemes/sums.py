# SPDX-License-Identifier: MIT
"""What random messages do not ask of Poly1305: alone, with ChaCha20 and in NaCl's boxes."""

from collections.abc import Callable, Iterator
from functools import cache, partial

from msgspec import Struct

from assay.check.check import Check, CheckInapplicable
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial
from assay.check.schemes import known
from assay.check.schemes.known import Question, ask_all
from assay.check.schemes.library import encrypted
from assay.check.seal.openings import calls_of
from assay.model import OperationSubject
from assay.model.operation import Op

SECONDS = 2.0
# To the first five 2^130 - 5 is added by who does not reduce.
WANTED = (*range(8), *known.CARRYING)
BEFORE = 2 * known.BLOCK
LENGTH = BEFORE + known.BLOCK
KEY, NONCE, WORD, STREAM_BLOCK = 32, 12, 8, 64
LONG_NONCE, ZEROS, BOX_ZEROS = 24, 32, 16  # of NaCl's boxes
MESSAGES_OF_A_KEY = 16
BOXES: dict[str, tuple[str, tuple[str, str, str], tuple[str, str, str]]] = {
    Op.SECRETBOX: ("xsalsa20poly1305", ("", "c", "k"), ("_open", "c", "k")),
    Op.BOX: (
        "curve25519xsalsa20poly1305",
        ("_afternm", "d", "e"),
        ("_open_afternm", "d", "f"),
    ),
}
"""Operations: primitive, then functions that seal and open, with names of box and key."""


def run_sums(trial: OperationTrial) -> str:
    """Ask for tags of messages whose sums are near 2^130 - 5, or carry far; then open them."""
    asked = _asked(trial.subject)
    with trial.session() as session:
        return ask_all(trial, session, SECONDS, tuple(asked(trial, session)))


Asked = Callable[[OperationTrial, OperationSession], Iterator[Question]]


def _asked(subject: OperationSubject) -> Asked:
    """Return what asks a primitive; another nonce or order than RFC 8439's is another AEAD."""
    operation, primitive = subject.operation, subject.primitive
    if (operation, primitive) == (Op.ONETIMEAUTH, "poly1305"):
        return _alone
    ietf = primitive in ("chacha20poly1305", "chacha20poly1305ietf")
    if operation == Op.AEAD and ietf and subject.constant("NPUBBYTES") == NONCE:
        return _sealed
    if operation in BOXES and BOXES[operation][0] == primitive:
        return _boxed
    raise CheckInapplicable("the bench has no such messages for the primitive")


def _alone(trial: OperationTrial, session: OperationSession) -> Iterator[Question]:
    calls = cache(partial(calls_of, trial, session))
    for about, key, message in known.messages(trial.bytes):
        text, tag = f"a message {about}", known.tag(key, message)
        one = calls(len(message))
        given = one[""].given("k", key, "").given("m", message, text)
        yield Question(given, "h", tag)
        given = one["_verify"].given("k", key, "").given("m", message, "")
        yield Question(given.given("h", tag, text), "", b"")


class _Message(Struct, frozen=True):
    """A message whose ciphertext comes to a sum, under a key, with its tag."""

    about: str
    key: bytes
    nonce: bytes
    text: bytes
    sealed: bytes
    tag: bytes


class _Cipher(Struct, frozen=True):
    """The nonce of a cipher, its key of Poly1305 and stream for a message, and what ends a sum."""

    nonce_bytes: int
    streams: Callable[[bytes, bytes], tuple[bytes, bytes]]
    behind: bytes

    def messages(self, trial: OperationTrial) -> Iterator[_Message]:
        """Yield messages for all sums, some under each key."""
        for first in range(0, len(WANTED), MESSAGES_OF_A_KEY):
            key, nonce = trial.bytes(KEY), trial.bytes(self.nonce_bytes)
            once, stream = self.streams(key, nonce)
            for wanted in WANTED[first : first + MESSAGES_OF_A_KEY]:
                sealed = self._coming_to(trial, once, wanted)
                text = bytes(a ^ b for a, b in zip(sealed, stream, strict=True))
                tag = known.tag(once, sealed + self.behind)
                about = f"a message whose sum comes to {wanted:x} in hex"
                yield _Message(about, key, nonce, text, sealed, tag)

    def _coming_to(self, trial: OperationTrial, once: bytes, wanted: int) -> bytes:
        """Return a ciphertext whose sum, with what stands behind it, is `wanted`."""
        r = int.from_bytes(once[: known.BLOCK], "little") & known.CLAMP
        if self.behind:
            above = int.from_bytes(self.behind, "little") + known.ABOVE
            wanted = (wanted * pow(r, -1, known.POLY1305_PRIME) - above) % known.POLY1305_PRIME
        while True:  # one try of four will do
            before = trial.bytes(BEFORE)
            last = known.last_block(known.sum_of(before, r), r, wanted)
            if last is not None:
                return before + last


def _chacha20(key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """Return the first 32 bytes of block 0, and the stream from block 1 on (RFC 8439, 2.6)."""
    stream = encrypted(key, nonce, bytes(STREAM_BLOCK + LENGTH), counter=False)
    return stream[:KEY], stream[STREAM_BLOCK:]


def _xsalsa20(key: bytes, nonce: bytes) -> tuple[bytes, bytes]:
    """Return the first 32 bytes of the stream, and those that follow."""
    stream = known.keystream(key, nonce, KEY + LENGTH)
    return stream[:KEY], stream[KEY:]


LENGTHS = bytes(WORD) + LENGTH.to_bytes(WORD, "little")  # of no data and of the message
RFC_8439 = _Cipher(NONCE, _chacha20, LENGTHS)
NACL = _Cipher(LONG_NONCE, _xsalsa20, b"")


def _sealed(trial: OperationTrial, session: OperationSession) -> Iterator[Question]:
    calls = calls_of(trial, session, LENGTH)
    seal, unseal = (calls[one].given("a", b"", "") for one in ("_encrypt", "_decrypt"))
    for one in RFC_8439.messages(trial):
        sealed = one.sealed + one.tag
        given = seal.given("k", one.key, "").given("p", one.nonce, "")
        yield Question(given.given("m", one.text, one.about), "c", sealed)
        given = unseal.given("k", one.key, "").given("p", one.nonce, "")
        yield Question(given.given("c", sealed, one.about), "t", one.text)


def _boxed(trial: OperationTrial, session: OperationSession) -> Iterator[Question]:
    _, (seals, box, seal_key), (opens, _, open_key) = BOXES[trial.subject.operation]
    calls = calls_of(trial, session, LENGTH)
    seal, unseal = calls[seals], calls[opens]
    for one in NACL.messages(trial):
        message, sealed = bytes(ZEROS) + one.text, bytes(BOX_ZEROS) + one.tag + one.sealed
        given = seal.given(seal_key, one.key, "").given("n", one.nonce, "")
        yield Question(given.given("m", message, one.about), box, sealed)
        given = unseal.given(open_key, one.key, "").given("n", one.nonce, "")
        yield Question(given.given(box, sealed, one.about), "t", message)


CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "schemes/sums",
        "Are tags right whose sums random messages never reach?",
        (
            "Poly1305 reduces its sum by 2^130 - 5 once more at the end. Of random messages, one "
            "of 2^126 needs that, and few need all the carries, so code without them passes "
            "any number of random tests. Asked of Poly1305, of ChaCha20-Poly1305 and of NaCl's "
            "boxes, sealing and opening."
        ),
        "Compare the sum before the last reduction with RFC 8439, section 2.5.",
        run_sums,
    ),
)
