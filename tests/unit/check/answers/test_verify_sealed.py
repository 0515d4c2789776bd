# SPDX-License-Identifier: MIT
"""Tags, authenticated encryption, boxes and streams are compared, and forgeries refused."""

import hmac
from collections.abc import Callable

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from tests.unit.check.answers.conftest import Functions, Package
from tests.unit.check.answers.written import answer, outcome

from assay.check.answers.records import AnswerTask, Result


def hmac256(out: memoryview, message: memoryview, length: int, key: memoryview) -> None:
    """Authenticate."""
    out[:32] = hmac.digest(bytes(key[:32]), bytes(message[:length]), "sha256")


def checked(tag: memoryview, message: memoryview, length: int, key: memoryview) -> int:
    """Verify."""
    right = hmac.digest(bytes(key[:32]), bytes(message[:length]), "sha256")
    return 0 if bytes(tag[:32]) == right else -1


def accepts(*_: object) -> int:
    """Accept everything."""
    return 0


def refuses(*_: object) -> int:
    """Refuse everything."""
    return -1


KEY = bytes(range(32))
TAG = hmac.digest(KEY, b"abc", "sha256")
GOOD_TAG = answer(AnswerTask.MAC, key=KEY, message=b"abc", tag=TAG)
FORGED_TAG = answer(AnswerTask.MAC, Result.INVALID, key=KEY, message=b"abd", tag=TAG)


@pytest.mark.parametrize(
    ("verification", "passed", "failed"), [(checked, 2, 0), (accepts, 1, 1), (refuses, 1, 1)]
)
def test_tags_are_compared_and_forgeries_refused(
    package: Package, verification: Callable[..., int], passed: int, failed: int
) -> None:
    """Computation and verification are judged, both."""
    functions: Functions = {"": hmac256, "_verify": verification}
    session = package("crypto_auth", {"BYTES": 32, "KEYBYTES": 32}, functions)
    found = outcome(session, GOOD_TAG, FORGED_TAG)
    assert (found.passed, found.failed) == (passed, failed)


def test_who_refuses_everything_is_not_good_by_forgeries_alone(package: Package) -> None:
    """Nothing shows that it can do anything."""
    functions: Functions = {"": hmac256, "_verify": refuses}
    session = package("crypto_auth", {"BYTES": 32, "KEYBYTES": 32}, functions)
    found = outcome(session, FORGED_TAG)
    assert (found.passed, found.failed, found.good) == (1, 0, False)
    assert found.sentence() == "1 of 1 answers right, none of them to an input that is valid"


def encrypt(
    out: memoryview,
    out_length: list[int],
    message: memoryview,
    length: int,
    ad: memoryview,
    ad_length: int,
    _nsec: memoryview,
    nonce: memoryview,
    key: memoryview,
) -> None:
    """Encrypt with AES-128-GCM."""
    sealed = AESGCM(bytes(key[:16])).encrypt(
        bytes(nonce[:12]), bytes(message[:length]), bytes(ad[:ad_length])
    )
    out[: len(sealed)], out_length[0] = sealed, len(sealed)


def decrypt(out: memoryview, out_length: list[int], _nsec: memoryview, sealed: memoryview,
            length: int, ad: memoryview, ad_length: int, nonce: memoryview,
            key: memoryview) -> int:  # fmt: skip
    """Decrypt."""
    try:
        message = AESGCM(bytes(key[:16])).decrypt(
            bytes(nonce[:12]), bytes(sealed[:length]), bytes(ad[:ad_length])
        )
    except InvalidTag:
        return -1
    out[: len(message)], out_length[0] = message, len(message)
    return 0


AEAD = {"KEYBYTES": 16, "NPUBBYTES": 12, "ABYTES": 16, "NSECBYTES": 0}
CIPHERTEXT, TAG_OF_IT = "0388dace60b6a392f328c2b971b2fe78", "ab6e47d42cec13bdf53a67b21257bddf"
GCM: dict[str, bytes | str] = {  # McGrew, Viega: The Galois/Counter Mode, test case 2
    "key": bytes(16), "nonce": bytes(12), "ad": b"", "message": bytes(16),
    "ciphertext": CIPHERTEXT, "tag": TAG_OF_IT,
}  # fmt: skip


def test_an_encryption_is_compared_both_ways(package: Package) -> None:
    """The tag stands apart or behind; forgeries and acceptable inputs may be refused."""
    session = package("crypto_aead", AEAD, {"_encrypt": encrypt, "_decrypt": decrypt})
    damaged = {**GCM, "tag": bytes(16)}
    joined = {**GCM, "ciphertext": CIPHERTEXT + TAG_OF_IT}
    del joined["tag"]
    found = outcome(
        session,
        answer(AnswerTask.SEAL, **GCM),
        answer(AnswerTask.SEAL, **joined),
        answer(AnswerTask.SEAL, Result.INVALID, **damaged),
        answer(AnswerTask.SEAL, Result.ACCEPTABLE, **damaged),
        answer(AnswerTask.SEAL, Result.ACCEPTABLE, **GCM),
    )
    assert (found.passed, found.failed) == (5, 0)


@pytest.mark.parametrize(
    "change", [{"message": bytes(15) + b"1"}, {"ad": b"1"}, {"ciphertext": bytes(16)}]
)
def test_another_encryption_is_wrong(package: Package, change: dict[str, bytes]) -> None:
    """Each part of the answer counts."""
    session = package("crypto_aead", AEAD, {"_encrypt": encrypt, "_decrypt": decrypt})
    assert outcome(session, answer(AnswerTask.SEAL, **{**GCM, **change})).failed == 1


@pytest.mark.parametrize(
    "functions",
    [{"_encrypt": encrypt, "_decrypt": refuses}, {"_encrypt": accepts, "_decrypt": decrypt}],
)
def test_either_direction_alone_is_wrong(package: Package, functions: Functions) -> None:
    """Encryption and decryption are judged, both."""
    session = package("crypto_aead", AEAD, functions)
    assert outcome(session, answer(AnswerTask.SEAL, **GCM)).failed == 1


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"key": bytes(32)}, "a key of 32 bytes: the package has 16"),
        ({"nonce": bytes(8)}, "a nonce of 8 bytes: the package has 12"),
        ({"tag": bytes(12)}, "a tag of 12 bytes: the package has 16"),
    ],
)
def test_other_sizes_are_skipped_with_both(
    package: Package, change: dict[str, bytes], reason: str
) -> None:
    """A file for AES-256 says nothing of AES-128."""
    session = package("crypto_aead", AEAD, {"_encrypt": encrypt, "_decrypt": decrypt})
    assert outcome(session, answer(AnswerTask.SEAL, **{**GCM, **change})).skipped == {reason: 1}


def close(
    out: memoryview, message: memoryview, length: int, _nonce: memoryview, key: memoryview
) -> int:
    """Close a box that only authenticates: NaCl's zeros before both, the tag first."""
    assert bytes(message[:32]) == bytes(32)
    body = bytes(message[32:length])
    out[:length] = bytes(16) + hmac.digest(bytes(key[:32]), body, "sha256")[:16] + body
    return 0


def unclose(
    out: memoryview, box: memoryview, length: int, _nonce: memoryview, key: memoryview
) -> int:
    """Open it."""
    assert bytes(box[:16]) == bytes(16)
    body = bytes(box[32:length])
    tag = hmac.digest(bytes(key[:32]), body, "sha256")[:16]
    out[:length] = bytes(32) + body
    return 0 if tag == bytes(box[16:32]) else -1


def test_boxes_get_the_zeros_that_files_do_not_have(package: Package) -> None:
    """NaCl's convention is of the API, not of the cipher."""
    sizes = {"KEYBYTES": 32, "NONCEBYTES": 24, "ZEROBYTES": 32, "BOXZEROBYTES": 16}
    session = package("crypto_secretbox", sizes, {"": close, "_open": unclose})
    box = {"key": KEY, "nonce": bytes(24), "message": b"abc", "ciphertext": TAG[:16] + b"abc"}
    wrong = {**box, "ciphertext": TAG[1:17] + b"abc"}
    found = outcome(
        session,
        answer(AnswerTask.SEAL, **box),
        answer(AnswerTask.SEAL, Result.INVALID, **wrong),
        answer(AnswerTask.SEAL, **wrong),
        answer(AnswerTask.SEAL, **{**box, "ad": b"1"}),
    )
    assert (found.passed, found.failed) == (2, 1)
    assert found.skipped == {"an encryption with associated data": 1}


def test_the_stream_is_compared_too(package: Package) -> None:
    """crypto_stream is what crypto_stream_xor adds."""

    def chacha(nonce: memoryview, key: memoryview, data: bytes) -> bytes:
        whole = algorithms.ChaCha20(bytes(key[:32]), bytes(8) + bytes(nonce[:8]))
        return Cipher(whole, None).encryptor().update(data)

    def xor(
        out: memoryview, message: memoryview, length: int, nonce: memoryview, key: memoryview
    ) -> None:
        out[:length] = chacha(nonce, key, bytes(message[:length]))

    def stream(out: memoryview, length: int, nonce: memoryview, key: memoryview) -> None:
        out[:length] = chacha(nonce, key, bytes(length))

    sizes = {"KEYBYTES": 32, "NONCEBYTES": 8}
    known = answer(  # RFC 8439, A.1, test vector 1
        AnswerTask.STREAM, key=bytes(32), nonce=bytes(8), message=bytes(16),
        ciphertext="76b8e0ada0f13d90405d6ae55386bd28",
    )  # fmt: skip
    good = package("crypto_stream", sizes, {"": stream, "_xor": xor})
    bad = package("crypto_stream", sizes, {"": accepts, "_xor": xor})
    assert outcome(good, known).good
    assert outcome(bad, known).wrong == {"the stream": 1}
