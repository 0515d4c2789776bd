# SPDX-License-Identifier: MIT
"""Functions around a context: `init`, `update` and `final` are together one of the operation's.

They are called in the order in which they are named, with the context that all of them share: a
variable of the wrapper's, or what the first of them returns.
"""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from assay.errors import UsageError
from assay.model.api import Api, Function, Way
from assay.package.wrapped.apart import fitting
from assay.package.wrapped.roles import UNCLEAR, given, guess, is_bytes, unused
from assay.package.wrapped.signature import Argument, Prototype, base_of
from assay.package.wrapped.source import CONTEXT, WrappedCall, WrappedStep, shared_words

# What functions are called, by which parameters of the operation they may have; in this order.
_MIDDLE = "update absorb write process append input add inject data"
_BEGIN = "init new create begin start starts setup reset open key alloc"
_END = "final finish end close done digest out result output free"
_STAGES = {word: stage for stage, words in (("end", _END), ("begin", _BEGIN), ("", _MIDDLE))
           for word in words.split()}  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NUMBER = re.compile(r"\b(?:size_t|bool|_Bool|float|double|enum|u?int\d+_t)\b")
_OUT = re.compile(r"(?:out|digest|hash|mac|tag|md|result|output)_?(?:len|size|bytes)?")


def context_of(signatures: Sequence[Prototype]) -> str:
    """Return the type of the context that all of several functions share; empty if there is none.

    One of them may return it in place of taking it. What all only read is none: a curve, say.
    """
    if len(signatures) < 2:
        return ""
    first = [kind for one in signatures for kind in contexts(one, written=True)]
    shared = (
        kind
        for kind in first
        if all(kind in contexts(one) or base_of(one.result) == kind for one in signatures)
    )
    return next(shared, "")


def with_context(signatures: Sequence[Prototype], kind: str) -> tuple[Prototype, ...]:
    """Return functions that take a context as `void *` as if they took it by its type.

    It is the parameter that all call alike.
    """
    first = next((one for one in signatures[0].arguments if _is_any(one)), None)
    if not first or not all(any(_is_same(one, first) for one in each.arguments)
                            for each in signatures):  # fmt: skip
        raise UsageError(
            "--context states the type of a parameter `void *` that all functions have",
            "Leave it out where a prototype has the type.",
        )
    return tuple(
        replace(each, arguments=tuple(
            replace(one, type=f"{kind} *") if _is_same(one, first) else one
            for one in each.arguments
        ))
        for each in signatures
    )  # fmt: skip


def _is_any(one: Argument) -> bool:
    return one.type.replace(" ", "") == "void*" and not one.array


def _is_same(one: Argument, first: Argument) -> bool:
    return _is_any(one) and one.name == first.name


def contexts(signature: Prototype, *, written: bool = False) -> list[str]:
    """Return the types of parameters that are neither bytes nor numbers."""
    found = (one for one in signature.arguments if _may_be_context(one))
    return [base_of(one.type) for one in found if not (written and one.is_const)]


def _may_be_context(one: Argument) -> bool:
    return not (one.array or is_bytes(one) or _NUMBER.search(one.type))


def assign_around(
    context: str, signatures: Sequence[Prototype], operation: Api, roles: tuple[str, ...]
) -> WrappedCall:
    """Choose the operation's function that several make together; UsageError if none is clear."""
    if len(roles) > len(signatures):
        raise UsageError(
            f"there are {len(roles)} --roles, and {len(signatures)} functions",
            "Give one for each, in their order.",
        )
    names = " ".join(one.name for one in signatures)
    made = [
        WrappedCall(one, _steps(context, signatures, one, operation, roles), context)
        for one in fitting(operation, names, operation.functions)
    ]
    return next((one for one in made if not _unclear(one)), None) or _refused(made[0])


def _steps(
    context: str,
    signatures: Sequence[Prototype],
    function: Function,
    operation: Api,
    roles: tuple[str, ...],
) -> tuple[WrappedStep, ...]:
    steps: list[WrappedStep] = []
    stem = shared_words([one.name for one in signatures])
    for at, one in enumerate(signatures):
        if at < len(roles):
            parts = given(roles[at], one)
        else:
            left = _left(function, one.name.removeprefix(stem), steps)
            parts = _guessed(context, one, left, operation)
        steps.append(WrappedStep(one, parts))
    return tuple(steps)


def _left(function: Function, name: str, before: Sequence[WrappedStep]) -> Function:
    """Return the operation's function with the parameters that one in a row may have.

    What begins has no message, what ends has outputs alone, and nothing is given twice but an
    output.
    """
    said = " ".join(role for step in before for role in step.roles)
    parts = function.parameters
    stage = _stage(name)
    if stage == "begin":
        lengths = {f"{one.name}len" for one in parts} & {one.name for one in parts}
        long = {one.removesuffix("len") for one in lengths} | lengths
        parts = tuple(one for one in parts if one.name not in long)
    elif stage == "end":
        parts = tuple(one for one in parts if one.way not in (Way.IN, Way.LENGTH))
    parts = tuple(one for one in parts if not re.search(rf"\b{one.name}\b", said))
    return replace(function, parameters=parts)


def _stage(name: str) -> str:
    """Return which part of the work a function does by its name; empty if it may be any."""
    words = {one.lower() for one in _WORD.findall(name)}
    found = {
        stage
        for word, stage in _STAGES.items()
        for one in words
        if one == word or (len(word) >= 4 and one.endswith(word))
    }  # `ivsetup`
    return next((one for one in ("", "begin", "end") if one in found), "")


def _guessed(
    context: str, signature: Prototype, function: Function, operation: Api
) -> tuple[str, ...]:
    mine = [_may_be_context(one) and base_of(one.type) == context for one in signature.arguments]
    rest = tuple(one for one, own in zip(signature.arguments, mine, strict=True) if not own)
    found = iter(guess(replace(signature, arguments=rest), function, operation))
    roles = [CONTEXT if own else next(found) for own in mine]
    writes = any(one.way is Way.OUT and one.name in roles for one in function.parameters)
    for at, one in enumerate(signature.arguments):
        if not (writes or one.is_pointer) and _OUT.fullmatch(one.name.lower()):
            roles[at] = "CRYPTO_BYTES"
    return tuple(roles)


def _unclear(called: WrappedCall) -> str:
    """Return what is wrong with the roles of a row of functions; empty if nothing is."""
    for step in called.steps:
        pairs = zip(step.signature.arguments, step.roles, strict=True)
        if doubtful := [str(one) for one, role in pairs if role == UNCLEAR]:
            return f"{step.signature.name}: it is unclear what {', '.join(doubtful)} is"
    if lacking := unused(called.function, called.roles):
        names = ", ".join(step.signature.name for step in called.steps)
        return f"{names}: nothing is given {', '.join(lacking)}"
    return ""


def _refused(called: WrappedCall) -> WrappedCall:
    """Raise UsageError with the roles to complete."""
    names = ", ".join(one.name for one in called.function.parameters)
    written = " ".join(f'--roles "{",".join(step.roles)}"' for step in called.steps)
    raise UsageError(
        _unclear(called),
        f"Say it for each function, in their order: {written} with {CONTEXT} for the context, "
        f"{names}, a constant such as CRYPTO_BYTES, 8*inlen for bits, NULL, 0, or other C "
        "in place of each ?.",
    )
