# SPDX-License-Identifier: MIT
"""The C of a wrapped function: the operation's functions, which call it in its own order."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from assay.errors import UsageError
from assay.model.api import Api, Function, Way
from assay.model.operation import Op
from assay.package.wrapped.apart import (
    FILLED,
    after_call,
    before_call,
    copied,
    drawn,
    drawn_into,
    in_place,
    kept,
)
from assay.package.wrapped.signature import Argument, Prototype, base_of

# What sources call types of C, where no header says so.
SHORT_TYPES = {"u8": "uint8_t", "u32": "uint32_t", "u64": "uint64_t", "byte": "unsigned char",
               "BYTE": "unsigned char", "uchar": "unsigned char", "u_char": "unsigned char",
               "ulong": "unsigned long"}  # fmt: skip
ADAPTER = "assay_"  # begins the names of the files beside a description
BASE_POINT = {"crypto_scalarmult/curve25519": "{9}"}
FIRST = {"wolfssl/": "wolfssl/options.h"}  # what these headers want included before them
ONE = re.compile(r"openssl/|(?:.*/)?tinycrypt/")  # headers of functions that return 1
ANY = "any"
TRUE = re.compile(r"\b_?[Bb]ool\b")
_LENGTH = re.compile(r"\b(?:s?size_t|u?int(?:16|32|64|max|ptr)_t|long|unsigned|usize)\b")


PIECES = "ASSAY_PIECES"
MESSAGE = ("in", "inlen")  # of hashes and MACs
CONTEXT = "ctx"  # the role of what functions share, and the wrapper's name for it


class WrappedStep(Struct, frozen=True):
    """A C function, and what each of its parameters gets."""

    signature: Prototype
    roles: tuple[str, ...]


class WrappedCall(Struct, frozen=True):
    """A function of an operation, and the C functions that do its work, one after another.

    `context` is the type of what several of them share.
    """

    function: Function
    steps: tuple[WrappedStep, ...]
    context: str = ""

    @property
    def roles(self) -> tuple[str, ...]:
        """Return what all of the parameters get."""
        return tuple(role for step in self.steps for role in step.roles)

    @property
    def name(self) -> str:
        """Return the name of the function, or what those of several begin with."""
        names = [step.signature.name for step in self.steps]
        return shared_words(names).rstrip("_") or names[0]

    def makes(self, step: WrappedStep) -> bool:
        """Return whether a function returns the context."""
        return bool(self.context) and base_of(step.signature.result) == self.context

    @property
    def has_address(self) -> bool:
        """Return whether some function gets the address of the context."""
        given = (one for step in self.steps for one in step.signature.arguments)
        pairs = zip(given, self.roles, strict=True)
        return any(one.is_pointer for one, role in pairs if role == CONTEXT)

    def passed(self, one: Argument) -> str:
        """Write the context as a parameter has it: its address, or as it is."""
        made = next((each.signature.result for each in self.steps if self.makes(each)), "")
        same = one.type.count("*") == made.count("*")
        return CONTEXT if same else f"&{CONTEXT}"


def shared_words(names: Sequence[str]) -> str:
    """Return what names begin with, up to the end of a word: `br_sha256_`; all of a single one."""
    words = [name.split("_") for name in names]
    alike = [part[0] for part in zip(*words, strict=False) if len(set(part)) == 1]
    return "_".join(alike) if len(names) == 1 else "".join(f"{one}_" for one in alike)


class Wrapping(Struct, frozen=True):
    """What is to be wrapped: the operation and primitive, functions, files, and where all go."""

    operation: Api
    primitive: str
    called: tuple[WrappedCall, ...]
    root: Path
    sources: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    constants: Mapping[str, str] | None = None
    success: str | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """Return the name of the implementation: that of its first function."""
        return self.name or self.called[0].name

    @property
    def stem(self) -> str:
        """Return how the names of its functions begin; those of its files have ADAPTER before."""
        return f"wrapped_{re.sub(r'[^A-Za-z0-9_]', '_', self.label)}"

    def file(self, suffix: str) -> str:
        """Return the name of a file that is written."""
        return f"{ADAPTER}{self.label}{suffix}"


def _prototype(wrapping: Wrapping, function: Function) -> str:
    parameters = ", ".join(map(str, function.parameters))
    return f"{function.result} {wrapping.stem}{function.suffix}({parameters})"


def header_of(wrapping: Wrapping) -> Iterator[str]:
    """Yield the lines of the header: sizes, and the operation's prototypes."""
    yield f"/* Written by `assay wrap`: {wrapping.operation.name}/{wrapping.primitive}. */"
    for name, value in (wrapping.constants or {}).items():
        yield f"#define CRYPTO_{name} {value}"
    for function in wrapping.operation.functions:
        yield f"{_prototype(wrapping, function)};"


def source_of(wrapping: Wrapping) -> Iterator[str]:
    """Yield the lines of the C file."""
    yield "/* Written by `assay wrap`: calls the library's functions as the operation has them. */"
    yield from ("#include <stddef.h>", "#include <stdint.h>", "#include <string.h>")
    if any(drawn(role) for each in wrapping.called for role in each.roles):
        yield '#include "randombytes.h"'
    signatures = [step.signature for each in wrapping.called for step in each.steps]
    for one in dict.fromkeys(each.header for each in signatures):
        local = any((wrapping.root / folder / one).is_file() for folder in ("", *wrapping.include))
        if one:
            yield from (f"#include <{own}>" for name, own in FIRST.items() if one.startswith(name))
            yield f'#include "{one}"' if local else f"#include <{one}>"
    yield f'#include "{wrapping.file(".h")}"\n'
    if any(map(cuts, wrapping.called)):
        yield f'#ifdef {PIECES}\n#include "assay_pieces.h"\n#endif'
    yield "/* Whether a call fails is public. */"
    yield '#include "crypto_declassify.h"\n'
    declared = [str(each) for each in signatures if not each.header]
    words = set(re.findall(r"\w+", " ".join(declared)))
    yield from (f"typedef {kind} {name};" for name, kind in SHORT_TYPES.items() if name in words)
    yield from (f"{one}\n" for one in declared)
    done = {each.function.suffix for each in wrapping.called}
    for each in wrapping.called:
        yield from _caller(wrapping, each)
    for function in wrapping.operation.functions:
        if function.suffix not in done:
            yield from _derived(wrapping, function, done)


def _caller(wrapping: Wrapping, called: WrappedCall) -> Iterator[str]:
    function = called.function
    yield f"\n{_prototype(wrapping, function)}\n{{"
    lengths = {p.name for p in function.parameters if p.way is Way.LENGTH_OUT}
    calls = [_arguments(step, called, lengths) for step in called.steps]
    named = {one for call in calls for one in call.lengths}
    for call in calls:
        yield from call.before
    for parameter in function.parameters:  # those that the function has no use for
        used = any(re.search(rf"\b{parameter.name}\b", role) for role in called.roles)
        if not used and parameter.name not in lengths - named and parameter.name not in FILLED:
            yield f"    (void)({parameter.name});"
    yield from before_call(function, called.roles)
    yield from _context(called)
    for step, call in zip(called.steps, calls, strict=True):
        if in_place(function, called.roles) and "c" in step.roles:
            yield from copied(step.roles)
        lines = _one_call(wrapping, called, step, call.text)
        yield from in_pieces(lines) if called.context and takes_message(step) else lines
    yield from after_call(function, called.roles)
    yield from kept(function, [role for each in wrapping.called for role in each.roles])
    yield from (f"    *{name} = {name}_;" for call in calls for name in call.lengths)
    for name in sorted(lengths - named):
        yield f"    *{name} = {_known_length(function, name)};"
    yield "    return 0;\n}" if function.result != "void" else "}"


def _context(called: WrappedCall) -> Iterator[str]:
    """Yield the context, if no function returns it.

    Functions that get it as it is cannot set it up unless its type is a pointer by a typedef.
    """
    kind = called.context
    if not kind or any(map(called.makes, called.steps)):
        return
    if called.has_address:
        yield f"    {kind} {CONTEXT};"
    else:
        yield f"    __typeof__(*({kind})0) held;\n    {kind} {CONTEXT} = &held;"


class _Call(Struct, frozen=True):
    """A call in C, the lines that its arguments need before it, and the lengths that it writes."""

    text: str
    before: tuple[str, ...]
    lengths: tuple[str, ...]


def _arguments(step: WrappedStep, called: WrappedCall, lengths: set[str]) -> _Call:
    function, signature = called.function, step.signature
    values, before, own = [], [], []
    own_outputs = {one.name for one in function.parameters}
    for at, (one, role) in enumerate(zip(signature.arguments, step.roles, strict=True)):
        if role in lengths and role not in own:
            kind = one.type.replace("*", "").strip()
            before.append(f"    {kind} {role}_ = ({kind})({_known_length(function, role)});")
            own.append(role)
            values.append(f"&{role}_")
        elif count := drawn(role):
            into = drawn_into(role) or f"drawn_{at}"
            if into not in own_outputs:
                before.append(f"    unsigned char {into}[{count}];")
            before.append(f"    randombytes({into}, {count});")
            values.append(into)
        elif called.context and role == CONTEXT:
            values.append(called.passed(one))
        else:
            values.append(_value(one, role, function))
    return _Call(f"{signature.name}({', '.join(values)})", tuple(before), tuple(own))


def _one_call(
    wrapping: Wrapping, called: WrappedCall, step: WrappedStep, call: str
) -> Iterator[str]:
    """Yield a call, and what is done if it fails."""
    if called.makes(step):
        yield f"    {step.signature.result} {CONTEXT} = {call};"
        if "*" in step.signature.result:
            yield f"    if (!{CONTEXT})\n        return -1;"
        return
    failed = _failure(wrapping, step.signature, call)
    if not failed:
        yield f"    {call};"
        return
    lines = (
        f"    const int failed = {failed};",
        "    crypto_declassify(&failed, sizeof failed);",
        "    if (failed)\n        return -1;",
    )
    yield from lines if not called.context else ("    {", *map(_deeper, lines), "    }")


def takes_message(step: WrappedStep) -> bool:
    """Return whether a function gets the message, its length and the context, no more."""
    return set(step.roles) == {CONTEXT, *MESSAGE}


def cuts(called: WrappedCall) -> bool:
    """Return whether a wrapper can give a message in pieces: that of a hash or a MAC."""
    return bool(called.context) and any(map(takes_message, called.steps))


def in_pieces(lines: Iterator[str]) -> Iterator[str]:
    """Yield a call in which `in` and `inlen` are the message, and before it what cuts that."""
    once = list(lines)
    name, length = MESSAGE
    yield f"#ifdef {PIECES} /* for the check lengths/splits */"
    yield f"    const unsigned char *next = {name};"
    yield f"    unsigned long long left = {length};"
    yield f"    unsigned long state = assay_first({name}, {length});\n"
    yield "    while (assay_more(state, left)) {"
    yield f"        const unsigned long long {length} = assay_piece(&state, left);"
    yield f"        const unsigned char *{name} = next;"
    yield from map(_deeper, once)
    yield f"        next += {length};\n        left -= {length};"
    yield "    }"
    yield from ("#else", *once, "#endif")


def _deeper(lines: str) -> str:
    return "\n".join(f"    {one}" for one in lines.split("\n"))


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
    success = success_of(wrapping, signature)
    return f"{call} != {success}" if success else ""


def success_of(wrapping: Wrapping, signature: Prototype) -> str:
    """Return the number that a function is taken to return if all went well; empty if none.

    That a header is OpenSSL's or TinyCrypt's is told by its name, and a few functions return 0:
    the command prints the answer, and a wrong one fails every check of outputs. UsageError for
    a result that is a length, perhaps.
    """
    if "*" in signature.result or signature.result == "void":
        return ""
    if wrapping.success is not None:
        return "" if wrapping.success == ANY else wrapping.success
    if _LENGTH.search(signature.result):
        raise UsageError(
            f"{signature.name} returns {signature.result}, and it is unclear what this says",
            "Say what it is if all went well: --success 0, --success CRYPTO_BYTES for a length "
            "that it has written, any other C expression, or --success any if it says nothing.",
        )
    return "1" if TRUE.search(signature.result) or ONE.match(signature.header) else "0"


def _known_length(function: Function, name: str) -> str:
    """Return how long an output is, and how much room a function may be told that there is."""
    takes = {one.name for one in function.parameters}
    known = {
        "clen": "mlen + CRYPTO_ABYTES", "smlen": "mlen + CRYPTO_BYTES",
        "mlen": "clen - CRYPTO_ABYTES" if "clen" in takes else "smlen - CRYPTO_BYTES",
    }  # fmt: skip
    return known.get(name, "0")


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
