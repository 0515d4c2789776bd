# SPDX-License-Identifier: MIT
"""Writing what makes a package of C functions: a description, and C that calls them."""

import contextlib
import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec.structs import replace

from assay.errors import UsageError
from assay.model.api import Api, Function
from assay.model.operations import OPERATIONS
from assay.package.described.toml import FILE_NAME, NAME
from assay.package.places import TREE, shipped
from assay.package.text import read_text
from assay.package.wrapped.apart import fitting
from assay.package.wrapped.context import assign_around, context_of, contexts
from assay.package.wrapped.roles import doubts, given, guess, require_clear
from assay.package.wrapped.signature import Prototype
from assay.package.wrapped.source import (
    PIECES,
    WrappedCall,
    WrappedStep,
    Wrapping,
    cuts,
    header_of,
    source_of,
)

MARK = "# Written by `assay wrap`: one table for each primitive and function."
NONCES = {"n": "NONCEBYTES", "npub": "NPUBBYTES"}
_CONSTANT = re.compile(r"^[ \t]*#[ \t]*define[ \t]+CRYPTO_(\w+)[ \t]+(\(?-?\w+\)?)", re.MULTILINE)


def operation_of(text: str) -> tuple[Api, str]:
    """Read `crypto_hash/sha256`; UsageError for what names no operation and primitive."""
    name, _, primitive = text.partition("/")
    if name not in OPERATIONS or not NAME.fullmatch(primitive):
        raise UsageError(
            f"--as {text} names no operation and primitive",
            f"Such as crypto_hash/sha256. Operations are {', '.join(OPERATIONS)}.",
        )
    return OPERATIONS[name], primitive


def sized(operation: Api, constants: Mapping[str, str]) -> Api:
    """Return the operation of a primitive, in which a nonce of no bytes has the size 0."""
    empty = {name for name, size in NONCES.items() if constants.get(size) == "0"}
    return replace(operation, functions=tuple(
        replace(function, parameters=tuple(
            replace(one, size="0") if one.name in empty else one for one in function.parameters
        ))
        for function in operation.functions
    ))  # fmt: skip


def assign(
    signatures: tuple[Prototype, ...], operation: Api, roles: tuple[str, ...]
) -> tuple[WrappedCall, ...]:
    """Choose the operation's function for each signature: the first whose parameters are clear.

    Those that share a context are one of its functions together.
    """
    if context := context_of(signatures):
        return (assign_around(context, signatures, operation, roles),)
    left = list(operation.functions)
    found = []
    for at, one in enumerate(signatures):
        if not left:
            raise UsageError(
                f"{operation.name} has {len(operation.functions)} functions",
                "Name no more than these.",
            )
        if at < len(roles):
            parts = given(roles[at], one)
            function = next((f for f in left if not doubts(parts, f)), left[0])
        else:
            guesses = [(guess(one, f, operation), f) for f in fitting(operation, one.name, left)]
            parts, function = min(guesses, key=lambda each: doubts(each[0], each[1]))
        _require_clear(parts, one, function)
        left.remove(function)
        found.append(WrappedCall(function, (WrappedStep(one, parts),)))
    return tuple(found)


def _require_clear(roles: tuple[str, ...], signature: Prototype, function: Function) -> None:
    """Raise UsageError for what is unclear; of a context, with what is to be named besides."""
    try:
        require_clear(roles, signature, function)
    except UsageError as error:
        if kinds := contexts(signature):
            raise UsageError(
                str(error),
                f"If {kinds[0]} is a context, name the functions around it in the order of their "
                f"calls, each as a prototype or HEADER:NAME: init, update, final. {error.cure}",
            ) from None
        raise


def constants_of(operation: Api, primitive: str, own: Mapping[str, str]) -> dict[str, str]:
    """Return all constants: those given, and what Assay knows of the primitive."""
    folder = shipped() / TREE / operation.name / primitive
    known: dict[str, str] = {}
    for path in sorted(folder.glob("*/api.h")):
        known |= dict(_CONSTANT.findall(read_text(path)))
    known |= own
    optional = {"NOOVERLAP", "NSECBYTES", "BEFORENMBYTES", "DETERMINISTIC"}
    known = {"NSECBYTES": "0", "NOOVERLAP": "1"} | known
    missing = [one for one in operation.constants if one not in known and one not in optional]
    if missing:
        more = " ".join(f"--constant {one}=..." for one in missing)
        raise UsageError(
            f"{operation.name}/{primitive} is not known to Assay, and neither are its sizes",
            f"Add {more} (in bytes).",
        )
    return {one: known[one] for one in operation.constants if one in known}


def write(wrapping: Wrapping, *, anew: bool = False) -> tuple[Path, ...]:
    """Write both files and the description; UsageError if something else has their names.

    `anew`: what an earlier call wrote for the function is written again.
    """
    path = wrapping.root / FILE_NAME
    text, ours = _existing(path, wrapping, anew=anew)
    header, source = (wrapping.root / wrapping.file(end) for end in (".h", ".c"))
    for one in (header, source):
        if os.path.lexists(one) and (one.name not in ours or one.is_symlink()):
            raise UsageError(f"{one} is there already", "Remove it, or give another --name.")
    texts = {
        header: "\n".join(header_of(wrapping)),
        source: "\n".join(source_of(wrapping)),
        path: text + "\n".join(_tables(wrapping, text)),
    }
    before = {one: one.read_bytes() for one in texts if one.is_file()}
    try:
        for one, lines in texts.items():
            one.write_text(lines + "\n")
    except BaseException:  # a full disk, Ctrl-C: the next try finds the folder as it was
        for one in texts:
            one.unlink(missing_ok=True)
        for one, was in before.items():
            one.write_bytes(was)
        raise
    return path, header, source


def _existing(path: Path, wrapping: Wrapping, *, anew: bool) -> tuple[str, tuple[str, ...]]:
    """Return the description without the function, and its files if they may be written anew."""
    if not os.path.lexists(path):
        return f"{MARK}\n", ()
    text = read_text(path)
    if not text.startswith(MARK):
        raise UsageError(
            f"{path} is there already, and `assay wrap` has not written it",
            "Name a folder above it with --into, or add the function to it by hand.",
        )
    if wrapping.label not in tomllib.loads(text).get("implementation", {}):
        return text, ()
    if not anew:
        raise UsageError(
            f"{path} has {wrapping.label} already", "Give --replace, or another --name."
        )
    without = _without_table(text, wrapping.label)
    if without is None:
        raise UsageError(f"{path} was changed by hand", f"Remove {wrapping.label} from it.")
    return without, (wrapping.file(".h"), wrapping.file(".c"))


def _without_table(text: str, label: str) -> str | None:
    """Return a description without an implementation; None if its table is not as written."""
    table = re.escape(f"[implementation.{json.dumps(label)}]")
    left = re.sub(rf"\n?^{table}\n(?:[a-z].*\n?)*", "", text, flags=re.MULTILINE)
    others = tomllib.loads(text)
    del others["implementation"][label]
    with contextlib.suppress(tomllib.TOMLDecodeError):
        if {"implementation": {}} | tomllib.loads(left) == others:
            return left
    return None


def _tables(wrapping: Wrapping, text: str) -> Iterator[str]:
    key = json.dumps(wrapping.primitive)
    if wrapping.primitive not in tomllib.loads(text).get("set", {}):
        yield f"\n[set.{key}]\noperation = {json.dumps(wrapping.operation.name)}"
    names = {
        wrapping.operation.name + one.suffix: wrapping.stem + one.suffix
        for one in wrapping.operation.functions
    }
    pairs = ", ".join(f"{name} = {json.dumps(own)}" for name, own in names.items())
    yield f"\n[implementation.{json.dumps(wrapping.label)}]"
    yield f"sets = [{key}]"
    yield f"header = {json.dumps(wrapping.file('.h'))}"
    yield f"sources = {json.dumps([*wrapping.sources, wrapping.file('.c')])}"
    for name in ("include", "libraries", "defines"):
        if listed := getattr(wrapping, name):
            yield f"{name} = {json.dumps(listed)}"
    if any(map(cuts, wrapping.called)):
        yield f"pieces = {json.dumps(PIECES)}"
    yield f"functions = {{ {pairs} }}"
