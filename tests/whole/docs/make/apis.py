# SPDX-License-Identifier: MIT
"""The page of APIs, from the table of APIs."""

from collections.abc import Iterator

from assay.measure.operation.parts import VERIFY
from assay.model.api import Api, Parameter, Way
from assay.model.apis import PACKAGED
from assay.model.operation import SCORED_BYTES, SCORED_ITEMS
from assay.model.operations import OPERATIONS
from assay.model.timed import BUFFER, TableCall, Timed

INTRODUCTION = """\
# APIs

Made by `./scripts/docs` from `apis.py`, `operations.py` and `timed.py` in `src/assay/model/`.
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


TIMED_HEAD = """\
## What is timed of operations

Calls work on variables, whose sizes in bytes come first.
There `#` is the length of the message, and `##` that of associated data or of the output.
What one call writes the next one reads; calls in brackets only prepare.
`#c` is the length of `c`, `&` the address of a length that is written, and `@c` that length.
A byte of `c~` is changed before the call.
Calls return 0, or what follows `=`; `?` is anything.
Half of the pairs of `{verify}` are equal, and it must return 0 for these alone.
Of other calls that accept or refuse a sixth has the other result, and does not count.
Contests compare the sum of the calls for {scored} bytes or {items} items.
Key pairs, preparations and forgeries do not count in it.

| operation | variables | calls, with the names of the measures | lengths |
|---|---|---|---|
"""


def page() -> str:
    """Write the page."""
    rows = "".join(map(_operation, OPERATIONS.values()))
    head = TIMED_HEAD.format(scored=SCORED_BYTES, items=SCORED_ITEMS, verify=VERIFY)
    timing = head + "".join(map(_timed_operation, OPERATIONS.values()))
    sections = map(_section, PACKAGED.values())
    return "\n".join([INTRODUCTION, *sections, OPERATIONS_HEAD + rows, timing])


def _section(api: Api) -> str:
    """Write what the table says of an API that is recognised by its header."""
    return "\n".join(
        [f"## {api.name}\n", *_facts(api), "", *_functions(api), "", *_timed(api), ""]
    )


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


def _timed(api: Api) -> Iterator[str]:
    yield "| what is timed | calls | bytes of a call |"
    yield "|---|---|---|"
    for row in api.timing.measures:
        calls = "; ".join(_call(api, row, call) for call in row.calls)
        decides = ", which contests compare" if row.name == api.timing.decides else ""
        lengths = ", ".join("the header's buffer" if n == BUFFER else str(n) for n in row.lengths)
        blocks = ", in whole blocks" if row.whole else ""
        yield f"| `{row.name}`{decides} | {calls} | {lengths}{blocks} |"


def _timed_operation(api: Api) -> str:
    """Write the row of what is timed of an operation."""
    timing = api.timing
    sized = "; ".join(f"`{name}` `{size}`" for name, size in timing.variables.items())
    calls = "<br>".join(
        f"`{row.name}`: {_call(api, row, call)}" if row.name else f"[{_call(api, row, call)}]"
        for row in timing.measures
        for call in row.calls
    )
    lengths = ", ".join(map(str, timing.lengths)) if timing.has_message else ""
    second = f"; `##` also {timing.second}" if timing.has_second else ""
    return f"| `{api.name}` | {sized} | {calls} | {lengths}{second} |\n"


def _call(api: Api, row: Timed, call: TableCall) -> str:
    marked = (f"{one}~" if one == call.forged else one for one in call.arguments)
    prefix = api.prefix if api.name in PACKAGED else ""
    returns = "" if row.returns == "0" else f" = {row.returns}"
    if api.name == VERIFY:
        returns += " or 0"
    return f"`{prefix}{call.suffix}({', '.join(marked)}){returns}`"


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
