# SPDX-License-Identifier: MIT
"""The KATs of post-quantum submissions: everything random comes of one seed.

`stretches.py` sees to it that the package gets the bytes that the file's author had.
"""

from functools import partial

from assay.check.answers import drbg
from assay.check.answers.asked import (
    LENGTH,
    AskedPackage,
    Call,
    CallResults,
    compared,
    succeeded,
)
from assay.check.answers.records import KnownAnswer, Mismatch
from assay.check.answers.signatures import signed_message
from assay.check.answers.stretches import CUTS, settled
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
        run = settled(asked, partial(drbg.stream, answer.value("drbg")), cut, *calls)
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
