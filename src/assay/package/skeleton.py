# SPDX-License-Identifier: MIT
"""A package to fill in, for every API: it compiles, and its functions do nothing yet."""

import re
import textwrap
from importlib import resources
from pathlib import Path

from assay.errors import UsageError
from assay.model.api import STEM, Api, Function
from assay.model.apis import COMPACT, PACKAGED, STREAMS
from assay.model.operation import OF_OPTIONAL, Operation
from assay.model.operations import OPERATIONS
from assay.model.timed import sizes
from assay.package.builds.makefile import makefile_text

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


USUAL = 32
SELDOM = {"NOOVERLAP", "DETERMINISTIC"}  # 1 or absent


def operation_files(operation: Operation) -> dict[str, str]:
    """Return api.h and the source."""
    left_out = SELDOM | (OF_OPTIONAL if operation.optional else set())
    usual = sizes(operation.usual)
    constants = [
        f"#define CRYPTO_{name} {usual.get(name, USUAL)}"
        for name in operation.constants
        if name not in left_out
    ]
    functions = "\n".join(definition(operation, one) for one in operation.functions)
    includes = f'#include "{operation.name}.h"\n'
    if operation.randomised:
        includes += '#include "randombytes.h"\n'
    rule = _RULE[any(one.result != "void" for one in operation.functions)]
    source = f"{includes}\n/* [edit] All functions below. {rule} */\n\n"
    return {
        "api.h": "\n".join(["/* [edit] The sizes of the primitive. */", *constants, ""]),
        f"{operation.short}.c": source + functions,
    }


_RULE = {True: "They return 0, or -1 to reject an input.", False: "They return nothing."}


STD = "-std=c99"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")

_CODE = """\
#include "{header}"

/* [edit] All functions below. What must be remembered from call to call is in {state}. */

"""
_STATE = {"stream": "*ctx", "hash": "*state"}

_HASH_HEADER = """\
#ifndef {name}_h__
#define {name}_h__

#include <stddef.h>

/* [edit] the digest sizes in bits that out_size may have */
#define {name}_SIZES 256

/* [edit] whatever must be remembered; it may be copied with memcpy at any time */
typedef struct {{
    unsigned state[8];
}} {name}_context;

"""

_HASH_CODE = """\
#include "{name}.h"

/* [edit] All functions below. */

"""


def write_skeleton(folder: Path, api: str) -> Path:
    """Write a package to fill in and return its folder; UsageError if it cannot be made.

    That of an operation is `crypto_hash/NAME/ref` beside `folder`, as SUPERCOP has it, where
    `folder` is not in such a place already.
    """
    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!a} cannot be a name in C", "Use letters, digits and underscores.")
    if api in OPERATIONS and api not in folder.absolute().parts:
        folder = folder.parent / api / name / "ref"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", "Choose another name, or remove it.")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in skeleton_files(name, api).items():
        (folder / file).write_text(text, "ascii")
    return folder


def skeleton_files(name: str, api: str) -> dict[str, str]:
    """Return the texts of a package's files by their names."""
    if api in OPERATIONS:
        return operation_files(OPERATIONS[api])
    if api == COMPACT.name:
        return _compact_files(name.lower())
    header = PACKAGED[api].marks.headers[0]
    code = _CODE.format(header=header, state=_STATE[PACKAGED[api].kind])
    template = resources.files("assay").joinpath("harness", "api", header).read_text("ascii")
    files = {
        header: template.replace('"Cipher Name"', f'"{name}"'),
        f"{name}.c": code + definitions(PACKAGED[api], said=api in STREAMS),
    }
    if api in STREAMS:
        files["Makefile"] = makefile_text(name, api.removeprefix("ecrypt-"), STD)
    return files


def _compact_files(name: str) -> dict[str, str]:
    header = _HASH_HEADER.format(name=name) + declarations(COMPACT, name) + "\n#endif\n"
    return {
        f"{name}.h": header,
        f"{name}.c": _HASH_CODE.format(name=name) + definitions(COMPACT, name, said=False),
    }
