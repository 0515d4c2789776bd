# SPDX-License-Identifier: MIT
"""Known answers of key generation, and of crypto_scalarmult, crypto_dh and crypto_kem."""

from assay.check.answers.asked import (
    AskedPackage,
    CallResults,
    Unfit,
    compared,
    refusal,
    succeeded,
)
from assay.check.answers.records import KnownAnswer, Mismatch, Result


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
    asked.fits("secret key", answer.value("secret"), "SCALARBYTES")
    asked.fits("public key", answer.value("public"), "BYTES")
    secret = asked.put("secret", answer.value("secret"))
    public = asked.put("public", answer.value("public"))
    run = asked.call("", asked.room("shared", asked.constant("BYTES")), secret, public)
    return _shared(asked, answer, run)


def exchanged(asked: AskedPackage, answer: KnownAnswer) -> Mismatch | None:
    """Compare a shared secret by crypto_dh: public, then secret."""
    asked.fits("secret key", answer.value("secret"), "SECRETKEYBYTES")
    asked.fits("public key", answer.value("public"), "PUBLICKEYBYTES")
    secret = asked.put("secret", answer.value("secret"))
    public = asked.put("public", answer.value("public"))
    run = asked.call("", asked.room("shared", asked.constant("BYTES")), public, secret)
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
    asked.fits("public key", answer.value("public"), "PUBLICKEYBYTES")
    size, shared = asked.constant("CIPHERTEXTBYTES"), asked.constant("BYTES")
    if answer.result is Result.VALID:
        asked.fits("ciphertext", answer.value("ciphertext"), "CIPHERTEXTBYTES")
        asked.fits("shared secret", answer.value("shared"), "BYTES")
    public = asked.put("public", answer.value("public"))
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
    asked.fits("ciphertext", answer.value("ciphertext"), "CIPHERTEXTBYTES")
    if "secret" in answer.values:
        asked.fits("secret key", answer.value("secret"), "SECRETKEYBYTES")
        asked.put("secret", answer.value("secret"))
    else:
        made = generate(asked, answer.value("key_random"))
        drawn, given = made.drawn, len(answer.value("key_random"))
        if drawn != given:
            raise Unfit(f"a seed of {given} bytes: key generation asks for {drawn}")
    ciphertext = asked.put("ciphertext", answer.value("ciphertext"))
    places = asked.room("shared", asked.constant("BYTES")), ciphertext, asked.buffer("secret")
    run = asked.call("_dec", *places)
    return _shared(asked, answer, run, "decapsulation")
