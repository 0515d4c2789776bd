# SPDX-License-Identifier: MIT
"""Packages in Python are compared with answers: right ones, wrong ones, none that fit."""

import hashlib
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.check.answers.conftest import Package
from tests.unit.check.answers.written import answer, outcome

from assay.check.answers.records import (
    AnswerFile,
    AnswerTask,
)
from assay.check.answers.verify import verify
from assay.check.operation.session import OperationSession
from assay.execute.agent import AgentLost

ABC = bytes.fromhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")


def sha256(out: memoryview, message: memoryview, length: int) -> None:
    """Hash."""
    out[:32] = hashlib.sha256(message[:length]).digest()


@pytest.fixture
def hashing(package: Package) -> OperationSession:
    """Give SHA-256."""
    return package("crypto_hash", {"BYTES": 32}, {"": sha256})


def test_a_right_digest_is_good(hashing: OperationSession) -> None:
    """FIPS 180-4, the example `abc`."""
    found = outcome(hashing, answer(AnswerTask.DIGEST, message=b"abc", digest=ABC))
    assert (found.passed, found.failed, found.good) == (1, 0, True)
    assert found.sentence() == "1 of 1 answers right"


def test_a_key_in_another_encoding_is_ignored_and_named(hashing: OperationSession) -> None:
    """Newer files have more such fields; a field of another kind is an input."""
    one = answer(AnswerTask.DIGEST, message=b"abc", digest=ABC)
    fields = ("publicKeyDer", "privateKeyPem", "keyJwk")
    found = outcome(hashing, replace(one, unfed=fields))
    assert (found.passed, found.unfed) == (1, 0)
    assert found.reasons() == (
        "ignored: keyJwk, privateKeyPem, publicKeyDer (keys in other encodings)",
    )
    assert outcome(hashing, replace(one, unfed=("salt",))).unfed == 1


def customised(
    out: memoryview, length: int, message: memoryview, size: int, name: memoryview, named: int
) -> None:
    """Hash the customisation string before the message."""
    out[:length] = hashlib.sha256(bytes(name[:named]) + bytes(message[:size])).digest()[:length]


def test_a_customisation_string_is_given_to_the_function_that_takes_one(
    package: Package, hashing: OperationSession
) -> None:
    """`Z` of SP 800-232 goes to crypto_cxof, outputs of any length; crypto_hash has no place."""
    session = package("crypto_cxof", {"BYTES": 32}, {"": customised})
    short = answer(AnswerTask.DIGEST, message=b"c", z=b"ab", digest=ABC[:8])
    wrong = answer(AnswerTask.DIGEST, message=b"c", z=b"aa", digest=ABC[:8])
    named = [replace(one, unfed=("Z",)) for one in (short, wrong)]
    empty = answer(AnswerTask.DIGEST, message=b"abc", z=b"", digest=ABC)
    found = outcome(session, *named, empty)
    assert (found.passed, found.failed) == (2, 1)
    assert outcome(hashing, *named).skipped == {
        "they have the field Z, which crypto_hash has no input for": 2
    }


def test_a_wrong_digest_is_shown_with_its_input(hashing: OperationSession) -> None:
    """Enough to repeat it by hand."""
    wrong = answer(AnswerTask.DIGEST, message=b"abd", digest=ABC)
    found = outcome(hashing, wrong, answer(AnswerTask.DIGEST, message=b"abc", digest=ABC))
    assert (found.passed, found.failed, found.good) == (1, 1, False)
    assert found.evidence is not None
    lines = found.evidence.lines()
    assert lines[0] == "some:1, digest: the digest"
    assert "  message = 616264 (3 bytes)" in lines
    assert f"  expected {ABC.hex()} (32 bytes)" in lines
    assert f"  got      {hashlib.sha256(b'abd').hexdigest()} (32 bytes)" in lines
    assert found.wrong == {"the digest": 1}


def test_a_file_of_which_nothing_fits_is_not_good(hashing: OperationSession) -> None:
    """Zero compared is no pass."""
    found = outcome(
        hashing,
        answer(AnswerTask.DIGEST, message=b"", digest=b"12345"),
        answer(AnswerTask.MAC, key=b"", message=b"", tag=b""),
        skipped={"something else": 3},
    )
    assert (found.compared, found.good) == (0, False)
    assert found.sentence() == "no answer of the file fits this package, 5 not compared"
    assert found.skipped == {
        "something else": 3,
        "a digest of 5 bytes: the package has 32": 1,
        "tag: crypto_hash has none": 1,
    }


def test_an_answer_with_an_input_that_the_function_does_not_take_is_not_compared(
    hashing: OperationSession,
) -> None:
    """A customised hash is another function: judged without its `Z`, honest code looks wrong."""
    plain = answer(AnswerTask.DIGEST, message=b"abc", digest=ABC)
    customised = replace(answer(AnswerTask.DIGEST, message=b"abc", digest=bytes(32)), unfed=("Z",))
    found = outcome(hashing, plain, customised, customised)
    assert (found.passed, found.failed, found.good) == (1, 0, True)
    assert found.reasons() == (
        "2 of 3 answers not compared: they have the field Z, which crypto_hash has no input for",
    )
    assert found.unfed == 2
    assert not outcome(hashing, customised).good


def test_a_digest_that_is_not_written_is_wrong_though_the_last_one_was_the_same(
    package: Package,
) -> None:
    """Outputs are overwritten before each call."""
    seen: list[bytes] = []

    def lazy(out: memoryview, message: memoryview, length: int) -> None:
        if not seen:
            sha256(out, message, length)
        seen.append(bytes(message[:length]))

    session = package("crypto_hash", {"BYTES": 32}, {"": lazy})
    one = answer(AnswerTask.DIGEST, message=b"abc", digest=ABC)
    assert outcome(session, one, one).failed == 1


def test_a_hash_that_reports_failure_is_wrong(package: Package) -> None:
    """Though its digest is right."""

    def failing(out: memoryview, message: memoryview, length: int) -> int:
        sha256(out, message, length)
        return -1

    session = package("crypto_hash", {"BYTES": 32}, {"": failing})
    found = outcome(session, answer(AnswerTask.DIGEST, message=b"abc", digest=ABC))
    assert found.wrong == {"crypto_hash returned -1, not 0": 1}


def test_a_fault_is_a_wrong_answer_and_the_others_are_compared(
    package: Package, fault: type[Exception]
) -> None:
    """The agent survives faults."""

    def fragile(out: memoryview, message: memoryview, length: int) -> None:
        if length == 0:
            raise fault("SIGSEGV in crypto_hash")
        sha256(out, message, length)

    session = package("crypto_hash", {"BYTES": 32}, {"": fragile})
    empty = answer(AnswerTask.DIGEST, message=b"", digest=hashlib.sha256().digest())
    found = outcome(session, empty, answer(AnswerTask.DIGEST, message=b"abc", digest=ABC))
    assert (found.passed, found.failed) == (1, 1)
    assert found.wrong == {"SIGSEGV in crypto_hash": 1}


def test_after_the_agents_end_the_rest_is_not_tried(package: Package) -> None:
    """The last one is to blame, the others are counted."""

    def deadly(_out: memoryview, _message: memoryview, _length: int) -> None:
        raise AgentLost("the agent ended: SIGKILL")

    session = package("crypto_hash", {"BYTES": 32}, {"": deadly})
    one = answer(AnswerTask.DIGEST, message=b"abc", digest=ABC)
    found = outcome(session, one, one, one)
    assert (found.passed, found.failed) == (0, 1)
    assert found.skipped == {"not tried: the agent had ended": 2}


def test_a_short_output_is_the_beginning_of_the_packages(package: Package) -> None:
    """crypto_hash/shake256 has 136 bytes; a longer output cannot be compared."""

    def shake(out: memoryview, message: memoryview, length: int) -> None:
        out[:136] = hashlib.shake_256(message[:length]).digest(136)

    session = package("crypto_hash", {"BYTES": 136}, {"": shake})
    short = answer(AnswerTask.XOF, message=b"abc", output=hashlib.shake_256(b"abc").digest(20))
    long = answer(AnswerTask.XOF, message=b"abc", output=hashlib.shake_256(b"abc").digest(137))
    found = outcome(session, short, long)
    assert (found.passed, found.failed, sum(found.skipped.values())) == (1, 0, 1)


def test_crypto_xof_gives_any_length(package: Package) -> None:
    """The length is a parameter."""

    def shake(out: memoryview, count: int, message: memoryview, length: int) -> None:
        out[:count] = hashlib.shake_256(message[:length]).digest(count)

    session = package("crypto_xof", {}, {"": shake})
    outputs = [hashlib.shake_256(b"abc").digest(count) for count in (1, 32, 1000)]
    found = outcome(
        session, *(answer(AnswerTask.XOF, message=b"abc", output=one) for one in outputs)
    )
    assert (found.passed, found.good) == (3, True)


def test_chains_follow_nists_monte_carlo_tests(package: Package) -> None:
    """SHAVS 6.4 and SHA3VS 6.2.3, computed here with hashlib."""
    one, three = ABC, [ABC] * 3
    for _ in range(1000):
        one = hashlib.sha256(one).digest()
        three = [*three[1:], hashlib.sha256(b"".join(three)).digest()]
    session = package("crypto_hash", {"BYTES": 32}, {"": sha256})
    found = outcome(
        session,
        answer(AnswerTask.CHAIN, seed=ABC, digest=one),
        answer(AnswerTask.CHAIN_OF_THREE, seed=ABC, digest=three[2]),
        answer(AnswerTask.CHAIN_OF_THREE, seed=ABC, digest=one),
    )
    assert (found.passed, found.failed) == (2, 1)


def test_answers_are_left_when_the_time_is_over(hashing: OperationSession) -> None:
    """At least one is compared, and the rest is counted."""
    one = answer(AnswerTask.DIGEST, message=b"abc", digest=ABC)
    found = verify(hashing, AnswerFile(Path("some"), "some", (one, one, one), {}), 0.0)
    assert (found.passed, sum(found.skipped.values())) == (1, 2)
    assert "not tried" in found.reasons()[0]
