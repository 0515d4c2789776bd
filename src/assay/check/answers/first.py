# SPDX-License-Identifier: MIT
"""The first answer of a KAT file, written as NIST's program writes it, and its SHA-256.

The program's generator begins with the bytes 0, 1, ... 47; it gives the first answer's seed and
message. HQC's authors took SHAKE256 for it: with domain 1 in 2023, as PQClean has it, and with
domain 0 in liboqs.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

from assay.check.answers import drbg
from assay.check.answers.asked import LENGTH, AskedPackage, CallResults, Unfit
from assay.check.answers.records import KnownAnswer, Mismatch
from assay.check.answers.sessions import KEYS, key_room, returned
from assay.check.answers.stretches import CUTS, Cut, as_asked, settled

ENTROPY = bytes(range(drbg.SEED_BYTES))
MESSAGE_BYTES = 33  # of the first answer; the message of answer i has 33 (i + 1)
DIGESTED = "the SHA-256 of the text of the first answer"

Stream = Callable[[bytes, tuple[int, ...]], bytes]
Texts = Callable[[AskedPackage, bytes, bytes, Stream, Cut], "Iterator[str] | Mismatch"]

_FALCON_SALT_BYTES = 40


def _shake_stream(domain: bytes, entropy: bytes, lengths: tuple[int, ...]) -> bytes:
    """Return what HQC's generator gives for these requests, joined: cuts make no difference."""
    return hashlib.shake_256(entropy + domain).digest(sum(lengths))


_STREAMS: tuple[tuple[Stream, Cut], ...] = (
    *((drbg.stream, cut) for cut in CUTS),
    *((partial(_shake_stream, domain), as_asked) for domain in (b"\0", b"\1")),
)


def kem(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare the digest of seed, keys, ciphertext and shared secret."""
    return _compared(asked, answer, _kem_texts)


def sign(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare the digest of seed, message, keys and signed message."""
    return _compared(asked, answer, _sign_texts)


def _compared(asked: AskedPackage, answer: KnownAnswer, texts: Texts) -> Mismatch | None:
    """Try every way in which the generator's bytes may have been taken; the first is NIST's."""
    first: Mismatch | None = None
    for stream, cut in _STREAMS:
        seed, message = _begun(stream)
        made = texts(asked, seed, message, stream, cut)
        if isinstance(made, Mismatch):
            first = first or made
            continue
        for text in made:
            digest = hashlib.sha256(text.encode()).digest()
            if digest == answer.value("sha256"):
                return None
            first = first or Mismatch(DIGESTED, answer.value("sha256"), digest)
    return first


def _begun(stream: Stream) -> tuple[bytes, bytes]:
    """Return the first answer's seed and message."""
    both = stream(ENTROPY, (drbg.SEED_BYTES, MESSAGE_BYTES))
    return both[: drbg.SEED_BYTES], both[drbg.SEED_BYTES :]


def _kem_texts(
    asked: AskedPackage, seed: bytes, _message: bytes, stream: Stream, cut: Cut
) -> Iterator[str] | Mismatch:
    public, secret = key_room(asked)
    sizes = {"ct": asked.constant("CIPHERTEXTBYTES"), "ss": asked.constant("BYTES")}
    ciphertext, shared = (asked.room(name, size) for name, size in sizes.items())
    calls = (("_keypair", (public, secret)), ("_enc", (ciphertext, shared, public)))
    run = settled(asked, partial(stream, seed), cut, *calls)
    if wrong := returned(run):
        return wrong
    made = ((name, asked.get(name, size)) for name, size in sizes.items())
    return iter(["count = 0\n" + _text(("seed", seed), *_keys(asked), *made)])


def _sign_texts(
    asked: AskedPackage, seed: bytes, message: bytes, stream: Stream, cut: Cut
) -> Iterator[str] | Mismatch:
    public, secret = key_room(asked)
    room = asked.room("sm", MESSAGE_BYTES + asked.constant("BYTES"))
    data = asked.put("message", message)
    calls = (("_keypair", (public, secret)), ("", (room, LENGTH, data, MESSAGE_BYTES, secret)))
    run = settled(asked, partial(stream, seed), cut, *calls)
    if wrong := returned(run):
        return wrong
    head = _text(("seed", seed), ("mlen", MESSAGE_BYTES), ("msg", message), *_keys(asked))
    forms = signed_forms(_signed(asked, run), message)
    return (f"count = 0\n{head}{_text(('smlen', len(one)), ('sm', one))}" for one in forms)


def _signed(asked: AskedPackage, run: CallResults) -> bytes:
    length = run.calls[1].length
    if length > MESSAGE_BYTES + asked.constant("BYTES"):
        raise Unfit("a signed message that is longer than it may be")
    return asked.get("sm", length)


def signed_forms(signed: bytes, message: bytes) -> Iterator[bytes]:
    """Yield the forms in which a KAT may have a signed message, the package's own first.

    liboqs has detached signatures, and its KATs have the order of each submission: the message
    first, or Falcon's, from what Assay's entry to liboqs makes of a signature of any length.
    """
    yield signed
    if signed.endswith(message):
        yield message + signed[: len(signed) - len(message)]
    length = int.from_bytes(signed[-2:], "little")
    if len(signed) == length + len(message) + 2 and length > _FALCON_SALT_BYTES:
        head, salt = signed[0], signed[1 : 1 + _FALCON_SALT_BYTES]
        rest = signed[1 + _FALCON_SALT_BYTES : length]
        size = (length - _FALCON_SALT_BYTES).to_bytes(2, "big")
        yield size + salt + message + bytes([head - 0x10 & 0xFF]) + rest


def _keys(asked: AskedPackage) -> Iterator[tuple[str, bytes]]:
    for short, (name, size) in zip(("pk", "sk"), KEYS, strict=True):
        yield short, asked.get(name, asked.constant(size))


def _text(*values: tuple[str, bytes | int]) -> str:
    """Write the lines of an answer as NIST's program does."""
    return "".join(
        f"{name} = {value if isinstance(value, int) else value.hex().upper() or '00'}\n"
        for name, value in values
    )
