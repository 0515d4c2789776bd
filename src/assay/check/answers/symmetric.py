# SPDX-License-Identifier: MIT
"""Known answers of hashes, XOFs and Monte Carlo chains, of MACs, AEADs, boxes and streams.

crypto_aead's ciphertext is the ciphertext and the tag behind it. The boxes of NaCl put
zero bytes before the message (ZEROBYTES) and before the ciphertext (BOXZEROBYTES); files
have neither, and the tag first.
"""

from assay.check.answers.asked import LENGTH, AskedPackage, Unfit, compared, refusal, succeeded
from assay.check.answers.records import AnswerTask, KnownAnswer, Mismatch, Result
from assay.check.operation.script import Argument, Script
from assay.check.routine import added_up
from assay.execute.places import Buffer

CHAINED = 1000  # digests between two that a Monte Carlo test states (SHAVS, SHA3VS)
AT_ONCE = 100
THREE = 3


def hashed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a digest."""
    asked.fits("digest", answer.value("digest"), "BYTES")
    return _hash(asked, answer.value("message"), answer.value("digest"))


def hashed_shortly(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output of any length, which is the beginning of every longer one."""
    output = answer.value("output")
    if len(output) > asked.constant("BYTES"):
        size = asked.constant("BYTES")
        raise Unfit(f"an output of more bytes than the package has ({size})")
    return _hash(asked, answer.value("message"), output)


def extended(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output, or a digest, with crypto_xof's of the same length."""
    return _expanded(asked, answer)


def customised(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an output of crypto_cxof with that for the same customisation string."""
    name = answer.value("z")
    return _expanded(asked, answer, asked.put("data", name), len(name))


def _expanded(asked: AskedPackage, answer: KnownAnswer, *more: Argument) -> Mismatch | None:
    message, output = answer.value("message"), answer.value("output") or answer.value("digest")
    given = len(output), asked.put("message", message), len(message)
    return _made(asked, "the output", output, *given, *more)


def chained(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare the thousandth digest of a chain."""
    seed, digest = answer.value("seed"), answer.value("digest")
    asked.fits("digest", digest, "BYTES")
    size, width = len(digest), THREE if answer.task is AnswerTask.CHAIN_OF_THREE else 1
    if len(seed) != size and width == THREE:
        raise Unfit("a chain whose seed is no digest")
    data = asked.put("message", seed * width)
    to = asked.room("output", size)
    length = len(seed) * width
    for _ in range(CHAINED // AT_ONCE):
        script = Script()
        for _ in range(AT_ONCE):
            script.call(asked.session.number(""), (to, data, length))
            if width == THREE:
                script.copy(data, data.at(size), 2 * size)
            script.copy(data.at((width - 1) * size), to, size)
            length = size * width
        asked.session.run(script)
    return compared(("the last digest of the chain", digest, asked.get("output", size)))


def _hash(asked: AskedPackage, message: bytes, digest: bytes) -> Mismatch | None:
    data, room = asked.put("message", message), asked.constant("BYTES")
    return _made(asked, "the digest", digest, data, len(message), room=room)


def _made(
    asked: AskedPackage, what: str, expected: bytes, *given: Argument, suffix: str = "",
    room: int = 0,
) -> Mismatch | None:  # fmt: skip
    """Compare an output, the first argument of a call; there may be room for more of it."""
    run = asked.call(suffix, asked.room("output", room or len(expected)), *given)
    name = f"{asked.session.subject.operation}{suffix}"
    got = asked.get("output", len(expected))
    return succeeded(name, run.first) or compared((what, expected, got))


def authenticated(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a tag, and its verification."""
    tag, message = answer.value("tag"), answer.value("message")
    key = asked.given(answer, "key", "KEYBYTES")
    given, data = asked.given(answer, "tag", "BYTES"), asked.put("message", message)
    run = asked.call("_verify", given, data, len(message), key)
    settled, mismatch = refusal(answer, "verification", run.first)
    if settled and answer.result is not Result.VALID:
        return mismatch
    return _made(asked, "the tag", tag, data, len(message), key) or mismatch


def sealed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an encryption and the decryption, or see that a forgery is refused."""
    if asked.constant("NSECBYTES"):
        raise Unfit("a package with secret message numbers")
    ciphertext = _with_tag(asked, answer, "ABYTES")
    key = asked.given(answer, "key", "KEYBYTES")
    last = asked.given(answer, "nonce", "NPUBBYTES"), key
    ad, message = answer.value("ad"), answer.value("message")
    nsec = asked.room("nsec", 1)
    rest = (asked.put("ad", ad), len(ad))
    given = asked.put("ciphertext", ciphertext)
    to = asked.room("plaintext", len(ciphertext))
    run = asked.call("_decrypt", to, LENGTH, nsec, given, len(ciphertext), *rest, *last)
    settled, mismatch = refusal(answer, "decryption", run.first)
    if not settled:
        got = asked.get("plaintext", run.first.length)
        mismatch = compared(("the plaintext", message, got))
    if answer.result is not Result.VALID:
        return mismatch
    room = asked.room("output", len(ciphertext))
    data = asked.put("message", message)
    run = asked.call("_encrypt", room, LENGTH, data, len(message), *rest, nsec, *last)
    differs = ("ciphertext and tag", ciphertext, asked.get("output", run.first.length))
    return succeeded("encryption", run.first) or compared(differs) or mismatch


def _with_tag(asked: AskedPackage, answer: KnownAnswer, constant: str) -> bytes:
    """Return ciphertext and tag together; Unfit if the tag is not of the package's size."""
    ciphertext = answer.value("ciphertext")
    if "tag" in answer.values:
        asked.fits("tag", answer.value("tag"), constant)
        return ciphertext + answer.value("tag")
    longer = len(ciphertext) - len(answer.value("message"))
    if "message" in answer.values and longer != asked.constant(constant):
        size = asked.constant(constant)
        raise Unfit(f"a ciphertext {longer} bytes longer than its message: the package's {size}")
    return ciphertext


def boxed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a crypto_secretbox."""
    if answer.value("ad"):
        raise Unfit("an encryption with associated data")
    return _boxes(asked, answer, asked.given(answer, "key", "KEYBYTES"))


def public_boxed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a crypto_box; the same two keys open it, as both sides share one secret."""
    public = asked.given(answer, "public", "PUBLICKEYBYTES")
    secret = asked.given(answer, "secret", "SECRETKEYBYTES")
    return _boxes(asked, answer, public, secret)


def _boxes(asked: AskedPackage, answer: KnownAnswer, *keys: Buffer) -> Mismatch | None:
    """Close and open a box; both have zero bytes in front that files do not have."""
    nonce = asked.given(answer, "nonce", "NONCEBYTES")
    zeros, box_zeros = asked.constant("ZEROBYTES"), asked.constant("BOXZEROBYTES")
    message = bytes(zeros) + answer.value("message")
    box = bytes(box_zeros) + answer.value("tag") + answer.value("ciphertext")
    if len(box) != len(message) and answer.result is Result.VALID:
        raise Unfit(f"a tag of another size than {zeros - box_zeros} bytes")
    to, given = asked.room("plaintext", len(box)), asked.put("ciphertext", box)
    run = asked.call("_open", to, given, len(box), nonce, *keys)
    settled, mismatch = refusal(answer, "opening", run.first)
    if not settled:
        got = asked.get("plaintext", len(box))
        mismatch = compared(("the plaintext, after its zeros", message[zeros:], got[zeros:]))
    if answer.result is not Result.VALID:
        return mismatch
    data = asked.put("message", message), len(message)
    return _made(asked, "the box", box, *data, nonce, *keys) or mismatch


def streamed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an encryption by crypto_stream_xor, and the stream itself."""
    key = asked.given(answer, "key", "KEYBYTES")
    last = asked.given(answer, "nonce", "NONCEBYTES"), key
    message, ciphertext = answer.value("message"), answer.value("ciphertext")
    if len(message) != len(ciphertext):
        raise Unfit("a ciphertext of another length than its message")
    given = asked.put("message", message), len(message), *last
    stream = added_up(message, ciphertext)
    mismatch = _made(asked, "the ciphertext", ciphertext, *given, suffix="_xor")
    return mismatch or _made(asked, "the stream", stream, len(stream), *last)
