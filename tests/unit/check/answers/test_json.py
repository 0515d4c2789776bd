# SPDX-License-Identifier: MIT
"""ACVP's and Wycheproof's JSON is read: what it asks, what is skipped, damage."""

import json
from pathlib import Path

import pytest
from tests.objects import Json

from assay.check.answers.read import read_answers
from assay.check.answers.records import AnswerFile, AnswerTask, Result
from assay.errors import VectorFormatError

ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4


def read(folder: Path, document: object, name: str = "some.json") -> AnswerFile:
    """Read a document as a file."""
    path = folder / name
    path.write_text(json.dumps(document, indent=1))
    return read_answers(path)


def wycheproof(kind: str, test: Json, **group: object) -> Json:
    """Write one group with one test."""
    tests = [{"tcId": 7, "comment": "why", "flags": ["Odd"], "result": "valid", **test}]
    groups = [{"type": kind, **group, "tests": tests}]
    return {"algorithm": "any", "schema": "any", "numberOfTests": 1, "testGroups": groups}


def acvp(algorithm: str, test: Json, mode: str = "", **group: object) -> Json:
    """Write one group with one test."""
    groups = [{"tgId": 1, "testType": "AFT", **group, "tests": [{"tcId": 7, **test}]}]
    return {"vsId": 1, "algorithm": algorithm, "mode": mode, "testGroups": groups}


def test_a_wycheproof_aead_is_read_with_its_comment(tmp_path: Path) -> None:
    """Evidence repeats what the authors say of a test."""
    test = {"key": "00", "iv": "01", "aad": "02", "msg": "03", "ct": "04", "tag": "05"}
    file = read(tmp_path, wycheproof("AeadTest", {**test, "result": "invalid"}))
    (one,) = file.answers
    assert (file.format, one.task, one.result) == ("Wycheproof", AnswerTask.SEAL, Result.INVALID)
    assert (one.place, one.note, one.flags) == ("some.json tcId 7", "why", ("Odd",))
    assert one.value("ad") == b"\x02"


@pytest.mark.parametrize(
    ("kind", "test", "group", "tasks"),
    [
        ("MacTest", {"key": "00", "msg": "01", "tag": "02"}, {}, [AnswerTask.MAC]),
        ("EddsaVerify", {"msg": "01", "sig": "02"}, {"publicKey": {"pk": "00"}},
         [AnswerTask.VERIFY]),
        ("XdhComp", {"public": "00", "private": "01", "shared": "02"}, {}, [AnswerTask.EXCHANGE]),
        ("MLKEMTest", {"seed": "00", "ek": "01", "c": "02", "K": "03"}, {},
         [AnswerTask.KEYPAIR, AnswerTask.DECAPSULATE]),
        ("MLKEMTest", {"seed": "00", "ek": "01", "c": "02", "K": "03", "result": "invalid"}, {},
         [AnswerTask.DECAPSULATE]),
        ("MLKEMEncapsTest", {"m": "00", "ek": "01", "c": "02", "K": "03"}, {},
         [AnswerTask.ENCAPSULATE]),
        ("MLKEMKeyGen", {"seed": "00", "ek": "01", "dk": "02"}, {}, [AnswerTask.KEYPAIR]),
        ("MLKEMDecapsValidationTest", {"dk": "00", "c": "02", "K": "03"}, {},
         [AnswerTask.DECAPSULATE]),
        ("MlDsaVerify", {"msg": "00", "sig": "01"}, {"publicKey": "02"}, [AnswerTask.VERIFY]),
        ("MlDsaVerify", {"msg": "00", "sig": "01", "ctx": "09"}, {"publicKey": "02"}, []),
        ("MlDsaSign", {"msg": "00", "sig": "01"}, {"privateSeed": "02"}, [AnswerTask.SIGN]),
        ("MlDsaSign", {"mu": "00", "sig": "01"}, {"privateSeed": "02"}, []),
        ("MlDsaSign", {"msg": "00", "sig": "", "result": "invalid"}, {"privateKey": ""}, []),
        ("PrimalityTest", {"value": "03"}, {}, []),
    ],
)  # fmt: skip
def test_wycheproofs_types_ask_these_tasks(
    tmp_path: Path, kind: str, test: Json, group: Json, tasks: list[AnswerTask]
) -> None:
    """What is not asked is counted as skipped."""
    file = read(tmp_path, wycheproof(kind, test, **group))
    assert [one.task for one in file.answers] == tasks
    assert sum(file.skipped.values()) == (not tasks)


@pytest.mark.parametrize(
    ("algorithm", "mode", "test", "group", "tasks"),
    [
        ("SHA2-256", "", {"len": 24, "msg": "616263", "md": ABC}, {}, [AnswerTask.DIGEST]),
        ("SHA3-256", "", {"len": 3, "msg": "60", "md": ABC}, {}, []),
        ("SHA2-256", "", {"msg": ABC, "resultsArray": [{"md": ABC}, {"md": ABC}]},
         {"testType": "MCT"}, [AnswerTask.CHAIN_OF_THREE] * 2),
        ("SHA3-256", "", {"msg": ABC, "resultsArray": [{"md": ABC}]},
         {"testType": "MCT"}, [AnswerTask.CHAIN]),
        ("SHA2-256", "", {"largeMsg": {"content": "00"}, "md": ABC}, {"testType": "LDT"}, []),
        ("SHAKE-128", "", {"len": 8, "msg": "00", "outLen": 16, "md": "0102"}, {},
         [AnswerTask.XOF]),
        ("HMAC-SHA2-256", "", {"key": "00", "msg": "01", "mac": "02"}, {}, [AnswerTask.MAC]),
        ("ACVP-AES-GCM", "", {"key": "00", "iv": "01", "aad": "", "pt": "02", "ct": "03",
                              "tag": "04"}, {"payloadLen": 8}, [AnswerTask.SEAL]),
        ("ACVP-AES-GCM", "", {"key": "00", "aad": "", "pt": "02", "ct": "03", "tag": "04"},
         {}, []),
        ("Ascon", "AEAD128", {"key": "00", "nonce": "01", "ad": "", "pt": "02", "ct": "03",
                              "tag": "04"}, {}, [AnswerTask.SEAL]),
        ("ACVP-AES-CTR", "", {"key": "00", "iv": "01", "pt": "02", "ct": "03"}, {},
         [AnswerTask.STREAM]),
        ("ML-KEM", "keyGen", {"d": "00", "z": "01", "ek": "02", "dk": "03"}, {},
         [AnswerTask.KEYPAIR]),
        ("ML-KEM", "encapDecap", {"ek": "00", "m": "01", "c": "02", "k": "03"},
         {"function": "encapsulation"}, [AnswerTask.ENCAPSULATE]),
        ("ML-KEM", "encapDecap", {"dk": "00", "c": "02", "k": "03"},
         {"function": "decapsulation"}, [AnswerTask.DECAPSULATE]),
        ("ML-KEM", "encapDecap", {"ek": "00", "testPassed": True},
         {"function": "encapsulationKeyCheck"}, []),
        ("ML-DSA", "keyGen", {"seed": "00", "pk": "01", "sk": "02"}, {}, [AnswerTask.KEYPAIR]),
        ("ML-DSA", "sigGen", {"sk": "00", "message": "01", "signature": "02"},
         {"signatureInterface": "external", "preHash": "pure"}, [AnswerTask.SIGN]),
        ("ML-DSA", "sigGen", {"sk": "00", "message": "01", "signature": "02"},
         {"signatureInterface": "internal"}, []),
        ("ML-DSA", "sigVer", {"pk": "00", "message": "01", "signature": "02",
                              "testPassed": False}, {}, [AnswerTask.VERIFY]),
        ("EDDSA", "keyGen", {"d": "00", "q": "01"}, {}, [AnswerTask.KEYPAIR]),
        ("EDDSA", "sigGen", {"d": "00", "message": "01", "signature": "02"}, {},
         [AnswerTask.SIGN]),
        ("EDDSA", "sigVer", {"q": "00", "message": "01", "signature": "02",
                             "testPassed": False}, {}, [AnswerTask.VERIFY]),
        ("EDDSA", "sigVer", {"q": "00", "message": "01", "signature": "02"},
         {"preHash": True}, []),
        ("RSA", "sigVer", {"n": "00"}, {}, []),
    ],
)  # fmt: skip
def test_acvps_algorithms_ask_these_tasks(
    tmp_path: Path,
    algorithm: str,
    mode: str,
    test: Json,
    group: Json,
    tasks: list[AnswerTask],
) -> None:
    """What is not asked is counted as skipped; `testPassed` false is invalid."""
    file = read(tmp_path, acvp(algorithm, test, mode, **group))
    assert file.format == "ACVP"
    assert [one.task for one in file.answers] == tasks
    assert sum(file.skipped.values()) == (not tasks)
    failing = test.get("testPassed") is False
    assert all((one.result is Result.INVALID) == failing for one in file.answers)


def test_the_seed_of_ml_kem_is_d_and_then_z(tmp_path: Path) -> None:
    """FIPS 203, algorithm 19 draws them in this order."""
    test = {"z": "01", "d": "00", "ek": "02", "dk": "03"}
    (one,) = read(tmp_path, acvp("ML-KEM", test, "keyGen")).answers
    assert one.value("random") == b"\x00\x01"


def test_the_next_stretch_of_a_chain_begins_with_the_last_digest(tmp_path: Path) -> None:
    """As in response files."""
    test = {"msg": "00", "resultsArray": [{"md": "01"}, {"md": "02"}]}
    file = read(tmp_path, acvp("SHA2-256", test, testType="MCT"))
    assert [one.value("seed") for one in file.answers] == [b"\x00", b"\x01"]


def test_prompt_and_results_are_put_together_from_either_side(tmp_path: Path) -> None:
    """The folder, the prompt and the results mean the same; version first, or not."""
    prompt = acvp("SHA2-256", {"len": 24, "msg": "616263"})
    results = acvp("SHA2-256", {"md": ABC})
    (tmp_path / "expectedResults.json").write_text(json.dumps([{"acvVersion": "1.0"}, results]))
    (tmp_path / "prompt.json").write_text(json.dumps(prompt))
    for path in (tmp_path, tmp_path / "prompt.json", tmp_path / "expectedResults.json"):
        (one,) = read_answers(path).answers
        assert (one.value("message"), one.value("digest").hex()) == (b"abc", ABC)


def test_half_a_test_asks_for_the_other_half(tmp_path: Path) -> None:
    """Questions without answers are no known answers."""
    with pytest.raises(VectorFormatError, match=r"expectedResults\.json is missing"):
        read(tmp_path, acvp("SHA2-256", {"len": 24, "msg": "616263"}), "prompt.json")


def test_a_value_that_is_not_hexadecimal_is_named_with_its_line(tmp_path: Path) -> None:
    """The line of its tcId."""
    document = wycheproof("MacTest", {"key": "0x", "msg": "", "tag": ""})
    with pytest.raises(VectorFormatError, match=r"some.json:\d+ \(tcId 7\): key = '0x' is not"):
        read(tmp_path, document)


def test_a_value_that_is_absent_is_named(tmp_path: Path) -> None:
    """By the name it should have."""
    with pytest.raises(VectorFormatError, match=r"\(tcId 7\): there is no md"):
        read(tmp_path, acvp("SHA2-256", {"len": 0, "msg": ""}))


def test_an_unknown_result_is_damage(tmp_path: Path) -> None:
    """It must not count as valid."""
    with pytest.raises(VectorFormatError, match="'maybe' is no result"):
        read(tmp_path, wycheproof("MacTest", {"result": "maybe"}))


@pytest.mark.parametrize(
    "groups", [[7], [{"tests": 7}], [{"tests": [7]}], [{"tests": [{"msg": "", "len": "x"}]}]]
)
def test_json_of_another_form_is_refused_with_the_place_before(
    tmp_path: Path, groups: list[object]
) -> None:
    """Whatever stands where groups and tests should be."""
    good = {"tests": [{"tcId": 3, "msg": "", "len": 0, "md": ABC}]}
    document = {"algorithm": "SHA2-256", "testGroups": [good, *groups]}
    with pytest.raises(VectorFormatError, match=r"not the form of ACVP, after some.json tcId 3"):
        read(tmp_path, document)


def test_json_of_others_is_refused(tmp_path: Path) -> None:
    """With what it could have been."""
    with pytest.raises(VectorFormatError, match="neither of ACVP nor of Wycheproof"):
        read(tmp_path, {"some": "thing"})


def test_broken_json_is_named_with_its_line(tmp_path: Path) -> None:
    """As other damage."""
    (tmp_path / "some.json").write_text('{\n"a": 1,\n}')
    with pytest.raises(VectorFormatError, match=r"some.json:3 is no JSON"):
        read_answers(tmp_path / "some.json")


def test_a_member_of_bytes_that_a_reader_does_not_know_is_named(tmp_path: Path) -> None:
    """A MAC with a nonce is no MAC without one; a comment of hexadecimal digits is a comment."""
    test = {"key": "00", "iv": "03", "msg": "01", "tag": "02", "comment": "abcd"}
    (one,) = read(tmp_path, wycheproof("MacTest", test)).answers
    assert one.unfed == ("iv",)
    customised = {"len": 8, "msg": "00", "customization": "0102", "md": ABC}
    (one,) = read(tmp_path, acvp("SHA2-256", customised)).answers
    assert one.unfed == ("customization",)


def test_other_forms_of_a_key_are_named_and_the_hash_of_a_message_is_not(tmp_path: Path) -> None:
    """Wycheproof writes public keys twice, and the hash of a message besides the message."""
    test = {"msg": "01", "sig": "02", "publicKey": "03", "publicKeyDer": "0405", "mu": "06"}
    (one,) = read(tmp_path, wycheproof("MlDsaVerify", test)).answers
    assert one.unfed == ("publicKeyDer",)
