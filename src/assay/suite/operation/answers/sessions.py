# SPDX-License-Identifier: MIT
"""The KATs of post-quantum submissions: everything random comes of one seed.

NIST's generator answers requests, and what it gives depends on how the package cuts them.
So the calls are made with any random bytes first, and their requests noted; then again
with what the generator gives to such requests, until the requests are those expected.
Each round settles at least one more of them.
"""

from assay.execute.places import Buffer
from assay.suite.operation.answers import drbg
from assay.suite.operation.answers.asked import (
    LENGTH,
    MOST_LOGGED,
    Asked,
    Call,
    Run,
    Unfit,
    compared,
    succeeded,
)
from assay.suite.operation.answers.records import KnownAnswer, Mismatch

ROUNDS = 64
MOST_SUPPLIED = 65536  # the agent keeps no more


def kem(asked: Asked, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair, ciphertext and shared secret; decapsulation must give the latter."""
    _fit(asked, answer, ("ciphertext", "CIPHERTEXTBYTES"), ("shared", "BYTES"))
    public, secret = _key_room(asked)
    ciphertext = asked.room("ciphertext", asked.constant("CIPHERTEXTBYTES"))
    shared = asked.room("shared", asked.constant("BYTES"))
    enc = ("_enc", (ciphertext, shared, public))
    run = _settled(asked, answer, ("_keypair", (public, secret)), enc)
    wrong = _returned(run) or _different(asked, answer, "public", "secret", "ciphertext", "shared")
    if wrong:
        return wrong
    again = asked.room("again", asked.constant("BYTES"))
    expected = asked.get("shared", asked.constant("BYTES"))
    run = asked.call("_dec", again, ciphertext, secret)
    got = asked.get("again", len(expected))
    return succeeded("decapsulation", run.first) or compared(
        ("the decapsulated secret", expected, got)
    )


def sign(asked: Asked, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair and signed message; it must open."""
    _fit(asked, answer)
    return _message_session(asked, answer, "signed", "public")


def encrypt(asked: Asked, answer: KnownAnswer) -> Mismatch | None:
    """Compare key pair and ciphertext; it must open."""
    _fit(asked, answer)
    return _message_session(asked, answer, "ciphertext", "secret")


def _message_session(
    asked: Asked, answer: KnownAnswer, name: str, opening: str
) -> Mismatch | None:
    """Compare what crypto_sign or crypto_encrypt makes of a message; both have one shape."""
    public, secret = _key_room(asked)
    message = answer.value("message")
    data = asked.put("message", message)
    size = max(len(message) + asked.constant("BYTES"), len(answer.value(name)))
    room = asked.room(name, size)
    key = secret if opening == "public" else public
    call = ("", (room, LENGTH, data, len(message), key))
    run = _settled(asked, answer, ("_keypair", (public, secret)), call)
    length = run.calls[1].length
    wrong = _returned(run) or _different(asked, answer, "public", "secret")
    wrong = wrong or compared((f"the {name} message", answer.value(name), asked.get(name, length)))
    if wrong:
        return wrong
    again = asked.room("again", size)
    run = asked.call("_open", again, LENGTH, room, length, asked.buffer(opening))
    got = asked.get("again", run.first.length)
    return succeeded("opening", run.first) or compared(("the opened message", message, got))


def _fit(asked: Asked, answer: KnownAnswer, *more: tuple[str, str]) -> None:
    keys = (("public", "PUBLICKEYBYTES"), ("secret", "SECRETKEYBYTES"))
    for name, constant in (*keys, *more):
        if name in answer.values:
            asked.fits(name, answer.value(name), constant)


def _key_room(asked: Asked) -> tuple[Buffer, Buffer]:
    public = asked.room("public", asked.constant("PUBLICKEYBYTES"))
    return public, asked.room("secret", asked.constant("SECRETKEYBYTES"))


def _settled(asked: Asked, answer: KnownAnswer, *calls: Call) -> Run:
    """Make the calls with the generator's bytes, as the requests for them are cut."""
    seed = answer.value("drbg")
    lengths = asked.learned.get(answer.task, ())
    for _ in range(ROUNDS):
        run = asked.calls(*calls, random=drbg.stream(seed, lengths))
        if run.random_calls > MOST_LOGGED or sum(run.random_lengths) > MOST_SUPPLIED:
            raise Unfit("more requests for random bytes than can be followed")
        if run.random_lengths == lengths:
            asked.learned[answer.task] = lengths
            return run
        lengths = run.random_lengths
    raise Unfit(f"requests for random bytes that change in each of {ROUNDS} rounds")


def _returned(run: Run) -> Mismatch | None:
    key, other = run.calls
    return succeeded("key generation", key) or succeeded("the second call", other)


def _different(asked: Asked, answer: KnownAnswer, *names: str) -> Mismatch | None:
    given = [name for name in names if name in answer.values]
    return compared(
        *(
            (f"the {name}", answer.value(name), asked.get(name, len(answer.value(name))))
            for name in given
        )
    )
