# SPDX-License-Identifier: MIT
"""Ed25519 and X25519 of the bench are those of the RFCs and of another implementation."""

import os

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from tests.unit.mock.standing import stand_in

from assay.check.operation.trial import OperationTrial
from assay.check.schemes import curve25519, known, sums
from assay.check.schemes.curve25519 import (
    SIGN,
    SIZE,
    L,
    P,
    SecretKey,
    add,
    base,
    challenge,
    decode,
    encode,
    multiply,
    refused,
    unreduced,
)

# RFC 8032, section 7.1: secret key, public key, message, signature of tests 1 and 2.
RFC_8032 = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701c"
            "f9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0"
            "f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
)


def verifies(public: bytes, signature: bytes, message: bytes) -> bool:
    """Return whether S B = R + k A, with everything as 5.1.7 wants it."""
    a, r = decode(public), decode(signature[:SIZE])
    s = int.from_bytes(signature[SIZE:], "little")
    if a is None or r is None or s >= L:
        return False
    k = challenge(signature[:SIZE], public, message)
    return encode(multiply(s, base())) == encode(add(r, multiply(k, a)))


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_signatures_are_those_of_the_rfc(
    seed: str, public: str, message: str, signature: str
) -> None:
    """RFC 8032, section 7.1."""
    key = SecretKey(bytes.fromhex(seed))
    assert key.public.hex() == public
    assert key.sign(bytes.fromhex(message)).hex() == signature


def test_another_implementation_signs_the_same() -> None:
    """With random keys and messages."""
    for length in (0, 1, 37, 200):
        seed, message = os.urandom(32), os.urandom(length)
        key, other = SecretKey(seed), Ed25519PrivateKey.from_private_bytes(seed)
        assert key.public == other.public_key().public_bytes_raw()
        assert key.sign(message) == other.sign(message)
        assert verifies(key.public, key.sign(message), message)


def test_points_are_read_as_they_are_written() -> None:
    """About half of all strings are points."""
    found = [one for one in (os.urandom(32) for _ in range(40)) if decode(one) is not None]
    assert found
    assert [encode(decode(one)) for one in found] == found  # type: ignore[arg-type]


def test_what_must_be_refused_is_refused_by_another_implementation() -> None:
    """By the RFC's rules here, and by OpenSSL."""
    every = list(refused(os.urandom))
    assert len({one.about for one in every}) > 20
    for one in every:
        assert not verifies(one.public, one.signature, one.message), one.about
        with pytest.raises((InvalidSignature, ValueError)):
            Ed25519PublicKey.from_public_bytes(one.public).verify(one.signature, one.message)


def test_multiples_are_those_of_the_rfc() -> None:
    """RFC 7748, section 5.2, and section 6.1 for the zero of a point of small order."""
    scalar = "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"
    point = "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"
    product = "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    assert curve25519.exchange(bytes.fromhex(scalar), bytes.fromhex(point)).hex() == product
    for u in (0, 1, curve25519.P - 1, curve25519.P, curve25519.P + 1, *curve25519.ORDER_8):
        assert not any(curve25519.exchange(os.urandom(32), u.to_bytes(32, "little")))


def test_points_are_found_for_results_near_both_ends() -> None:
    """Another implementation gives these results; 9 is the base point of RFC 7748."""
    found = list(curve25519.with_ends(os.urandom))
    for result, scalar, point in found:
        assert curve25519.exchange(scalar, point) == result.to_bytes(32, "little")
    results = {result for result, _, _ in found}
    assert results == {2, 9, 16} | {curve25519.P - one for one in (8, 10, 16, 18)}


# RFC 8439, appendix A.3, vectors 7 to 11: r, s, message and tag.
RFC_8439 = (
    (2, "00" * 16, "ff" * 16, "03" + "00" * 15),
    (2, "ff" * 16, "02" + "00" * 15, "03" + "00" * 15),
    (1, "00" * 16, "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15, "05" + "00" * 15),
    (1, "00" * 16, "ff" * 16 + "fb" + "fe" * 15 + "01" * 16, "00" * 16),
    (2, "00" * 16, "fd" + "ff" * 15, "fa" + "ff" * 15),
)


@pytest.mark.parametrize(("r", "s", "message", "tag"), RFC_8439)
def test_tags_of_small_sums_are_those_of_the_rfc(r: int, s: str, message: str, tag: str) -> None:
    """The other implementation reduces, and so do the sums that the bench makes messages by."""
    key = r.to_bytes(16, "little") + bytes.fromhex(s)
    assert known.tag(key, bytes.fromhex(message)).hex() == tag
    end = known.sum_of(bytes.fromhex(message), r) + int.from_bytes(key[16:], "little")
    assert (end % known.ABOVE).to_bytes(16, "little").hex() == tag


def test_messages_for_poly1305_come_to_the_sums_that_they_are_said_to() -> None:
    """For all of -6 to 10, modulo 2^130 - 5, with r of 1 and with random ones."""
    reached: dict[bool, set[int]] = {True: set(), False: set()}
    for about, key, message in known.messages(os.urandom):
        r = int.from_bytes(key[:16], "little")
        assert r & ~known.CLAMP == 0
        assert len(message) % 16 == 0
        if "whose sum is" in about or "comes to" in about:
            reached[r == 1].add(known.sum_of(message, r))
    wanted = {more % known.POLY1305_PRIME for more in range(-6, 11)}
    assert reached[True] == wanted
    assert reached[False] == wanted | set(known.CARRYING)


# "Cryptography in NaCl", sections 8 to 10: the shared secret, the key, the nonce, the second key.
SHARED = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
FIRST_KEY = "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"
LONG_NONCE = "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37"
SECOND_KEY = "dc908dda0b9344a953629b733820778880f3ceb421bb61b91cbd4c3e66256ce4"
ONE_TIME_KEY = "eea6a7251c1e72916d11c2cb214d3c252539121d8e234e652d651fa4c8cff880"
PACKET = "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffc"
BOXED = "8e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a"


def test_keys_and_streams_of_boxes_are_those_of_nacls_paper() -> None:
    """HSalsa20 with an input of zeros and of a nonce; the stream's key, and what follows it."""
    key, nonce = bytes.fromhex(FIRST_KEY), bytes.fromhex(LONG_NONCE)
    assert known.hsalsa20(bytes.fromhex(SHARED), bytes(16)).hex() == FIRST_KEY
    assert known.hsalsa20(key, nonce[:16]).hex() == SECOND_KEY
    stream = known.keystream(key, nonce, 64)
    assert stream[:32].hex() == ONE_TIME_KEY
    packet = int.from_bytes(bytes.fromhex(PACKET), "big")
    assert f"{packet ^ int.from_bytes(stream[32:], 'big'):x}" == BOXED


@pytest.mark.parametrize(("cipher", "behind"), [(sums.NACL, 0), (sums.RFC_8439, 1)])
def test_sealed_messages_come_to_the_sums_that_they_are_said_to(
    cipher: sums._Cipher, behind: int
) -> None:
    """With the block of lengths that RFC 8439 puts behind the ciphertext, and without it."""
    trial = stand_in(OperationTrial, bytes=os.urandom)
    found = []
    for one in cipher.messages(trial):
        once, _ = cipher.streams(one.key, one.nonce)
        r = int.from_bytes(once[:16], "little") & known.CLAMP
        text = one.sealed + (bytes(8) + len(one.sealed).to_bytes(8, "little")) * behind
        found.append(known.sum_of(text, r))
        s = int.from_bytes(once[16:], "little")
        assert one.tag == ((found[-1] + s) % known.ABOVE).to_bytes(16, "little")
    assert set(found) == set(sums.WANTED)


def test_signatures_under_keys_that_are_not_reduced_fit_the_equation() -> None:
    """S B = R + k A with the point that the key stands for; the RFC's decoding refuses the key."""
    every = list(unreduced(os.urandom))
    assert len(every) == 5
    for one in every:
        value = int.from_bytes(one.public, "little")
        y = value % SIGN % P
        point = decode((y | (value & SIGN if y == 0 else 0)).to_bytes(32, "little"))
        r = decode(one.signature[:32])
        assert decode(one.public) is None
        assert point is not None
        assert r is not None
        s = int.from_bytes(one.signature[32:], "little")
        k = challenge(one.signature[:32], one.public, one.message)
        assert encode(multiply(s, base())) == encode(add(r, multiply(k, point)))
