# SPDX-License-Identifier: MIT
"""Declarations and empty definitions of an API's functions, in C, for packages to fill in."""

import textwrap

from assay.model.api import STEM, Api, Function

WIDTH = 99
_KEPT = "\0"  # in place of blanks where no line may end
_NOTHING = {"void": "", "int": "    return -1;\n", "HashReturn": "    return FAIL;\n"}


def declarations(api: Api, stem: str = STEM) -> str:
    """Write the prototypes that belong into a header, each below what its function does."""
    functions = api.functions
    return "\n".join(f"{_comment(one)}{_head(api, one, stem)};\n" for one in functions)


def definitions(api: Api, stem: str = STEM, *, said: bool = True) -> str:
    """Write functions that do nothing, with comments if that is to be `said`."""
    return "\n".join(
        (_comment(one) if said else "") + definition(api, one, stem) for one in api.functions
    )


def definition(api: Api, function: Function, stem: str = STEM) -> str:
    """Write a function that does nothing and fails, if it can say so."""
    return f"{_head(api, function, stem)}\n{{\n{_NOTHING[function.result]}}}\n"


def _head(api: Api, function: Function, stem: str) -> str:
    """Write a prototype, with its parameters aligned where it takes several lines."""
    text = api.prototype(function, stem)
    indent = " " * (text.index("(") + 1)
    unbroken = text.replace(" ", _KEPT).replace(f",{_KEPT}", ", ")
    lines = textwrap.wrap(unbroken, WIDTH, subsequent_indent=indent)
    return "\n".join(lines).replace(_KEPT, " ")


def _comment(function: Function) -> str:
    if not function.says:
        return ""
    lines = textwrap.wrap(function.says, WIDTH - 3)
    if len(lines) == 1 and len(lines[0]) <= WIDTH - 6:
        return f"/* {lines[0]} */\n"
    return "".join(["/*\n", *(f" * {line}\n" for line in lines), " */\n"])
