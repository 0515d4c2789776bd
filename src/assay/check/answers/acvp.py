# SPDX-License-Identifier: MIT
"""ACVP's JSON: `internalProjection.json`, or `prompt.json` beside `expectedResults.json`.

All three have groups (`tgId`) of tests (`tcId`); questions and answers are put together
by these numbers. The outer list of the protocol (version first) is accepted, too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.check.answers.acvp_algorithms import reader
from assay.check.answers.fields import CURE, Test, complete
from assay.check.answers.records import MOST_BYTES, KnownAnswer, Skip
from assay.errors import VectorFormatError

PROMPT, RESULTS = "prompt.json", "expectedResults.json"

Found = KnownAnswer | Skip


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
        return _inner(json.loads(_read(beside)))
    except ValueError as error:
        raise VectorFormatError(f"{beside} is no JSON: {error}", CURE) from None


def _read(path: Path) -> bytes:
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
