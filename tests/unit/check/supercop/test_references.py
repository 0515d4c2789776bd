# SPDX-License-Identifier: MIT
"""Makes the shipped checksums that nobody publishes, from code that Assay does not ship."""

import hashlib
from pathlib import Path

import pytest
from tests.unit.check.supercop import ascon, mldsa
from tests.unit.check.supercop.conftest import Run, Toy
from tests.unit.check.supercop.references import (
    SEALED,
    SEALED_CONSTANTS,
    box,
    keccak_third_round,
    keccakr1024c576,
    padded_10_1,
    padded_second_round,
    sponge,
    unboxed,
    xsalsa20,
)

TREE = Path(__file__).resolve().parents[4] / "submissions" / "supercop"
OF_1024_BITS = {"BYTES": 128}
ASCON_AEAD = {"KEYBYTES": 16, "NSECBYTES": 0, "NPUBBYTES": 16, "ABYTES": 16, "NOOVERLAP": 1}
REFERENCES = {
    "crypto_hash/keccak": Toy("crypto_hash", OF_1024_BITS, {"": keccak_third_round}),
    "crypto_hash/keccakr1024c576": Toy("crypto_hash", OF_1024_BITS, {"": keccakr1024c576}),
    "crypto_encrypt/curve25519sealedbox": Toy(
        "crypto_encrypt", SEALED_CONSTANTS, SEALED, frozenset({"_keypair", ""})
    ),
    "crypto_hash/asconhash256": Toy("crypto_hash", {"BYTES": 32}, {"": ascon.ascon_hash256}),
    "crypto_xof/asconxof128": Toy("crypto_xof", {}, {"": ascon.ascon_xof128}),
    "crypto_cxof/asconcxof128": Toy("crypto_cxof", {"BYTES": 64}, {"": ascon.ascon_cxof128}),
    "crypto_aead/asconaead128": Toy(
        "crypto_aead",
        ASCON_AEAD,
        {"_encrypt": ascon.ascon_encrypt, "_decrypt": ascon.ascon_decrypt},
    ),
    "crypto_sign/mldsa44": Toy("crypto_sign", mldsa.CONSTANTS, mldsa.SIGNS, mldsa.DRAWING),
}


@pytest.mark.parametrize("length", [0, 1, 71, 72, 135, 136, 137, 500])
def test_the_permutation_is_that_of_the_standard(length: int) -> None:
    """The sponge with the suffixes of FIPS 202 gives SHA-3 and SHAKE as hashlib has them."""
    message = bytes(at & 0xFF for at in range(length))
    assert sponge(padded_10_1(message, 136, 0x06), 136, 32) == hashlib.sha3_256(message).digest()
    assert sponge(padded_10_1(message, 72, 0x06), 72, 64) == hashlib.sha3_512(message).digest()
    longest = hashlib.shake_128(message).digest(168)
    assert sponge(padded_10_1(message, 168, 0x1F), 168, 168) == longest


@pytest.mark.parametrize("length", [0, 123, 124, 125, 127, 128, 129, 252, 253])
def test_the_padding_of_the_second_round_says_the_rate_and_ends_with_a_block(length: int) -> None:
    """The message is followed by 1, the diversifier 0, the rate 128 and 1, then by zeros."""
    padded = padded_second_round(bytes(length), 128)
    assert len(padded) % 128 == 0
    assert len(padded) - length < 128 + 4
    assert padded[length:].rstrip(b"\0") == bytes([1, 0, 128, 1])


def test_the_stream_is_that_of_the_paper() -> None:
    """The first keystream block is the one that `xsalsa20` in NaCl's own tests shows."""
    key = bytes.fromhex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389")
    nonce = bytes.fromhex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
    assert xsalsa20(key, nonce, 32).hex() == (
        "eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880"
    )


def test_the_box_is_that_of_the_paper() -> None:
    """The box of "Cryptography in NaCl", section 10, opens, and not once it is modified."""
    alice = bytes.fromhex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a")
    bob = bytes.fromhex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
    nonce = bytes.fromhex("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37")
    message = bytes.fromhex(
        "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc"
        "e5ecbaaf33bd751a1ac728d45e6c61296cdc3c01233561f41db66cce314adb31"
        "0e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde"
        "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f93776384864"
        "5e0705"
    )
    boxed = box(message, nonce, bob, alice)
    assert boxed[:48].hex() == (
        "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce"
        "48332ea7164d96a4476fb8c531a1186a"
    )
    assert unboxed(boxed, nonce, bob, alice) == message
    assert unboxed(boxed[:-1] + b"\xff", nonce, bob, alice) is None


def test_the_columns_of_ascon_are_those_of_the_table() -> None:
    """Column x of five words that count from 0 to 31 becomes the x-th entry of the S-box."""
    words = [sum((x >> 4 - bit & 1) << x for x in range(32)) for bit in range(5)]
    after = ascon.substituted(*words)
    found = [sum((word >> x & 1) << 4 - bit for bit, word in enumerate(after)) for x in range(32)]
    assert bytes(found) == ascon.SBOX


def test_ascon_is_that_of_the_designers_known_answers() -> None:
    """A hash of 33 bytes, the empty XOF, and 17 bytes under a key with 32 bytes of data."""
    text = bytes(range(33))
    digest = ascon.squeezed(ascon.absorbed(ascon.begun(ascon.HASH), [text]), 32)
    assert digest.hex() == "a58665a2cb9530c502096a7957a76e428af4ad044b4da5c471f9da6f7b3e5868"
    stream = ascon.squeezed(ascon.absorbed(ascon.begun(ascon.XOF), [b""]), 32)
    assert stream.hex() == "473d5e6164f58b39dfd84aacdb8ae42ec2d91fed33388ee0d960d9b3993295c6"
    stream = ascon.customised(bytes([0, 1]), bytes(range(0x10, 0x1A)), 16)
    assert stream.hex() == "d5203fabf359666fb9d19a47d84af369"
    key, nonce = bytes(range(16)), bytes(range(16, 32))
    message, data = bytes(range(32, 49)), bytes(range(48, 80))
    sealed = ascon.sealed(message, data, nonce, key)
    expected = "cb34d04660a66dbfbe9c856601f5b8aa510d7caab912fc145145df923a2403a85f"
    assert sealed.hex() == expected
    assert ascon.opened(sealed, data, nonce, key) == message
    assert ascon.opened(sealed[:-1] + b"\0", data, nonce, key) is None


@pytest.mark.parametrize("name", sorted(REFERENCES))
@pytest.mark.parametrize("big", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_shipped_checksums_are_those_of_an_independent_implementation(
    run: Run, name: str, big: bool
) -> None:
    """Each checksum beside the primitive is made again; that of keccak is SUPERCOP's own."""
    expected = TREE.joinpath(name, f"checksum{'big' if big else 'small'}").read_text().strip()
    outcome = run(REFERENCES[name], big=big, brief=True)
    assert (outcome.checksum, outcome.findings, outcome.stop) == (expected, {}, None)


def test_no_shipped_primitive_is_left_without_checksums() -> None:
    """Every primitive has both files, so that no shipped package of an operation stays open."""
    primitives = [one.parent.parent for one in TREE.glob("crypto_*/*/*/api.h")]
    files = {one / f"checksum{size}" for one in primitives for size in ("small", "big")}
    assert len(files) > 80
    assert sorted(str(one) for one in files if not one.is_file()) == []
