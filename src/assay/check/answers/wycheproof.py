# SPDX-License-Identifier: MIT
"""Members of JSON vectors as what they should be, and Wycheproof's JSON.

A wrong member is named with its line. Wycheproof has groups of a type, tests with `result` valid,
invalid or acceptable.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from msgspec.structs import replace

from assay.check.answers.records import AnswerTask, Found, KnownAnswer, Result, Skip
from assay.errors import VectorFormatError

SHOWN = 40
DESCRIPTIVE = frozenset(("comment", "reason", "flags", "result", "source"))
EXPANDED = frozenset(  # what follows from other members, or is written once more
    ("ek", "dk", "pk", "sk", "d", "q", "publicKey", "privateKey", "privateSeed", "seed", "mu")
)
REPEATING = ("der", "pkcs8", "pem", "jwk")
"""Endings of fields that repeat a key of the same answer in another encoding."""
CONTEXT = "a signature with a context: crypto_sign has none"
RND_BYTES = 32  # FIPS 204: rnd is 32 zero bytes in the deterministic variant
_BYTES = re.compile(r"(?:[0-9a-fA-F]{2})+")
DIGITS = re.compile(r"-?[0-9]{1,18}")
CURE = "docs/reference/known-answers.md shows the formats."


def whole_number(text: str) -> int:
    """Return a number of at most 18 digits; VectorFormatError for more: no length has as many."""
    if not DIGITS.fullmatch(text):
        raise VectorFormatError(f"{text[:SHOWN]}... is no number of at most 18 digits", CURE)
    return int(text)


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a JSON file, with what its group says; `text` is the whole file.

    `known` collects the names of members that somebody asked for.
    """

    name: str
    text: str
    members: Mapping[str, Any]
    known: set[str] = field(default_factory=set, compare=False)

    @property
    def place(self) -> str:
        """Where it stands: the file and the test's number in it."""
        return f"{self.name} tcId {self.members.get('tcId', '?')}"

    def has(self, *names: str) -> bool:
        """Return whether all these are there."""
        self.known.update(names)
        return all(name in self.members for name in names)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a member as JSON has it."""
        self.known.add(name)
        return self.members.get(name, default)

    @property
    def unfed(self) -> tuple[str, ...]:
        """Name the members with bytes that nobody has asked for, less those that follow.

        Keys in other encodings are named whatever they look like.
        """
        spared = self.known | DESCRIPTIVE | EXPANDED
        return tuple(
            name
            for name, value in self.members.items()
            if name not in spared
            and (
                name.lower().endswith(REPEATING)
                or (isinstance(value, str) and _BYTES.fullmatch(value))
            )
        )

    def data(self, *names: str) -> bytes:
        """Return the first of these that is there, as bytes; VectorFormatError if it is wrong."""
        self.known.update(names)
        name = next((one for one in names if one in self.members), None)
        if name is None:
            raise VectorFormatError(f"{self._line()}: there is no {' or '.join(names)}", CURE)
        value = self.members[name]
        try:
            return bytes.fromhex(value)
        except (TypeError, ValueError):
            said = str(value)[:SHOWN]
            raise VectorFormatError(
                f"{self._line()}: {name} = {said!a} is not hexadecimal", CURE
            ) from None

    def values(self, spellings: Mapping[str, str]) -> dict[str, bytes]:
        """Return those of our names whose member is there: `{"public": "ek"}`."""
        return {ours: self.data(name) for ours, name in spellings.items() if self.has(name)}

    def _line(self) -> str:
        """Name the line of the test's number, counted in the text."""
        number = re.escape(str(self.get("tcId")))
        found = re.search(rf'"tcId"\s*:\s*{number}\b', self.text)
        line = self.text.count("\n", 0, found.start()) + 1 if found else "?"
        return f"{self.name}:{line} (tcId {self.get('tcId', '?')})"


class Unasked(Exception):
    """No package can be asked a test; the text says why."""


def complete(test: Test, found: Iterable[KnownAnswer]) -> Iterator[Found]:
    """Name in each answer the members of its test that its reader does not know."""
    try:
        every = tuple(found)  # the last of them may be the one that asks for a member
    except Unasked as why:
        yield Skip(str(why))
        return
    for one in every:
        yield replace(one, unfed=test.unfed)


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


def _answer(test: Test, task: AnswerTask, values: Mapping[str, bytes]) -> KnownAnswer:
    said = test.get("result")
    if said not in set(Result):
        raise VectorFormatError(f"{test.place}: {said!a} is no result", CURE)
    flags = tuple(map(str, test.get("flags") or ()))
    return KnownAnswer(
        task, test.place, values, Result(said), str(test.get("comment") or ""), flags
    )


def _plain(task: AnswerTask, spellings: Mapping[str, str], test: Test) -> Iterator[KnownAnswer]:
    """Yield the answer of a test that has one, by what the file calls its values."""
    yield _answer(test, task, test.values(spellings))


def _eddsa(test: Test) -> Iterator[KnownAnswer]:
    public = Test(test.name, test.text, {**test.get("publicKey", {}), "tcId": test.get("tcId")})
    values = {"public": public.data("pk"), **test.values({"message": "msg", "signature": "sig"})}
    yield _answer(test, AnswerTask.VERIFY, values)


def _ml_kem(test: Test) -> Iterator[KnownAnswer]:
    """Yield the key pair, if the test is a good one, and the decapsulation.

    An invalid test has a seed or a ciphertext of a wrong length, or a wrong K.
    """
    keys = test.values({"random": "seed", "public": "ek"})
    if test.get("result") == Result.VALID and "public" in keys:
        yield _answer(test, AnswerTask.KEYPAIR, keys)
    values = test.values({"key_random": "seed", "ciphertext": "c", "shared": "K"})
    yield _answer(test, AnswerTask.DECAPSULATE, values)


def _ml_dsa_verification(test: Test) -> Iterator[KnownAnswer]:
    if test.get("ctx"):
        raise Unasked(CONTEXT)
    values = test.values({"public": "publicKey", "message": "msg", "signature": "sig"})
    yield _answer(test, AnswerTask.VERIFY, values)


def _ml_dsa_signing(test: Test) -> Iterator[KnownAnswer]:
    if test.get("ctx"):
        raise Unasked(CONTEXT)
    if not test.has("msg"):
        raise Unasked("a signature of a message's hash (mu): crypto_sign takes messages")
    if test.get("result") != Result.VALID:
        raise Unasked("a secret key that signing should refuse: crypto_sign cannot")
    rnd = test.data("rnd") if test.has("rnd") else bytes(RND_BYTES)
    keys = test.values({"secret": "privateKey", "key_random": "privateSeed"})
    values = {**keys, "random": rnd, **test.values({"message": "msg", "signature": "sig"})}
    yield _answer(test, AnswerTask.SIGN, values)


_SEALED = {"key": "key", "nonce": "iv", "ad": "aad", "message": "msg", "ciphertext": "ct",
           "tag": "tag"}  # fmt: skip
_EXCHANGED = {"public": "public", "secret": "private", "shared": "shared"}
_ENCAPSULATED = {"public": "ek", "random": "m", "ciphertext": "c", "shared": "K"}
_DECAPSULATED = {"secret": "dk", "ciphertext": "c", "shared": "K"}

READERS: dict[str, Callable[[Test], Iterator[KnownAnswer]]] = {
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
