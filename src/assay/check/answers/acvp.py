# SPDX-License-Identifier: MIT
"""ACVP's JSON: `internalProjection.json`, or `prompt.json` beside `expectedResults.json`.

All three have groups (`tgId`) of tests (`tcId`); questions and answers are put together
by these numbers. The outer list of the protocol (version first) is accepted, too.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assay.check.answers.records import MOST_BYTES, AnswerTask, Found, KnownAnswer, Result, Skip
from assay.check.answers.wycheproof import CONTEXT, CURE, RND_BYTES, Test, Unasked, complete
from assay.errors import VectorFormatError

PROMPT, RESULTS = "prompt.json", "expectedResults.json"


def is_acvp(document: object) -> bool:
    """Return whether a JSON document looks like one of ACVP's."""
    inner = _inner(document)
    return isinstance(inner, dict) and "testGroups" in inner and "algorithm" in inner


def answers(document: object, text: str, path: Path) -> Iterator[Found]:
    """Read a file, and the other half beside it if there is one."""
    inner = _inner(document)
    inner = _join(inner, _other_half(path))
    read = reader(str(inner.get("algorithm")), str(inner.get("mode", "")))
    for group in inner["testGroups"]:
        shared = {key: value for key, value in group.items() if key != "tests"}
        for members in group.get("tests", []):
            test = Test(path.name, text, {**shared, **members})
            if read is None:
                name = " ".join(str(inner.get(key, "")) for key in ("algorithm", "mode")).strip()
                yield Skip(f"ACVP tests of {name}: no operation has them")
            else:
                yield from complete(test, read(test))


def _inner(document: object) -> Any:
    """Return the vector set inside the protocol's list."""
    if isinstance(document, list):
        return next((one for one in document if isinstance(one, dict) and "testGroups" in one), {})
    return document


def _other_half(path: Path) -> Any:
    """Return the answers to a prompt, or the prompt of answers; None for other names."""
    other = {PROMPT: RESULTS, RESULTS: PROMPT}.get(path.name)
    if other is None:
        return None
    beside = path.with_name(other)
    if not beside.exists():
        raise VectorFormatError(
            f"{path} is one half of a test, and {other} is missing next to it",
            f"Put {PROMPT} and {RESULTS} into one folder, or give an internalProjection.json.",
        )
    try:
        return _inner(json.loads(_content(beside)))
    except ValueError as error:
        raise VectorFormatError(f"{beside} is no JSON: {error}", CURE) from None


def _content(path: Path) -> bytes:
    """Read a file of no more than what is read of any answers."""
    if path.stat().st_size > MOST_BYTES:
        what = f"{path} is larger than {MOST_BYTES >> 20} MiB"
        raise VectorFormatError(what, "Divide the file.")
    return path.read_bytes()


def _join(one: Mapping[str, Any], other: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Put the halves together, test by test."""
    if other is None:
        return one
    groups = {group["tgId"]: group for group in other["testGroups"]}
    joined = []
    for group in one["testGroups"]:
        partner = groups.get(group["tgId"], {"tests": []})
        tests = {test["tcId"]: test for test in partner["tests"]}
        both = [{**test, **tests.get(test["tcId"], {})} for test in group["tests"]]
        joined.append({**partner, **group, "tests": both})
    return {**other, **one, "testGroups": joined}


Reading = Callable[[Test], Iterator[KnownAnswer]]


def reader(algorithm: str, mode: str) -> Reading | None:
    """Find what reads the tests of an algorithm; None if no operation has it."""
    for pattern, read in READERS:
        if re.fullmatch(pattern, f"{algorithm}/{mode}", re.IGNORECASE):
            return read
    return None


def _result(test: Test) -> Result:
    return Result.VALID if test.get("testPassed", True) else Result.INVALID


def _answer(
    test: Test, task: AnswerTask, values: Mapping[str, bytes], result: Result = Result.VALID
) -> KnownAnswer:
    note = str(test.get("reason") or "")
    return KnownAnswer(task, test.place, values, result, note)


def _cut(test: Test, why: str, *, name: str, bits: str) -> bytes:
    """Return a value cut to its length in bits; Unasked if that is none of it in whole bytes."""
    value = test.data(name)
    length = test.get(bits, len(value) * 8)
    if length % 8 or not 0 <= length <= len(value) * 8:
        raise Unasked(why)
    return value[: length // 8]


def _hash(chain: AnswerTask, test: Test) -> Iterator[KnownAnswer]:
    if test.get("testType") == "MCT":
        yield from _chain(test, chain)
    else:
        yield from _digest(test)


def _digest(test: Test) -> Iterator[KnownAnswer]:
    if not test.has("msg"):
        raise Unasked("a message of gigabytes (LDT)")
    message = _cut(test, "a message that ends inside a byte", name="msg", bits="len")
    yield _answer(test, AnswerTask.DIGEST, {"message": message, "digest": test.data("md")})


def _chain(test: Test, task: AnswerTask) -> Iterator[KnownAnswer]:
    """Yield the stretches of a Monte Carlo test: each begins with the last one's digest."""
    if test.get("mctVersion") == "alternate":
        raise Unasked("an alternate Monte Carlo test")
    seed = test.data("msg")
    for number, one in enumerate(test.get("resultsArray") or []):
        stretch = replace(test, members={**one, "tcId": test.get("tcId")})
        answer = KnownAnswer(
            task, f"{test.place}, {number}", {"seed": seed, "digest": stretch.data("md")}
        )
        seed = answer.values["digest"]
        yield answer


def _xof(test: Test) -> Iterator[KnownAnswer]:
    if test.get("testType") == "MCT":
        raise Unasked("a Monte Carlo chain of a XOF, whose lengths depend on its outputs")
    why = "a message or an output that ends inside a byte"
    if not test.has("msg", "md"):
        raise Unasked(why)
    message = _cut(test, why, name="msg", bits="len")
    output = _cut(test, why, name="md", bits="outLen")
    yield _answer(test, AnswerTask.XOF, {"message": message, "output": output})


def _mac(test: Test) -> Iterator[KnownAnswer]:
    why, text = "a key, message or tag that ends inside a byte", test.has("message")
    lengths = {
        "key": ("key", "keyLen"),
        "message": ("message" if text else "msg", "msgLen"),
        "tag": ("mac", "macLen"),
    }
    values = {
        ours: _cut(test, why, name=name, bits=bits) for ours, (name, bits) in lengths.items()
    }
    yield _answer(test, AnswerTask.MAC, values, _result(test))


def _aead(test: Test) -> Iterator[KnownAnswer]:
    names = {"key": "key", "nonce": "nonce" if test.has("nonce") else "iv", "ciphertext": "ct",
             "ad": "ad" if test.has("ad") else "aad", "message": "pt", "tag": "tag"}  # fmt: skip
    values = test.values(names)
    result = _result(test)
    bits = ("payloadLen", "aadLen", "adLen", "ptLen", "ctLen", "tagLen", "ivLen")
    if any(isinstance(test.get(name), int) and test.get(name) % 8 for name in bits):
        raise Unasked("a message that ends inside a byte")
    if test.get("secondKey"):
        raise Unasked("a nonce that is masked with a second key")
    needed = {"key", "nonce", "ciphertext", *(("message",) if result is Result.VALID else ())}
    if not needed <= set(values):
        raise Unasked("an encryption whose nonce or message the package would choose")
    yield _answer(test, AnswerTask.SEAL, values, result)


def _stream(test: Test) -> Iterator[KnownAnswer]:
    values = test.values({"key": "key", "nonce": "iv", "message": "pt", "ciphertext": "ct"})
    bits = test.get("payloadLen", 0)
    if test.get("testType") not in {None, "AFT"} or len(values) < 4 or bits % 8:
        raise Unasked("a counter of its own, or a message that ends inside a byte")
    yield _answer(test, AnswerTask.STREAM, values)


def _keys(random: tuple[str, ...], public: str, secret: str, test: Test) -> Iterator[KnownAnswer]:
    """Yield a key pair, by the members that have its random bytes and its parts."""
    values = {"random": b"".join(map(test.data, random))}
    values |= {"public": test.data(public), "secret": test.data(secret)}
    yield _answer(test, AnswerTask.KEYPAIR, values)


def _ml_kem(test: Test) -> Iterator[KnownAnswer]:
    if "check" in str(test.get("function", "")).lower():
        raise Unasked("a check of keys alone: crypto_kem has no such function")
    both = {"ciphertext": test.data("c"), "shared": test.data("k")}
    if test.get("function") == "encapsulation":
        given = {"public": test.data("ek"), "random": test.data("m")}
        yield _answer(test, AnswerTask.ENCAPSULATE, {**given, **both})
    else:
        yield _answer(test, AnswerTask.DECAPSULATE, {"secret": test.data("dk"), **both})


def _require_fit(test: Test) -> None:
    """Raise Unasked where crypto_sign cannot be asked a test of ML-DSA."""
    if test.get("signatureInterface") == "internal" or not test.has("message"):
        raise Unasked("the internal interface of ML-DSA: crypto_sign has the external one")
    if test.get("preHash", "pure") not in {"pure", "none", False}:
        raise Unasked("a signature of a hash: crypto_sign takes messages")
    if test.get("context"):
        raise Unasked(CONTEXT)


def _ml_dsa_signing(test: Test) -> Iterator[KnownAnswer]:
    _require_fit(test)
    values = test.values({"secret": "sk", "message": "message", "signature": "signature"})
    rnd = test.data("rnd") if test.get("rnd") else bytes(RND_BYTES)
    yield _answer(test, AnswerTask.SIGN, {"random": rnd, **values})


def _ml_dsa_verification(test: Test) -> Iterator[KnownAnswer]:
    _require_fit(test)
    values = test.values({"public": "pk", "message": "message", "signature": "signature"})
    yield _answer(test, AnswerTask.VERIFY, values, _result(test))


def _eddsa_keys(test: Test) -> Iterator[KnownAnswer]:
    if not test.has("d", "q"):
        raise Unasked("a key pair whose secret key the file does not have")
    keys = {"random": test.data("d"), "public": test.data("q")}
    yield _answer(test, AnswerTask.KEYPAIR, keys)


def _eddsa(test: Test) -> Iterator[KnownAnswer]:
    if test.get("preHash") or test.get("context"):
        raise Unasked(CONTEXT)
    both = test.values({"message": "message", "signature": "signature"})
    if test.has("testPassed"):
        given = {"public": test.data("q"), **both}
        yield _answer(test, AnswerTask.VERIFY, given, _result(test))
    elif test.has("d"):
        yield _answer(test, AnswerTask.SIGN, {"key_random": test.data("d"), **both})
    else:
        yield _answer(test, AnswerTask.VERIFY, {"public": test.data("q"), **both})


READERS: tuple[tuple[str, Reading], ...] = (
    (r"(SHA-1|SHA1|SHA2?-\d+(/\d+)?)/", partial(_hash, AnswerTask.CHAIN_OF_THREE)),
    (r"SHA3-\d+/", partial(_hash, AnswerTask.CHAIN)),
    (r"Ascon/Hash256", _digest),
    (r"(SHAKE-?\d+/|Ascon/XOF128)", _xof),
    (r"(HMAC-.*|CMAC-.*)/", _mac),
    (r"(ACVP-AES-(GCM|CCM|GCM-SIV)/|Ascon/AEAD128)", _aead),
    (r"ACVP-AES-CTR/", _stream),
    (r"ML-KEM/keyGen", partial(_keys, ("d", "z"), "ek", "dk")),
    (r"ML-KEM/encapDecap", _ml_kem),
    (r"ML-DSA/keyGen", partial(_keys, ("seed",), "pk", "sk")),
    (r"ML-DSA/sigGen", _ml_dsa_signing),
    (r"ML-DSA/sigVer", _ml_dsa_verification),
    (r"EDDSA/keyGen", _eddsa_keys),
    (r"EDDSA/sig(Gen|Ver)", _eddsa),
)
