# SPDX-License-Identifier: MIT
"""What random messages do not ask of Poly1305, alone and with ChaCha20 (RFC 8439)."""

from collections.abc import Iterator
from functools import cache, partial

from assay.check.check import Check, CheckInapplicable
from assay.check.operation.schemes import poly1305
from assay.check.operation.schemes.known import Question, ask_all, call_of
from assay.check.operation.session import OperationSession
from assay.check.operation.trial import OperationTrial

SECONDS = 2.0
# To the first five 2^130 - 5 is added by who does not reduce.
WANTED = (*range(8), *poly1305.CARRYING)
BEFORE = 2 * poly1305.BLOCK
NONCE, WORD = 12, 8


def run_sums(trial: OperationTrial) -> str:
    """Ask for tags of messages whose sums are near 2^130 - 5, or carry far."""
    asked = _sealed if _is_aead(trial) else _alone
    named = trial.subject.operation, trial.subject.primitive
    if asked is _alone and named != ("crypto_onetimeauth", "poly1305"):
        raise CheckInapplicable("the bench has no such messages for the primitive")
    with trial.session() as session:
        return ask_all(trial, session, SECONDS, tuple(asked(trial, session)))


def _is_aead(trial: OperationTrial) -> bool:
    """Return whether this is the AEAD of RFC 8439: another nonce, and another order, are not."""
    subject = trial.subject
    named = subject.primitive in ("chacha20poly1305", "chacha20poly1305ietf")
    return subject.operation == "crypto_aead" and named and subject.constant("NPUBBYTES") == NONCE


def _alone(trial: OperationTrial, session: OperationSession) -> Iterator[Question]:
    call = cache(partial(call_of, trial, session, ""))
    for about, key, message in poly1305.messages(trial.bytes):
        given = call(len(message)).given("k", key, "").given("m", message, f"a message {about}")
        yield Question(given, "h", poly1305.tag(key, message))


def _sealed(trial: OperationTrial, session: OperationSession) -> Iterator[Question]:
    """Yield messages whose ciphertext, with the lengths behind it, comes to a small sum."""
    from cryptography.hazmat.primitives.ciphers.aead import (  # noqa: PLC0415 - slow to load
        ChaCha20Poly1305,
    )

    call = call_of(trial, session, "_encrypt", BEFORE + poly1305.BLOCK)
    empty = call.given("a", b"", "")
    for wanted in WANTED:
        key, nonce, message = _message(trial, wanted)
        about = f"a message whose sum comes to {wanted:x} in hex"
        given = empty.given("k", key, "").given("p", nonce, "").given("m", message, about)
        yield Question(given, "c", ChaCha20Poly1305(key).encrypt(nonce, message, b""))


def _message(trial: OperationTrial, wanted: int) -> tuple[bytes, bytes, bytes]:
    """Return key, nonce and message."""
    lengths = bytes(WORD) + (BEFORE + poly1305.BLOCK).to_bytes(WORD, "little")
    above = int.from_bytes(lengths, "little") + poly1305.ABOVE
    while True:
        key, nonce = trial.bytes(32), trial.bytes(NONCE)
        stream = _keystream(key, nonce, BEFORE + poly1305.BLOCK)
        r = int.from_bytes(_keystream(key, nonce, poly1305.BLOCK, 0), "little") & poly1305.CLAMP
        before = trial.bytes(BEFORE)
        middle = (wanted * pow(r, -1, poly1305.P) - above) % poly1305.P
        last = poly1305.last_block(poly1305.sum_of(before, r), r, middle)
        if last is not None:
            text = bytes(a ^ b for a, b in zip(before + last, stream, strict=True))
            return key, nonce, text


def _keystream(key: bytes, nonce: bytes, length: int, block: int = 1) -> bytes:
    """Return bytes of ChaCha20 from a block on; the first makes the key of Poly1305."""
    from cryptography.hazmat.primitives.ciphers import (  # noqa: PLC0415 - slow to load
        Cipher,
        algorithms,
    )

    begin = block.to_bytes(4, "little") + nonce
    return Cipher(algorithms.ChaCha20(key, begin), mode=None).encryptor().update(bytes(length))


CHECKS: tuple[Check[OperationTrial], ...] = (
    Check(
        "schemes/sums",
        "Are tags right whose sums random messages never reach?",
        (
            "Poly1305 reduces its sum by 2^130 - 5 once more at the end. Of random messages, one "
            "of 2^126 needs that, and few need all the carries, so code without them passes "
            "any number of random tests."
        ),
        "Compare the sum before the last reduction with RFC 8439, section 2.5.",
        run_sums,
    ),
)
