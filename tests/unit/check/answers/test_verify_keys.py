# SPDX-License-Identifier: MIT
"""Shared secrets, keys, signatures and KATs from seeds are compared."""

from collections.abc import Callable

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from tests.unit.check.answers.conftest import FakeSession, Functions, Package
from tests.unit.check.answers.written import answer, outcome

from assay.check.answers.records import AnswerTask, Result

Drawing = Callable[[Callable[[int], bytes]], Functions]  # with what gives random bytes

# --- shared secrets


def x25519(out: memoryview, secret: memoryview, public: memoryview) -> int:
    """Multiply; a point of low order is refused."""
    try:
        out[:32] = X25519PrivateKey.from_private_bytes(bytes(secret[:32])).exchange(
            X25519PublicKey.from_public_bytes(bytes(public[:32]))
        )
    except ValueError:
        return -1
    return 0


SHARED: dict[str, bytes | str] = {  # RFC 7748, section 5.2
    "secret": "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
    "public": "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
    "shared": "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
}
LOW = {**SHARED, "public": bytes(32), "shared": bytes(32)}
CURVE = {"BYTES": 32, "SCALARBYTES": 32, "PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 32}


def test_crypto_scalarmult_takes_the_secret_first(package: Package) -> None:
    """RFC 7748 has the result."""
    session = package("crypto_scalarmult", CURVE, {"": x25519})
    found = outcome(session, answer(AnswerTask.EXCHANGE, **SHARED))
    assert found.good


def test_crypto_dh_takes_the_public_key_first(package: Package) -> None:
    """The same mathematics with another order."""
    functions = {"": lambda out, public, secret: x25519(out, secret, public)}
    session = package("crypto_dh", CURVE, functions)
    assert outcome(session, answer(AnswerTask.EXCHANGE, **SHARED)).good


def test_an_acceptable_input_may_be_refused_but_not_answered_wrongly(package: Package) -> None:
    """Points of low order, for one."""

    def ones(out: memoryview, _secret: memoryview, _public: memoryview) -> None:
        out[:32] = b"1" * 32

    low = answer(AnswerTask.EXCHANGE, Result.ACCEPTABLE, **LOW)
    assert outcome(package("crypto_scalarmult", CURVE, {"": x25519}), low).failed == 0
    assert outcome(package("crypto_scalarmult", CURVE, {"": ones}), low).failed == 1


def test_an_acceptable_input_alone_does_not_make_a_package_good(package: Package) -> None:
    """It may have been refused."""
    low = answer(AnswerTask.EXCHANGE, Result.ACCEPTABLE, **LOW)
    found = outcome(package("crypto_scalarmult", CURVE, {"": x25519}), low)
    assert (found.passed, found.good) == (1, False)


# --- signatures

SIGN = {"BYTES": 64, "PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 32}
SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
SIGNATURE = (  # RFC 8032, section 7.1, test 1: the empty message
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
    "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
)


def ed25519(*, reversed_order: bool = False) -> Drawing:
    """Give functions of a package: the signature in front, or behind."""

    def functions(randombytes: Callable[[int], bytes]) -> Functions:
        def keypair(public: memoryview, secret: memoryview) -> None:
            secret[:32] = randombytes(32)
            key = Ed25519PrivateKey.from_private_bytes(bytes(secret[:32]))
            public[:32] = key.public_key().public_bytes_raw()

        def sign(
            out: memoryview, size: list[int], message: memoryview, length: int, secret: memoryview
        ) -> None:
            said = bytes(message[:length])
            signature = Ed25519PrivateKey.from_private_bytes(bytes(secret[:32])).sign(said)
            whole = said + signature if reversed_order else signature + said
            out[: len(whole)], size[0] = whole, len(whole)

        def unsign(
            out: memoryview, size: list[int], whole: memoryview, length: int, public: memoryview
        ) -> int:
            message = bytes(whole[64:length])
            if length < 64:
                return -1
            try:
                key = Ed25519PublicKey.from_public_bytes(bytes(public[:32]))
                key.verify(bytes(whole[:64]), message)
            except InvalidSignature:
                return -1
            out[: len(message)], size[0] = message, len(message)
            return 0

        return {"": sign, "_open": unsign, "_keypair": keypair}

    return functions


@pytest.fixture
def signing(package: Package) -> FakeSession:
    """Give Ed25519."""
    return with_randombytes(package, "crypto_sign", SIGN, ed25519())


def with_randombytes(
    package: Package, operation: str, constants: dict[str, int], functions: Drawing
) -> FakeSession:
    """Make a package whose functions draw random bytes."""
    known: Functions = {}
    session = package(operation, constants, known)
    known.update(functions(session.randombytes))
    return session


def test_a_key_pair_comes_of_given_random_bytes(signing: FakeSession) -> None:
    """RFC 8032 has the public key of the seed."""
    given = answer(AnswerTask.KEYPAIR, random=SECRET, public=PUBLIC, secret=SECRET)
    wrong = answer(AnswerTask.KEYPAIR, random="00" * 32, public=PUBLIC)
    found = outcome(signing, given, wrong)
    assert (found.passed, found.failed) == (1, 1)


def test_other_numbers_of_random_bytes_are_said(signing: FakeSession) -> None:
    """The likely cause of the difference."""
    found = outcome(signing, answer(AnswerTask.KEYPAIR, random="00" * 64, public=PUBLIC))
    said = "the public key (32 random bytes were asked for, the file has 64)"
    assert found.wrong == {said: 1}


@pytest.mark.parametrize("key", [{"secret": SECRET}, {"key_random": SECRET}])
def test_signatures_are_compared_with_a_key_or_its_seed(
    signing: FakeSession, key: dict[str, str]
) -> None:
    """Detached, or with the message."""
    found = outcome(
        signing,
        answer(AnswerTask.SIGN, message=b"", signature=SIGNATURE, **key),
        answer(AnswerTask.SIGN, message=b"", signed=SIGNATURE, **key),
        answer(AnswerTask.SIGN, message=b"1", signature=SIGNATURE, **key),
    )
    assert (found.passed, found.failed) == (2, 1)


def test_signatures_are_verified_and_forgeries_refused(signing: FakeSession) -> None:
    """Too short ones, too."""
    good: dict[str, bytes | str]
    good = {"public": PUBLIC, "message": b"", "signature": SIGNATURE}
    forged = {**good, "message": b"1"}
    short = {**good, "signature": SIGNATURE[:-2]}
    found = outcome(
        signing,
        answer(AnswerTask.VERIFY, **good),
        answer(AnswerTask.VERIFY, Result.INVALID, **forged),
        answer(AnswerTask.VERIFY, Result.INVALID, **short),
        answer(AnswerTask.VERIFY, **forged),
        answer(AnswerTask.VERIFY, Result.INVALID, **good),
    )
    assert (found.passed, found.failed) == (3, 2)
    assert found.wrong["crypto_sign_open accepted an invalid input (it returned 0)"] == 1


def test_detached_signatures_are_not_for_packages_with_another_order(package: Package) -> None:
    """One signature of its own shows the order."""
    functions = ed25519(reversed_order=True)
    session = with_randombytes(package, "crypto_sign", SIGN, functions)
    good = answer(AnswerTask.VERIFY, public=PUBLIC, message=b"", signature=SIGNATURE)
    found = outcome(session, good)
    assert (found.compared, found.good) == (0, False)
    assert "signature || message" in next(iter(found.skipped))


# --- KATs from seeds; NIST's first two seeds are what its generator gives first

FIRST = bytes.fromhex(
    "061550234d158c5ec95595fe04ef7a25767f2e24cc2bc479d09d86dc9abcfde7"
    "056a8c266f9ef97ed08541dbd2e1ffa1"
)
SECOND = bytes.fromhex(
    "d81c4d8d734fcbfbeade3d3f8a039faa2a2c9957e835ad55b22e75bf57bb556a"
    "c81adde6aeeb4a5a875c3bfcadfa958f"
)
KEM = {"PUBLICKEYBYTES": 48, "SECRETKEYBYTES": 48, "CIPHERTEXTBYTES": 48, "BYTES": 48}
SESSION: dict[str, bytes | str] = {
    "drbg": bytes(range(48)), "public": FIRST, "secret": FIRST[::-1],
    "ciphertext": SECOND, "shared": SECOND[::-1],
}  # fmt: skip


def toy_kem(*, key_requests: tuple[int, ...] = (48,), rejects: int = 0) -> Drawing:
    """Give a KEM that writes its random bytes: forwards, and backwards as the secret.

    It asks for more, and again, as often as the first byte is none of NIST's generator.
    """

    def functions(randombytes: Callable[[int], bytes]) -> Functions:
        def keypair(public: memoryview, secret: memoryview) -> None:
            public[:48] = b"".join(map(randombytes, key_requests))
            secret[:48] = bytes(public[:48])[::-1]
            for _ in range(rejects if public[0] != FIRST[0] else 0):
                randombytes(5)

        def enc(ciphertext: memoryview, shared: memoryview, _public: memoryview) -> None:
            ciphertext[:48] = randombytes(48)
            shared[:48] = bytes(ciphertext[:48])[::-1]

        def dec(shared: memoryview, ciphertext: memoryview, _secret: memoryview) -> None:
            shared[:48] = bytes(ciphertext[:48])[::-1]

        return {"_keypair": keypair, "_enc": enc, "_dec": dec}

    return functions


@pytest.mark.parametrize("rejects", [0, 3])
def test_the_generators_bytes_follow_the_packages_requests(package: Package, rejects: int) -> None:
    """Also where their number depends on the bytes."""
    session = with_randombytes(package, "crypto_kem", KEM, toy_kem(rejects=rejects))
    assert outcome(session, answer(AnswerTask.KEM_SESSION, **SESSION)).good


def test_a_package_that_asks_in_other_pieces_gets_the_same_bytes(package: Package) -> None:
    """The file was made when it asked once."""
    session = with_randombytes(package, "crypto_kem", KEM, toy_kem(key_requests=(16, 32)))
    assert outcome(session, answer(AnswerTask.KEM_SESSION, **SESSION)).good


@pytest.mark.parametrize("name", ["public", "secret", "ciphertext", "shared"])
def test_each_value_of_a_session_is_compared(package: Package, name: str) -> None:
    """One wrong value is enough."""
    session = with_randombytes(package, "crypto_kem", KEM, toy_kem())
    found = outcome(session, answer(AnswerTask.KEM_SESSION, **{**SESSION, name: bytes(48)}))
    assert (found.passed, found.failed) == (0, 1)


def test_a_decapsulation_of_another_secret_is_wrong(package: Package) -> None:
    """Though all values of the file were right."""

    def functions(randombytes: Callable[[int], bytes]) -> Functions:
        def wrong(shared: memoryview, _ciphertext: memoryview, _secret: memoryview) -> None:
            shared[:48] = bytes(48)

        return {**toy_kem()(randombytes), "_dec": wrong}

    session = with_randombytes(package, "crypto_kem", KEM, functions)
    found = outcome(session, answer(AnswerTask.KEM_SESSION, **SESSION))
    assert found.wrong == {"the decapsulated secret": 1}


def restless(randombytes: Callable[[int], bytes]) -> Functions:
    """Give a KEM whose key generation asks for another number of bytes each time."""
    counted = [0]

    def keypair(_public: memoryview, _secret: memoryview) -> None:
        counted[0] += 1
        randombytes(counted[0])

    return {**toy_kem()(randombytes), "_keypair": keypair}


def test_requests_without_end_leave_what_opens_to_be_compared(package: Package) -> None:
    """The ciphertexts of the file, with its keys; a secret that is another one is wrong."""
    session = with_randombytes(package, "crypto_kem", KEM, restless)
    good = answer(AnswerTask.KEM_SESSION, **SESSION)
    bad = answer(AnswerTask.KEM_SESSION, **{**SESSION, "shared": bytes(48)})
    found = outcome(session, good, good, bad)
    assert (found.passed, found.failed, found.skipped) == (2, 1, {})
    reason = "requests for random bytes that change in each of 64 rounds"
    assert found.reasons() == (f"3 of 3 answers compared by opening only: {reason}",)
    assert session.calls.count("_keypair") == 64


def test_requests_without_end_leave_nothing_of_an_encryption_to_compare(package: Package) -> None:
    """crypto_encrypt has no task of opening alone."""

    def functions(randombytes: Callable[[int], bytes]) -> Functions:
        return {"_keypair": restless(randombytes)["_keypair"], "": lambda *_: None}

    sizes = {"PUBLICKEYBYTES": 48, "SECRETKEYBYTES": 48, "BYTES": 48}
    session = with_randombytes(package, "crypto_encrypt", sizes, functions)
    values = {"drbg": bytes(range(48)), "public": FIRST, "secret": FIRST}
    one = answer(AnswerTask.ENCRYPT_SESSION, message=b"abc", ciphertext=SECOND, **values)
    found = outcome(session, one)
    assert found.skipped == {"requests for random bytes that change in each of 64 rounds": 1}
    assert not found.opened


def test_encapsulation_and_decapsulation_alone_are_compared(package: Package) -> None:
    """With a secret key, or with what makes one."""
    session = with_randombytes(package, "crypto_kem", KEM, toy_kem())
    parts = {"ciphertext": SECOND, "shared": SECOND[::-1]}
    wrong = {**parts, "shared": SECOND}
    found = outcome(
        session,
        answer(AnswerTask.ENCAPSULATE, public=FIRST, random=SECOND, **parts),
        answer(AnswerTask.DECAPSULATE, secret=FIRST, **parts),
        answer(AnswerTask.DECAPSULATE, key_random=FIRST, **parts),
        answer(AnswerTask.DECAPSULATE, secret=FIRST, **wrong),
        answer(AnswerTask.DECAPSULATE, key_random=bytes(32), **parts),
    )
    assert (found.passed, found.failed) == (3, 1)
    assert found.skipped == {"a seed of 32 bytes: key generation asks for 48": 1}


@pytest.mark.parametrize(
    ("operation", "task", "name", "opener"),
    [
        ("crypto_sign", AnswerTask.SIGN_SESSION, "signed", 0),
        ("crypto_encrypt", AnswerTask.ENCRYPT_SESSION, "ciphertext", 1),
    ],
)
def test_sessions_of_messages_are_compared_and_opened(
    package: Package, operation: str, task: AnswerTask, name: str, opener: int
) -> None:
    """crypto_sign opens with the public key, crypto_encrypt with the secret one."""

    def functions(randombytes: Callable[[int], bytes]) -> Functions:
        def keypair(public: memoryview, secret: memoryview) -> None:
            public[:48], secret[:48] = FIRST[::-1], FIRST
            randombytes(48)

        def make(
            out: memoryview, size: list[int], message: memoryview, length: int, key: memoryview
        ) -> None:
            assert bytes(key[:48]) == (FIRST, FIRST[::-1])[opener]
            whole = randombytes(48) + bytes(message[:length])
            out[: len(whole)], size[0] = whole, len(whole)

        def undo(
            out: memoryview, size: list[int], whole: memoryview, length: int, key: memoryview
        ) -> None:
            assert bytes(key[:48]) == (FIRST[::-1], FIRST)[opener]
            out[: length - 48], size[0] = whole[48:length], length - 48

        return {"_keypair": keypair, "": make, "_open": undo}

    sizes = {"PUBLICKEYBYTES": 48, "SECRETKEYBYTES": 48, "BYTES": 48}
    session = with_randombytes(package, operation, sizes, functions)
    keys = {"drbg": bytes(range(48)), "public": FIRST[::-1], "secret": FIRST}
    good = answer(task, message=b"abc", **{name: SECOND + b"abc"}, **keys)
    bad = answer(task, message=b"abc", **{name: SECOND + b"abd"}, **keys)
    found = outcome(session, good, bad)
    assert (found.passed, found.failed) == (1, 1)
