# SPDX-License-Identifier: MIT
"""Digests that stand for KAT files: the first answer is made, written as NIST does, and digested.

Seed, message and random bytes are those of the first answer in the KAT files of Kyber
(three requests for 32 bytes: d, z and the message), as its third submission published them.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.check.answers.conftest import FakeSession, Package

from assay.check.answers.read import read_answers
from assay.check.answers.records import (
    AnswerFile,
    AnswerTask,
    FileAgreement,
    KnownAnswer,
)
from assay.check.answers.sessions import signed_forms
from assay.check.answers.verify import own_name, verify
from assay.check.operation.session import OperationSession
from assay.errors import VectorFormatError

Signing = Callable[[Callable[[bytes, bytes], bytes]], FakeSession]
SEED = (
    "061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7"
    "056A8C266F9EF97ED08541DBD2E1FFA1"
)
MESSAGE = "D81C4D8D734FCBFBEADE3D3F8A039FAA2A2C9957E835AD55B22E75BF57BB556AC8"
D = "7C9935A0B07694AA0C6D10E4DB6B1ADD2FD81A25CCB148032DCD739936737F2D"
Z = "8626ED79D451140800E03B59B956F8210E556067407D13DC90FA9E8B872BFB8F"
M = "147C03F7A5BEBBA406C8FAE1874D7F13C80EFE79A3A9A874CC09FE76F6997615"
KEM = {"PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 32, "CIPHERTEXTBYTES": 32, "BYTES": 32}
SIGN = {"PUBLICKEYBYTES": 32, "SECRETKEYBYTES": 32, "BYTES": 32}


def kem_text(public: str = D, secret: str = Z, coins: str = M, seed: str = SEED) -> str:
    """Write the first answer of the toy KEM."""
    return f"count = 0\nseed = {seed}\npk = {public}\nsk = {secret}\nct = {coins}\nss = {coins}\n"


def sign_text(signed: str) -> str:
    """Write the first answer of the toy signature scheme."""
    head = f"count = 0\nseed = {SEED}\nmlen = 33\nmsg = {MESSAGE}\n"
    return f"{head}pk = {D}\nsk = {Z}\nsmlen = {len(signed) // 2}\nsm = {signed}\n"


def first(text: str, of: str = "") -> KnownAnswer:
    """Make the answer that has this text's digest."""
    digest = hashlib.sha256(text.encode()).digest()
    return KnownAnswer(AnswerTask.FIRST, "some:1", {"sha256": digest}, of=of)


def outcome(session: OperationSession, *answers: KnownAnswer) -> FileAgreement:
    """Compare some answers."""
    return verify(session, AnswerFile(Path("some"), "some", answers))


@pytest.fixture
def kem(package: Package) -> FakeSession:
    """Make a KEM whose keys, ciphertexts and secrets are what randombytes gave."""

    def keypair(public: memoryview, secret: memoryview) -> None:
        public[:32] = made.randombytes(32)
        secret[:32] = made.randombytes(32)

    def enc(ciphertext: memoryview, shared: memoryview, _public: memoryview) -> None:
        ciphertext[:32] = made.randombytes(32)
        shared[:32] = ciphertext[:32]

    made = package("crypto_kem", KEM, {"_keypair": keypair, "_enc": enc})
    return made


@pytest.fixture
def signing(package: Package) -> Signing:
    """Give what makes a signature scheme whose signature is what randombytes gave."""

    def make(together: Callable[[bytes, bytes], bytes]) -> FakeSession:
        def keypair(public: memoryview, secret: memoryview) -> None:
            public[:32] = made.randombytes(32)
            secret[:32] = made.randombytes(32)

        def sign(
            out: memoryview, size: list[int], message: memoryview, length: int, _: memoryview
        ) -> None:
            whole = together(made.randombytes(32), bytes(message[:length]))
            out[: len(whole)], size[0] = whole, len(whole)

        made = package("crypto_sign", SIGN, {"_keypair": keypair, "": sign})
        return made

    return make


def test_the_first_answer_is_written_as_nist_does(kem: FakeSession) -> None:
    """Its digest is that of the published bytes."""
    assert outcome(kem, first(kem_text())).good


@pytest.mark.parametrize("changed", ["public", "secret", "coins", "seed"])
def test_every_value_counts(kem: FakeSession, changed: str) -> None:
    """A digest shows that something differs, and not what."""
    found = outcome(kem, first(kem_text(**{changed: M if changed != "coins" else D})))
    assert (found.passed, found.wrong) == (0, {"the SHA-256 of the text of the first answer": 1})


@pytest.mark.parametrize(("domain", "good"), [(b"\0", True), (b"\1", True), (b"\2", False)])
def test_hqc_draws_from_shake(kem: FakeSession, domain: bytes, good: bool) -> None:
    """Its seed too; the domain's byte, 0 in liboqs and 1 in PQClean, ends what begins it."""
    seed = hashlib.shake_256(bytes(range(48)) + domain).digest(48)
    drawn = hashlib.shake_256(seed + domain).hexdigest(96).upper()
    text = kem_text(drawn[:64], drawn[64:128], drawn[128:], seed.hex().upper())
    assert outcome(kem, first(text)).good is good


@pytest.mark.parametrize(
    ("signed", "good"), [(M + MESSAGE, True), (MESSAGE + M, True), (M + MESSAGE[::-1], False)]
)
def test_a_signed_message_may_begin_with_either_part(
    signing: Signing, signed: str, good: bool
) -> None:
    """The files of liboqs have the order of each submission, its functions do not."""
    session = signing(lambda signature, message: signature + message)
    assert outcome(session, first(sign_text(signed))).good is good


def test_the_packages_own_order_is_not_turned_round(signing: Signing) -> None:
    """A package that puts the message first is not right where the file has it last."""
    session = signing(lambda signature, message: message + signature)
    assert outcome(session, first(sign_text(MESSAGE + M))).good
    assert not outcome(session, first(sign_text(M + MESSAGE))).good


def test_falcons_signed_messages_have_the_length_first() -> None:
    """Falcon's specification, 3.11.3 and 3.11.6: length, salt, message, header 0x29, signature."""
    salt, rest, message = bytes(range(40)), b"compressed", b"the message"
    liboqs = b"\x39" + salt + rest + message + (51).to_bytes(2, "little")
    wanted = (11).to_bytes(2, "big") + salt + message + b"\x29" + rest
    assert list(signed_forms(liboqs, message)) == [liboqs, wanted]


def test_liboqs_names_its_algorithms(tmp_path: Path, kem: FakeSession) -> None:
    """Of a file with several only the package's own is compared: it is called toy."""
    good = hashlib.sha256(kem_text().encode()).hexdigest()
    rows = {"TOY": {"all": "00" * 32, "single": good}, "O-Y": {"single": "00" * 32}}
    path = tmp_path / "kats.json"
    path.write_text(json.dumps(rows))
    found = verify(kem, read_answers(path))
    assert (found.passed, found.failed, found.skipped) == (1, 0, {})
    path.write_text(json.dumps({"Other": {"single": good}}))
    found = verify(kem, read_answers(path))
    assert (found.compared, found.skipped) == (0, {"they are of other primitives": 1})


@pytest.mark.parametrize(
    ("primitive", "name"),
    [("ml_kem_512", "ML-KEM-512"), ("uov_ov_Is", "OV-Is"), ("uov_ov_Is_pkc", "OV-Is-pkc"),
     ("falcon_padded_512", "Falcon-padded-512"), ("ml_kem_1024", "")],
)  # fmt: skip
def test_names_are_compared_without_punctuation(primitive: str, name: str) -> None:
    """The longest that ends the primitive's name is its own."""
    names = ("ML-KEM-512", "OV-Is", "OV-Is-pkc", "pkc", "Falcon-512", "Falcon-padded-512")
    assert own_name(primitive, [first("", of=one) for one in names]) == name


def test_pqclean_has_the_digest_in_its_description(tmp_path: Path, kem: FakeSession) -> None:
    """A single one is that of the package beside it, whatever its name."""
    digest = hashlib.sha256(kem_text().encode()).hexdigest()
    path = tmp_path / "META.yml"
    path.write_text(f"name: Foo512\ntype: kem\nnistkat-sha256: {digest}\n")
    file = read_answers(path)
    assert [one.place for one in file.answers] == ["META.yml:3"]
    assert verify(kem, file).good


def test_a_description_of_several_names_each(tmp_path: Path, kem: FakeSession) -> None:
    """As mldsa-native has it."""
    digest = hashlib.sha256(kem_text().encode()).hexdigest()
    path = tmp_path / "META.yml"
    path.write_text(
        "name: ML\nimplementations:\n"
        f"  - name: Toy\n    kat-sha256: {'1' * 64}\n    nistkat-sha256: {digest}\n"
        f"  - name: Toy-2\n    nistkat-sha256: {'2' * 64}\n"
    )
    assert verify(kem, read_answers(path)).good


def test_json_without_digests_is_refused(tmp_path: Path) -> None:
    """Half a table is none."""
    path = tmp_path / "kats.json"
    path.write_text(json.dumps({"A": {"single": "00" * 32}, "B": {"single": "00"}}))
    with pytest.raises(VectorFormatError, match="neither of ACVP nor of Wycheproof"):
        read_answers(path)
