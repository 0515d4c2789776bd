# SPDX-License-Identifier: MIT
"""Known answers of key generation, crypto_scalarmult, crypto_dh, crypto_kem and crypto_sign.

crypto_sign gives signed messages. Files with detached signatures (ACVP, Wycheproof) are
for packages whose signed message is the signature and the message behind it; a signature
of the package's own shows whether it is one.
"""

from collections.abc import Mapping

from assay.check.answers.asked import (
    LENGTH,
    AskedPackage,
    CallResults,
    Unfit,
    compared,
    refusal,
    succeeded,
)
from assay.check.answers.records import KnownAnswer, Mismatch, Result
from assay.model.operation import Op


def paired(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a key pair that comes of given random bytes."""
    for name in ("public", "secret"):
        if name in answer.values:
            asked.fits(f"{name} key", answer.value(name), f"{name.upper()}KEYBYTES")
    random = answer.value("random")
    run = generate(asked, random)
    drawn = drawn_otherwise(run, random)
    return succeeded("key generation", run.first) or compared(
        *(
            (f"the {name} key{drawn}", answer.value(name), asked.get(name, len(value)))
            for name, value in answer.values.items()
            if name in {"public", "secret"}
        )
    )


def generate(asked: AskedPackage, random: bytes) -> CallResults:
    """Generate a key pair into the buffers `public` and `secret`."""
    public = asked.room("public", asked.constant("PUBLICKEYBYTES"))
    secret = asked.room("secret", asked.constant("SECRETKEYBYTES"))
    return asked.call("_keypair", public, secret, random=random)


def drawn_otherwise(run: CallResults, random: bytes) -> str:
    """Report a function that asked for another number of random bytes than the file has."""
    if run.drawn == len(random):
        return ""
    return f" ({run.drawn} random bytes were asked for, the file has {len(random)})"


def multiplied(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a shared secret by crypto_scalarmult: secret, then public."""
    return _agreed(asked, answer, {"secret": "SCALARBYTES", "public": "BYTES"})


def exchanged(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a shared secret by crypto_dh: public, then secret."""
    return _agreed(asked, answer, {"public": "PUBLICKEYBYTES", "secret": "SECRETKEYBYTES"})


def _agreed(asked: AskedPackage, answer: KnownAnswer, keys: Mapping[str, str]) -> Mismatch | None:
    """Compare a shared secret; `keys` are in the order of parameters, each with its length."""
    given = [asked.given(answer, name, constant) for name, constant in keys.items()]
    run = asked.call("", asked.room("shared", asked.constant("BYTES")), *given)
    return _shared(asked, answer, run)


def _shared(
    asked: AskedPackage, answer: KnownAnswer, run: CallResults, what: str = "the call"
) -> Mismatch | None:
    settled, mismatch = refusal(answer, what, run.first)
    if settled:
        return mismatch
    size = asked.constant("BYTES")
    return compared(("the shared secret", answer.value("shared"), asked.get("shared", size)))


def encapsulated(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare an encapsulation with given random bytes."""
    public = asked.given(answer, "public", "PUBLICKEYBYTES")
    size, shared = asked.constant("CIPHERTEXTBYTES"), asked.constant("BYTES")
    if answer.result is Result.VALID:
        asked.fits("ciphertext", answer.value("ciphertext"), "CIPHERTEXTBYTES")
        asked.fits("shared secret", answer.value("shared"), "BYTES")
    places = asked.room("ciphertext", size), asked.room("shared", shared), public
    random = answer.value("random")
    run = asked.call("_enc", *places, random=random)
    settled, mismatch = refusal(answer, "encapsulation", run.first)
    if settled:
        return mismatch
    drawn = drawn_otherwise(run, random)
    return compared(
        (f"the ciphertext{drawn}", answer.value("ciphertext"), asked.get("ciphertext", size)),
        ("the shared secret", answer.value("shared"), asked.get("shared", shared)),
    )


def decapsulated(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a decapsulation with a secret key, or with one from given random bytes."""
    ciphertext = asked.given(answer, "ciphertext", "CIPHERTEXTBYTES")
    if "secret" in answer.values:
        asked.given(answer, "secret", "SECRETKEYBYTES")
    else:
        made = generate(asked, answer.value("key_random"))
        drawn, given = made.drawn, len(answer.value("key_random"))
        if drawn != given:
            raise Unfit(f"a seed of {given} bytes: key generation asks for {drawn}")
    places = asked.room("shared", asked.constant("BYTES")), ciphertext, asked.buffer("secret")
    run = asked.call("_dec", *places)
    return _shared(asked, answer, run, "decapsulation")


PROBE = bytes(range(0xC0, 0xE0))


def signed(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a signed message, with a secret key or with one from given random bytes."""
    expected = signed_message(asked, answer)
    message, random = answer.value("message"), answer.value("random")
    if "secret" in answer.values:
        asked.given(answer, "secret", "SECRETKEYBYTES")
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
    settled, mismatch = refusal(answer, f"{Op.SIGN}_open", run.first)
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
