# SPDX-License-Identifier: MIT
"""A package to fill in, for every API: it compiles, and its functions do nothing yet."""

import re
from importlib import resources
from pathlib import Path

from assay.errors import UsageError
from assay.model.apis import COMPACT, PACKAGED, STREAMS
from assay.model.operations import OPERATIONS
from assay.package.makefile import makefile_text
from assay.package.prototypes import declarations, definitions
from assay.package.skeleton_operation import operation_files

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
    files = {
        header: _template(header).replace('"Cipher Name"', f'"{name}"'),
        f"{name}.c": code + definitions(PACKAGED[api], said=api in STREAMS),
    }
    if api not in STREAMS:
        return files
    return {
        **files,
        "Makefile": makefile_text(name, api.removeprefix("ecrypt-"), STD, ()),
    }


def _template(header: str) -> str:
    """Read a header with places to fill in."""
    return resources.files("assay").joinpath("harness", "api", header).read_text("ascii")


def _compact_files(name: str) -> dict[str, str]:
    header = _HASH_HEADER.format(name=name) + declarations(COMPACT, name) + "\n#endif\n"
    return {
        f"{name}.h": header,
        f"{name}.c": _HASH_CODE.format(name=name) + definitions(COMPACT, name, said=False),
    }
