# SPDX-License-Identifier: MIT
"""The KATs of post-quantum submissions, where everything random comes of one seed.

An answer has all values, or only the SHA-256 of a file's first answer, written as NIST's program
writes it. That program's generator begins with the bytes 0, 1, ... 47 and gives the first answer's
seed and message. HQC's authors took SHAKE256 for it: with domain 1 in 2023, as PQClean has it, and
with domain 0 in liboqs.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import partial

from assay.check.answers.asked import (
    CUTS,
    LENGTH,
    SEED_BYTES,
    AskedPackage,
    Call,
    CallResults,
    Cut,
    Unfit,
    as_asked,
    compared,
    settled,
    succeeded,
)
from assay.check.answers.asked import stream as stream_of
from assay.check.answers.public_key import signed_message
from assay.check.answers.records import KnownAnswer, Mismatch
from assay.execute.places import Buffer

NAMES = {
    "public": "the public key",
    "secret": "the secret key",
    "signed": "the signed message",
    "ciphertext": "the ciphertext",
    "shared": "the shared secret",
}
KEYS = (("public", "PUBLICKEYBYTES"), ("secret", "SECRETKEYBYTES"))


def kem(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair, ciphertext and shared secret; decapsulation must give the latter."""
    sizes = (("ciphertext", "CIPHERTEXTBYTES"), ("shared", "BYTES"))
    _fit(asked, answer, *sizes)
    public, secret = key_room(asked)
    ciphertext, shared = (asked.room(name, asked.constant(size)) for name, size in sizes)
    calls = (("_keypair", (public, secret)), ("_enc", (ciphertext, shared, public)))
    expected = {name: answer.value(name) for name in answer.values if name != "drbg"}
    wrong = _with_any_cut(asked, answer, calls, expected)
    if wrong:
        return wrong
    again = asked.room("again", asked.constant("BYTES"))
    run = asked.call("_dec", again, ciphertext, secret)
    both = [asked.get(name, asked.constant("BYTES")) for name in ("shared", "again")]
    wrong = compared(("the decapsulated secret", both[0], both[1]))
    return succeeded("decapsulation", run.first) or wrong


def sign(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair and signed message; it must open."""
    _fit(asked, answer)
    return _message(asked, answer, ("signed", signed_message(asked, answer)), opening="public")


def encrypt(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair and ciphertext; it must open."""
    _fit(asked, answer)
    made = ("ciphertext", answer.value("ciphertext"))
    return _message(asked, answer, made, opening="secret")


def _message(
    asked: AskedPackage, answer: KnownAnswer, made: tuple[str, bytes], *, opening: str
) -> Mismatch | None:
    """Compare what crypto_sign or crypto_encrypt makes of a message; both have one shape."""
    name, expected = made
    public, secret = key_room(asked)
    message = answer.value("message")
    data = asked.put("message", message)
    size = max(len(message) + asked.constant("BYTES"), len(expected))
    room = asked.room(name, size)
    key = secret if opening == "public" else public
    calls = (("_keypair", (public, secret)), ("", (room, LENGTH, data, len(message), key)))
    keys = {key: answer.value(key) for key, _ in KEYS if key in answer.values}
    wrong = _with_any_cut(asked, answer, calls, {**keys, name: expected})
    if wrong:
        return wrong
    again = asked.room("again", size)
    run = asked.call("_open", again, LENGTH, room, len(expected), asked.buffer(opening))
    got = asked.get("again", run.first.length)
    return succeeded("opening", run.first) or compared(("the opened message", message, got))


def _with_any_cut(
    asked: AskedPackage, answer: KnownAnswer, calls: tuple[Call, Call], expected: dict[str, bytes]
) -> Mismatch | None:
    """Make the calls with the generator's bytes; the first mismatch is that of NIST's own way."""
    first: Mismatch | None = None
    for cut in CUTS:
        run = settled(asked, partial(stream_of, answer.value("drbg")), cut, *calls)
        wrong = returned(run) or _different(asked, run, expected)
        if wrong is None:
            return None
        first = first or wrong
    return first


def returned(run: CallResults) -> Mismatch | None:
    """Return a difference unless key generation and the call after it returned 0."""
    key, other = run.calls
    return succeeded("key generation", key) or succeeded("the second call", other)


def _different(
    asked: AskedPackage, run: CallResults, expected: dict[str, bytes]
) -> Mismatch | None:
    """Compare what stands in the buffers; the length of the last may be the package's."""
    written = "signed" if "signed" in expected else "ciphertext"
    values = []
    for name, what in NAMES.items():
        if name in expected:
            own = name == written and "shared" not in expected
            size = run.calls[1].length if own else len(expected[name])
            values.append((what, expected[name], asked.get(name, size)))
    return compared(*values)


def _fit(asked: AskedPackage, answer: KnownAnswer, *more: tuple[str, str]) -> None:
    for name, constant in (*KEYS, *more):
        if name in answer.values:
            asked.fits(NAMES[name].removeprefix("the "), answer.value(name), constant)


def key_room(asked: AskedPackage) -> tuple[Buffer, Buffer]:
    """Return the buffers of a key pair."""
    public = asked.room("public", asked.constant("PUBLICKEYBYTES"))
    return public, asked.room("secret", asked.constant("SECRETKEYBYTES"))


ENTROPY = bytes(range(SEED_BYTES))
MESSAGE_BYTES = 33  # of the first answer; the message of answer i has 33 (i + 1)
DIGESTED = "the SHA-256 of the text of the first answer"

Stream = Callable[[bytes, tuple[int, ...]], bytes]
Texts = Callable[[AskedPackage, bytes, bytes, Stream, Cut], "Iterator[str] | Mismatch"]

_FALCON_SALT_BYTES = 40


def _shake_stream(domain: bytes, entropy: bytes, lengths: tuple[int, ...]) -> bytes:
    """Return what HQC's generator gives for these requests, joined: cuts make no difference."""
    return hashlib.shake_256(entropy + domain).digest(sum(lengths))


_STREAMS: tuple[tuple[Stream, Cut], ...] = (
    *((stream_of, cut) for cut in CUTS),
    *((partial(_shake_stream, domain), as_asked) for domain in (b"\0", b"\1")),
)


def first(asked: AskedPackage, answer: KnownAnswer, texts: Texts) -> Mismatch | None:
    """Compare the digest of the text of an answer.

    Every way is tried in which the generator's bytes may have been taken; the first is NIST's.
    """
    wrong: Mismatch | None = None
    for stream, cut in _STREAMS:
        both = stream(ENTROPY, (SEED_BYTES, MESSAGE_BYTES))
        made = texts(asked, both[:SEED_BYTES], both[SEED_BYTES:], stream, cut)
        if isinstance(made, Mismatch):
            wrong = wrong or made
            continue
        for text in made:
            digest = hashlib.sha256(text.encode()).digest()
            if digest == answer.value("sha256"):
                return None
            wrong = wrong or Mismatch(DIGESTED, answer.value("sha256"), digest)
    return wrong


def kem_texts(
    asked: AskedPackage, seed: bytes, _message: bytes, stream: Stream, cut: Cut
) -> Iterator[str] | Mismatch:
    """Write seed, keys, ciphertext and shared secret."""
    public, secret = key_room(asked)
    sizes = {"ct": asked.constant("CIPHERTEXTBYTES"), "ss": asked.constant("BYTES")}
    ciphertext, shared = (asked.room(name, size) for name, size in sizes.items())
    calls = (("_keypair", (public, secret)), ("_enc", (ciphertext, shared, public)))
    run = settled(asked, partial(stream, seed), cut, *calls)
    if wrong := returned(run):
        return wrong
    made = ((name, asked.get(name, size)) for name, size in sizes.items())
    return iter(["count = 0\n" + _text(("seed", seed), *_keys(asked), *made)])


def sign_texts(
    asked: AskedPackage, seed: bytes, message: bytes, stream: Stream, cut: Cut
) -> Iterator[str] | Mismatch:
    """Write seed, message, keys and signed message."""
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
