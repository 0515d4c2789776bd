# SPDX-License-Identifier: MIT
"""What a bundle states of its results: an in-toto statement, made of the store alone.

So whoever reads a bundle can make it again, and compare. What was signed is compared member by
member with what is found; a member that this version does not know is left alone.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from assay import __version__
from assay.errors import AssayError
from assay.model import Machine
from assay.report.printable import printable
from assay.store import Store

TYPE = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:assay:results:v1"
LARGEST_BYTES = 64 << 20
MADE = "made"  # the part of the predicate that the results do not say: by what and when
SHOWN = 100  # characters of a value that differs


class StatementError(AssayError):
    """A statement that is none, or of another form."""


def statement_of(
    store: Store, files: Mapping[str, str], made: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the statement on a store; `files` are the SHA-256 of the files of the archive."""
    cells = store.cells()
    keys = [one.key for one in cells if one.key]
    predicate = {
        MADE: dict(made or {}),
        "assay": machine.assay if (machine := store.machine()) else "",
        "harness": sorted({one.harness for one in keys}),
        "jails": sorted({one.build.jail for one in cells} - {""}),
        "machine": _facts(machine) if machine else {},
        "doctor": _doctor(machine) if machine else {},
        "compilers": list(machine.compilers) if machine else [],
        "configurations": {
            one.name: one.command_line for one in store.configurations()
        },
        "campaigns": [
            {"arguments": list(one.arguments), "startedAt": one.started_at,
             "finishedAt": one.finished_at} for one in store.campaigns()
        ],
    }  # fmt: skip
    about = statement_on(files)
    return {**about, "subject": [*about["subject"], *_codes(store)], "predicate": predicate}


def statement_on(files: Mapping[str, str]) -> dict[str, Any]:
    """Return the statement on files alone."""
    about = [{"name": name, "digest": {"sha256": digest}} for name, digest in files.items()]
    return {"_type": TYPE, "subject": about, "predicateType": PREDICATE, "predicate": {}}


def only_files(statement: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a statement says of files, and nothing else."""
    files = [one for one in statement["subject"] if "sha256" in one["digest"]]
    return {"subject": files, "predicate": {}}


def written(statement: Mapping[str, Any]) -> bytes:
    """Return a statement as bytes to sign."""
    return json.dumps(statement, indent=1).encode() + b"\n"


def maker(moment: str) -> dict[str, str]:
    """Return what the results do not say: which Assay makes the statement, and when."""
    return {"assay": __version__, "at": moment}


def read_statement(data: bytes) -> dict[str, Any]:
    """Read a statement that a stranger wrote; StatementError if it is none of Assay's."""
    try:
        found = json.loads(data)
        kind, predicate = found["_type"], found["predicateType"]
        subjects = {one["name"]: dict(one["digest"]) for one in found["subject"]}
        fits = all(isinstance(one, dict) for one in (found["predicate"], _made(found)))
        fits &= len(subjects) == len(found["subject"])
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        fits = False
    if not fits:
        raise StatementError("its statement is no in-toto statement", "Ask for the bundle again.")
    if kind != TYPE or predicate != PREDICATE:
        raise StatementError(
            f"its statement is of {_short(predicate)}, this Assay reads {PREDICATE}",
            "Use the version of Assay that made it.",
        )
    return dict(found)


def _made(statement: Mapping[str, Any]) -> Any:
    return statement["predicate"].get(MADE, {})


def difference(signed: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    """Return the first thing in which results differ from what was signed; empty for none."""
    stated, seen = (
        {one["name"]: one["digest"] for one in each["subject"]} for each in (signed, found)
    )
    for name in [*stated, *(one for one in seen if one not in stated)]:
        if name not in seen:
            return f"{_short(name)} was signed and is not there"
        if name not in stated:
            return f"{_short(name)} is there and was not signed"
        if said := _digests(name, stated[name], seen[name]):
            return said
    for name, value in signed["predicate"].items():
        if name != MADE and name in found["predicate"]:
            said = _unequal(name, value, found["predicate"][name])
            if said:
                return said
    return ""


def _digests(name: str, signed: Mapping[str, str], found: Mapping[str, str]) -> str:
    """Return how the digests of a subject differ; at least one must be of a known kind."""
    common = [kind for kind in signed if kind in found]
    for kind in common:
        if signed[kind] != found[kind]:
            return (
                f"{_short(name)}: its {kind} is {found[kind]}, signed was {_short(signed[kind])}"
            )
    return "" if common else f"{_short(name)} was signed without a digest that can be compared"


def _unequal(name: str, signed: Any, found: Any) -> str:
    """Return where two values differ, by the path to the first place."""
    if isinstance(signed, dict) and isinstance(found, dict):
        for key in signed:
            if key not in found:
                return f"{name}.{_short(key)} was signed and is not in the results"
            if said := _unequal(f"{name}.{_short(key)}", signed[key], found[key]):
                return said
        return ""
    if signed == found:
        return ""
    return f"{name}: the results say {_short(found)}, signed was {_short(signed)}"


def _short(value: Any) -> str:
    """Return a value that a stranger chose, in one short line."""
    try:
        text = value if isinstance(value, str) else json.dumps(value)
    except RecursionError:
        text = "a value that is nested too deep"
    return printable(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


def _codes(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the sources of every package, and the object code of every cell, by their digests."""
    for package in store.packages():
        digest = {"assayContents": package.content_hash}
        yield {"name": f"sources/{package.place}", "digest": digest}
    for one in store.cells():
        if one.key:
            cell = one.build.cell
            name = f"objects/{one.package.place}/{cell.extension}/{cell.target}"
            yield {"name": name, "digest": {"assayObject": one.key.object_hash}}


def _facts(machine: Machine) -> dict[str, Any]:
    names = ("host", "cpu", "architecture", "cores", "memory_bytes", "kernel", "system", "mhz",
             "governor", "turbo", "smt", "virtualised")  # fmt: skip
    return {name: getattr(machine, name) for name in names}


def _doctor(machine: Machine) -> dict[str, Any]:
    """Return the doctor's class, and what costs trust."""
    findings = [{"topic": one.topic, "trust": one.trust.value, "state": one.state}
                for one in machine.findings]  # fmt: skip
    return {"class": machine.trust_class, "findings": findings}
