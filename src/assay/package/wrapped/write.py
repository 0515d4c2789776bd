# SPDX-License-Identifier: MIT
"""Writing what makes a package of C functions: a description, and C that calls them."""

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from assay.errors import UsageError
from assay.model.api import Api, Function, Way
from assay.model.operation import Op
from assay.model.operations import OPERATIONS
from assay.package.described.toml import FILE_NAME, NAME
from assay.package.places import TREE, shipped
from assay.package.text import read_text
from assay.package.wrapped.roles import UNCLEAR, given, guess, require_clear
from assay.package.wrapped.signature import Argument, Prototype

ADAPTER = "assay_"  # begins the names of the files beside a description
MARK = "# Written by `assay wrap`: one table for each primitive and function."
BASE_POINT = {"crypto_scalarmult/curve25519": "{9}"}
FIRST = {"wolfssl/": "wolfssl/options.h"}  # what these headers want included before them
ONE_OF_OPENSSL = "openssl/"
TRUE = re.compile(r"\b_?[Bb]ool\b")
_LENGTH = re.compile(r"\b(?:s?size_t|u?int(?:16|32|64|max|ptr)_t|long|unsigned|usize)\b")
_CONSTANT = re.compile(r"^[ \t]*#[ \t]*define[ \t]+CRYPTO_(\w+)[ \t]+(\(?-?\w+\)?)", re.MULTILINE)


class WrappedCall(Struct, frozen=True):
    """A function of an operation, and the C function that does its work."""

    function: Function
    signature: Prototype
    roles: tuple[str, ...]


class Wrapping(Struct, frozen=True):
    """What is to be wrapped: the operation and primitive, functions, files, and where all go."""

    operation: Api
    primitive: str
    called: tuple[WrappedCall, ...]
    root: Path
    sources: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    constants: Mapping[str, str] | None = None
    success: str | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """Return the name of the implementation: that of its first function."""
        return self.name or self.called[0].signature.name

    @property
    def stem(self) -> str:
        """Return how the names of its functions begin; those of its files have ADAPTER before."""
        return f"wrapped_{re.sub(r'[^A-Za-z0-9_]', '_', self.label)}"

    def file(self, suffix: str) -> str:
        """Return the name of a file that is written."""
        return f"{ADAPTER}{self.label}{suffix}"


def operation_of(text: str) -> tuple[Api, str]:
    """Read `crypto_hash/sha256`; UsageError for what names no operation and primitive."""
    name, _, primitive = text.partition("/")
    if name not in OPERATIONS or not NAME.fullmatch(primitive):
        raise UsageError(
            f"--as {text} names no operation and primitive",
            f"Such as crypto_hash/sha256. Operations are {', '.join(OPERATIONS)}.",
        )
    return OPERATIONS[name], primitive


def assign(
    signatures: tuple[Prototype, ...], operation: Api, roles: tuple[str, ...]
) -> tuple[WrappedCall, ...]:
    """Choose the operation's function for each signature: the first whose parameters are clear."""
    left = list(operation.functions)
    found = []
    for at, one in enumerate(signatures):
        if not left:
            raise UsageError(
                f"{operation.name} has {len(operation.functions)} functions",
                "Name no more than these.",
            )
        if at < len(roles):
            function = left[0]
            parts = given(roles[at], one)
            function = next((f for f in left if _all_given(parts, one, f)), left[0])
        else:
            function = next(
                (f for f in left if _all_given(guess(one, f, operation), one, f)), left[0]
            )
            parts = guess(one, function, operation)
        require_clear(parts, one, function)
        left.remove(function)
        found.append(WrappedCall(function, one, parts))
    return tuple(found)


def _all_given(roles: tuple[str, ...], signature: Prototype, function: Function) -> bool:
    try:
        require_clear(roles, signature, function)
    except UsageError:
        return False
    return UNCLEAR not in roles


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


def write(wrapping: Wrapping) -> tuple[Path, ...]:
    """Write both files and the description; UsageError if something else has their names."""
    path = wrapping.root / FILE_NAME
    text = _existing(path, wrapping)
    header, source = (wrapping.root / wrapping.file(end) for end in (".h", ".c"))
    for one in (header, source):
        if os.path.lexists(one):
            raise UsageError(f"{one} is there already", "Remove it, or give another --name.")
    texts = {
        header: "\n".join(_header(wrapping)),
        source: "\n".join(_source(wrapping)),
        path: text + "\n".join(_tables(wrapping, text)),
    }
    before = path.read_bytes() if path.is_file() else None
    try:
        for one, lines in texts.items():
            one.write_text(lines + "\n")
    except BaseException:  # a full disk, Ctrl-C: the next try finds the folder as it was
        for one in texts:
            one.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        raise
    return path, header, source


def _existing(path: Path, wrapping: Wrapping) -> str:
    if not os.path.lexists(path):
        return f"{MARK}\n"
    text = read_text(path)
    if not text.startswith(MARK):
        raise UsageError(
            f"{path} is there already, and `assay wrap` has not written it",
            "Name a folder above it with --into, or add the function to it by hand.",
        )
    if wrapping.label in tomllib.loads(text).get("implementation", {}):
        raise UsageError(f"{path} has {wrapping.label} already", "Give another --name.")
    return text


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
    for name, listed in (("include", wrapping.include), ("libraries", wrapping.libraries)):
        if listed:
            yield f"{name} = {json.dumps(list(listed))}"
    yield f"functions = {{ {pairs} }}"


def _prototype(wrapping: Wrapping, function: Function) -> str:
    parameters = ", ".join(map(str, function.parameters))
    return f"{function.result} {wrapping.stem}{function.suffix}({parameters})"


def _header(wrapping: Wrapping) -> Iterator[str]:
    yield f"/* Written by `assay wrap`: {wrapping.operation.name}/{wrapping.primitive}. */"
    for name, value in (wrapping.constants or {}).items():
        yield f"#define CRYPTO_{name} {value}"
    for function in wrapping.operation.functions:
        yield f"{_prototype(wrapping, function)};"


def _source(wrapping: Wrapping) -> Iterator[str]:
    yield "/* Written by `assay wrap`: calls the library's functions as the operation has them. */"
    yield from ("#include <stddef.h>", "#include <stdint.h>")
    for one in dict.fromkeys(each.signature.header for each in wrapping.called):
        local = any((wrapping.root / folder / one).is_file() for folder in ("", *wrapping.include))
        if one:
            yield from (f"#include <{own}>" for name, own in FIRST.items() if one.startswith(name))
            yield f'#include "{one}"' if local else f"#include <{one}>"
    yield f'#include "{wrapping.file(".h")}"\n'
    for each in wrapping.called:
        if not each.signature.header:
            yield f"{each.signature}\n"
    done = {each.function.suffix for each in wrapping.called}
    for each in wrapping.called:
        yield from _caller(wrapping, each)
    for function in wrapping.operation.functions:
        if function.suffix not in done:
            yield from _derived(wrapping, function, done)


def _caller(wrapping: Wrapping, called: WrappedCall) -> Iterator[str]:
    function, signature = called.function, called.signature
    yield f"\n{_prototype(wrapping, function)}\n{{"
    lengths = {p.name for p in function.parameters if p.way is Way.LENGTH_OUT}
    values, after = [], []
    for one, role in zip(signature.arguments, called.roles, strict=True):
        if role in lengths:
            kind = one.type.replace("*", "").strip()
            yield f"    {kind} {role}_ = 0;"
            after.append(f"    *{role} = {role}_;")
            lengths.discard(role)
            values.append(f"&{role}_")
        else:
            values.append(_value(one, role, function))
    for parameter in function.parameters:  # those that the function has no use for
        used = any(re.search(rf"\b{parameter.name}\b", role) for role in called.roles)
        if not used and parameter.name not in lengths:
            yield f"    (void)({parameter.name});"
    yield from _guards(function)
    call = f"{signature.name}({', '.join(values)})"
    failed = _failure(wrapping, signature, call)
    yield f"    if ({failed})\n        return -1;" if failed else f"    {call};"
    yield from after
    for name in lengths:
        yield f"    *{name} = {_known_length(function, name)};"
    yield "    return 0;\n}" if function.result != "void" else "}"


def _value(one: Argument, role: str, function: Function) -> str:
    """Write an argument; a parameter of the operation gets the type that the function wants."""
    plain = {p.name for p in function.parameters}
    return f"({one.cast}){role}" if role in plain or role.startswith("CRYPTO_") else role


def _failure(wrapping: Wrapping, signature: Prototype, call: str) -> str:
    """Return the condition under which a call has failed; empty for a function without result."""
    if signature.result == "void":
        return ""
    if "*" in signature.result:
        return f"!{call}"
    return f"{call} != {success_of(wrapping, signature)}"


def success_of(wrapping: Wrapping, signature: Prototype) -> str:
    """Return the number that a function is taken to return if all went well; empty if none.

    That a header is OpenSSL's is told by its name, and a few of its functions return 0:
    the command prints the answer, and a wrong one fails every check of outputs. UsageError for
    a result that is a length, perhaps.
    """
    if "*" in signature.result or signature.result == "void":
        return ""
    if wrapping.success is not None:
        return wrapping.success
    if _LENGTH.search(signature.result):
        raise UsageError(
            f"{signature.name} returns {signature.result}, and it is unclear what this says",
            "Say what it is if all went well: --success 0, --success CRYPTO_BYTES for a length "
            "that it has written, or any other C expression.",
        )
    return "1" if TRUE.search(signature.result) or _of_openssl(signature) else "0"


def _of_openssl(signature: Prototype) -> bool:
    return signature.header.startswith(ONE_OF_OPENSSL)


def _guards(function: Function) -> Iterator[str]:
    if function.suffix == "_decrypt":
        yield "    if (clen < CRYPTO_ABYTES)\n        return -1;"


def _known_length(function: Function, name: str) -> str:
    return {"_encrypt": "mlen + CRYPTO_ABYTES", "_decrypt": "clen - CRYPTO_ABYTES"}.get(
        function.suffix, "0"
    ) if name in ("clen", "mlen") else "0"  # fmt: skip


def _derived(wrapping: Wrapping, function: Function, done: set[str]) -> Iterator[str]:
    """Write a function that follows from another; UsageError for one that does not."""
    name = wrapping.operation.name
    stem = wrapping.stem
    point = BASE_POINT.get(f"{name}/{wrapping.primitive}")
    lines: tuple[str, ...] = ()
    if function.suffix == "_verify" and "" in done:
        lines = (
            "    unsigned char own[CRYPTO_BYTES];", "    unsigned int differs = 0;",
            f"    if ({stem}(own, in, inlen, k))", "        return -1;",
            "    for (size_t i = 0; i < CRYPTO_BYTES; ++i)", "        differs |= own[i] ^ h[i];",
            "    return (int)(1 & (differs - 1) >> 8) - 1;",
        )  # fmt: skip
    elif name == Op.STREAM and not function.suffix and "_xor" in done:
        lines = (
            "    for (unsigned long long i = 0; i < clen; ++i)", "        c[i] = 0;",
            f"    return {stem}_xor(c, c, clen, n, k);",
        )  # fmt: skip
    elif function.suffix == "_base" and point and "" in done:
        lines = (
            f"    static const unsigned char point[CRYPTO_BYTES] = {point};",
            f"    return {stem}(q, n, point);",
        )
    if not lines:
        raise UsageError(
            f"{name} needs a function for {name}{function.suffix}, too",
            "Give its prototype as a further argument: "
            f"'{function.result} NAME({', '.join(map(str, function.parameters))})'.",
        )
    yield "\n".join((f"\n{_prototype(wrapping, function)}", "{", *lines, "}"))
