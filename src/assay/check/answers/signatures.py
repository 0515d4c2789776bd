# SPDX-License-Identifier: MIT
"""Known answers of crypto_sign.

crypto_sign gives signed messages. Files with detached signatures (ACVP, Wycheproof) are
for packages whose signed message is the signature and the message behind it; a signature
of the package's own shows whether it is one.
"""

from assay.check.answers.asked import (
    LENGTH,
    AskedPackage,
    Unfit,
    compared,
    refusal,
    succeeded,
)
from assay.check.answers.keys import drawn_otherwise, generate
from assay.check.answers.records import KnownAnswer, Mismatch, Result
from assay.model.operation import Op

PROBE = bytes(range(0xC0, 0xE0))


def signed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a signed message, with a secret key or with one from given random bytes."""
    expected = signed_message(asked, answer)
    message, random = answer.value("message"), answer.value("random")
    if "secret" in answer.values:
        asked.fits("secret key", answer.value("secret"), "SECRETKEYBYTES")
        asked.put("secret", answer.value("secret"))
    else:
        made = generate(asked, answer.value("key_random"))
        drawn = drawn_otherwise(made, answer.value("key_random"))
        if drawn:
            return Mismatch(f"the key pair{drawn}")
    room = asked.room("signed", len(message) + asked.constant("BYTES"))
    data = asked.put("message", message)
    places = (room, LENGTH, data, len(message), asked.buffer("secret"))
    run = asked.call("", *places, random=random)
    got = asked.get("signed", run.first.length)
    return succeeded(Op.SIGN, run.first) or compared(("the signed message", expected, got))


def verified(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """See that a signature is accepted, and gives the message; or that it is refused."""
    asked.fits("public key", answer.value("public"), "PUBLICKEYBYTES")
    whole = signed_message(asked, answer)
    asked.put("public", answer.value("public"))
    room = asked.room("opened", len(whole) + asked.constant("BYTES"))
    public, data = asked.buffer("public"), asked.put("signed", whole)
    run = asked.call("_open", room, LENGTH, data, len(whole), public)
    settled, mismatch = refusal(answer, "crypto_sign_open", run.first)
    if settled:
        return mismatch
    got = asked.get("opened", run.first.length)
    return compared(("the opened message", answer.value("message"), got))


def signed_message(asked: AskedPackage, answer: KnownAnswer) -> bytes:
    """Return the signed message of an answer; Unfit where it would be put together otherwise."""
    if "signed" in answer.values:
        return answer.value("signed")
    signature, size = answer.value("signature"), asked.constant("BYTES")
    if len(signature) != size and answer.result is not Result.INVALID:
        raise Unfit(f"a signature of {len(signature)} bytes: the package has {size}")
    if not _is_plain(asked):
        raise Unfit("a detached signature: signed messages are not signature || message here")
    return signature + answer.value("message")


def _is_plain(asked: AskedPackage) -> bool:
    """Return whether signed messages are the signature and the message; found out once."""
    if asked.plain_signatures is None:
        generate(asked, b"")
        size = asked.constant("BYTES")
        room, data = asked.room("signed", len(PROBE) + size), asked.put("message", PROBE)
        run = asked.call("", room, LENGTH, data, len(PROBE), asked.buffer("secret"))
        got = asked.get("signed", run.first.length)
        asked.plain_signatures = len(got) == size + len(PROBE) and got.endswith(PROBE)
    return asked.plain_signatures
