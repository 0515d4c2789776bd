# SPDX-License-Identifier: MIT
"""The page of APIs, from the table of APIs."""

from collections.abc import Iterator

from assay.model.api import Api, Parameter, Way
from assay.model.apis import PACKAGED
from assay.model.operations import OPERATIONS

INTRODUCTION = """\
# APIs

Made by `./scripts/docs` from `apis.py` and `operations.py` in `src/assay/model/`.
Change those, not this file.
[Submitting](../guide/submit.md) says in words what packages of each look like.
"""
WAYS = {
    Way.OUT: "written",
    Way.IN: "read",
    Way.BOTH: "read and written",
    Way.LENGTH: "a number",
    Way.LENGTH_OUT: "a number that is written",
}
OPERATIONS_HEAD = """\
## Operations

The name of a function begins with that of its operation; functions in brackets may be absent.
Most pointers are to `unsigned char`, and most lengths are `unsigned long long`.

| operation | functions | constants of `api.h` |
|---|---|---|
"""


def page() -> str:
    """Write the page."""
    rows = "".join(map(_operation, OPERATIONS.values()))
    return "\n".join([INTRODUCTION, *map(_section, PACKAGED.values()), OPERATIONS_HEAD + rows])


def _section(api: Api) -> str:
    """Write what the table says of an API that is recognised by its header."""
    return "\n".join([f"## {api.name}\n", *_facts(api), "", *_functions(api), ""])


def _facts(api: Api) -> Iterator[str]:
    yield f"- Kind: {api.kind}."
    named = " or ".join(f"`{one}`" for one in api.marks.headers)
    yield f"- Header: {named or api.marks.called}."
    yield f"- Constants: {', '.join(f'`{one}`' for one in api.constants)}."
    yield f"- Order of calls: `{api.phases}`."
    yield f"- Known answers: {', '.join(f'`{one}`' for one in api.answers)}."
    if api.sizes:
        yield f"- Sizes of the output in bits: {', '.join(map(str, api.sizes))}."
    if api.promises:
        yield "- Its rules demand: " + "; ".join(sorted(api.promises)) + "."


def _functions(api: Api) -> Iterator[str]:
    yield "| function | parameter | what it is | bytes |"
    yield "|---|---|---|---|"
    for function in (*api.functions, *api.optional):
        name = f"`{api.prefix}{function.suffix}`"
        for one in function.parameters:
            yield f"| {name} | `{one}` | {_meaning(one)} | {f'`{one.size}`' if one.size else ''} |"
            name = ""
        if not function.parameters:
            yield f"| {name} | | | |"


def _meaning(parameter: Parameter) -> str:
    return f"{parameter.role}, {WAYS[parameter.way]}"


def _operation(api: Api) -> str:
    """Write the row of an operation."""
    own = [_signature(api, one.suffix) for one in api.functions]
    optional = [f"[{_signature(api, one.suffix)}]" for one in api.optional]
    constants = ", ".join(f"`CRYPTO_{one}`" for one in api.constants)
    return f"| `{api.name}` | {'; '.join((*own, *optional))} | {constants} |\n"


def _signature(api: Api, suffix: str) -> str:
    (one,) = [each for each in (*api.functions, *api.optional) if each.suffix == suffix]
    return f"`{suffix}({', '.join(parameter.name for parameter in one.parameters)})`"
