# SPDX-License-Identifier: MIT
"""Wycheproof's JSON: groups of a type, tests with `result` valid, invalid or acceptable."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from assay.check.answers.fields import CURE, Test, complete
from assay.check.answers.records import AnswerTask, Found, KnownAnswer, Result, Skip
from assay.errors import VectorFormatError

RND_BYTES = 32  # FIPS 204: rnd is 32 zero bytes in the deterministic variant


def is_wycheproof(document: object) -> bool:
    """Return whether a JSON document looks like one of Wycheproof's."""
    if not isinstance(document, dict):
        return False
    groups = document.get("testGroups")
    return isinstance(groups, list) and ("schema" in document or "numberOfTests" in document)


def answers(document: Mapping[str, Any], text: str, name: str) -> Iterator[Found]:
    """Read a file; VectorFormatError names the test that is damaged."""
    for group in document["testGroups"]:
        kind = str(group.get("type"))
        reader = READERS.get(kind)
        shared = {key: value for key, value in group.items() if key != "tests"}
        for members in group.get("tests", []):
            test = Test(name, text, {**shared, **members})
            if reader is None:
                yield Skip(f"Wycheproof tests of the type {kind}: no operation has them")
            else:
                yield from complete(test, reader(test))


def _answer(test: Test, task: AnswerTask, values: Mapping[str, bytes]) -> Found:
    said = test.get("result")
    if said not in set(Result):
        raise VectorFormatError(f"{test.place}: {said!a} is no result", CURE)
    flags = tuple(map(str, test.get("flags") or ()))
    return KnownAnswer(
        task, test.place, values, Result(said), str(test.get("comment") or ""), flags
    )


def _plain(task: AnswerTask, spellings: Mapping[str, str], test: Test) -> Iterator[Found]:
    """Yield the answer of a test that has one, by what the file calls its values."""
    yield _answer(test, task, test.values(spellings))


def _eddsa(test: Test) -> Iterator[Found]:
    public = Test(test.name, test.text, {**test.get("publicKey", {}), "tcId": test.get("tcId")})
    values = {"public": public.data("pk"), **test.values({"message": "msg", "signature": "sig"})}
    yield _answer(test, AnswerTask.VERIFY, values)


def _ml_kem(test: Test) -> Iterator[Found]:
    """Yield the key pair, if the test is a good one, and the decapsulation.

    An invalid test has a seed or a ciphertext of a wrong length, or a wrong K.
    """
    keys = test.values({"random": "seed", "public": "ek"})
    if test.get("result") == Result.VALID and "public" in keys:
        yield _answer(test, AnswerTask.KEYPAIR, keys)
    values = test.values({"key_random": "seed", "ciphertext": "c", "shared": "K"})
    yield _answer(test, AnswerTask.DECAPSULATE, values)


def _ml_dsa_verification(test: Test) -> Iterator[Found]:
    if test.get("ctx"):
        yield Skip("a signature with a context: crypto_sign has none")
        return
    values = test.values({"public": "publicKey", "message": "msg", "signature": "sig"})
    yield _answer(test, AnswerTask.VERIFY, values)


def _ml_dsa_signing(test: Test) -> Iterator[Found]:
    if test.get("ctx"):
        yield Skip("a signature with a context: crypto_sign has none")
        return
    if not test.has("msg"):
        yield Skip("a signature of a message's hash (mu): crypto_sign takes messages")
        return
    if test.get("result") != Result.VALID:
        yield Skip("a secret key that signing should refuse: crypto_sign cannot")
        return
    rnd = test.data("rnd") if test.has("rnd") else bytes(RND_BYTES)
    keys = test.values({"secret": "privateKey", "key_random": "privateSeed"})
    values = {**keys, "random": rnd, **test.values({"message": "msg", "signature": "sig"})}
    yield _answer(test, AnswerTask.SIGN, values)


_SEALED = {"key": "key", "nonce": "iv", "ad": "aad", "message": "msg", "ciphertext": "ct",
           "tag": "tag"}  # fmt: skip
_EXCHANGED = {"public": "public", "secret": "private", "shared": "shared"}
_ENCAPSULATED = {"public": "ek", "random": "m", "ciphertext": "c", "shared": "K"}
_DECAPSULATED = {"secret": "dk", "ciphertext": "c", "shared": "K"}

READERS: dict[str, Callable[[Test], Iterator[Found]]] = {
    "AeadTest": partial(_plain, AnswerTask.SEAL, _SEALED),
    "MacTest": partial(_plain, AnswerTask.MAC, {"key": "key", "message": "msg", "tag": "tag"}),
    "EddsaVerify": _eddsa,
    "XdhComp": partial(_plain, AnswerTask.EXCHANGE, _EXCHANGED),
    "MLKEMTest": _ml_kem,
    "MLKEMEncapsTest": partial(_plain, AnswerTask.ENCAPSULATE, _ENCAPSULATED),
    "MLKEMKeyGen": partial(
        _plain, AnswerTask.KEYPAIR, {"random": "seed", "public": "ek", "secret": "dk"}
    ),
    "MLKEMDecapsValidationTest": partial(_plain, AnswerTask.DECAPSULATE, _DECAPSULATED),
    "MlDsaVerify": _ml_dsa_verification,
    "MlDsaSign": _ml_dsa_signing,
}
