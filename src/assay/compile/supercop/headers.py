# SPDX-License-Identifier: MIT
"""The headers that SUPERCOP generates for every implementation, with its names.

The implementer writes `int crypto_hash(...)`; macros make of it a name that no other
implementation has, so that several can be linked together: in a package's own
`crypto_hash.h`, and `crypto_hash_sha256.h` for those who use the primitive.
"""

import re
from collections.abc import Iterator

from assay.compile.supercop.names import details_of, namespace, old_namespace, primitive_name
from assay.model import Package
from assay.model.api import Api, Function
from assay.model.operations import OPERATIONS

API_HEADER = "api.h"
_CONSTANT = re.compile(r"(?<=[ \t])CRYPTO_")


def own_headers(package: Package, league: str) -> dict[str, str]:
    """Return the headers that stand beside an implementation's own sources, by name."""
    operation = OPERATIONS[details_of(package).operation]
    primitive = primitive_name(package)
    lines = [f'#include "{primitive}.h"']
    lines += [f"#define {operation.name}{e} {primitive}{e}" for e in _endings(operation)]
    lines += [
        f'#define {operation.name}_PRIMITIVE "{package.primitive}"',
        f"#define {operation.name}_IMPLEMENTATION {primitive}_IMPLEMENTATION",
        f"#define {operation.name}_VERSION {primitive}_VERSION",
    ]
    headers = {f"{operation.name}.h": _guarded(operation.name, lines)}
    return headers | shared_headers(package, league)


def shared_headers(package: Package, league: str) -> dict[str, str]:
    """Return the headers by which other packages use an implementation, by name."""
    primitive = primitive_name(package)
    names = (primitive, f"{primitive}_publicinputs")
    return {f"{name}.h": _guarded(name, _definitions(package, league, name)) for name in names}


def plain_headers() -> dict[str, str]:
    """Return the headers that NIST's lightweight call provides, one an operation: plain names."""
    return {
        f"{name}.h": _guarded(name, _linkage(_prototypes(operation, name)))
        for name, operation in OPERATIONS.items()
    }


def _definitions(package: Package, league: str, name: str) -> list[str]:
    operation = OPERATIONS[details_of(package).operation]
    own = namespace(package, league)
    text = (package.root / API_HEADER).read_text("utf-8", "replace")
    return [
        _CONSTANT.sub(f"{own}_", text),
        *_old_constants(operation, text, old_namespace(package), own),
        *_linkage(_prototypes(operation, own)),
        *(f"#define {name}{ending} {own}{ending}" for ending in _endings(operation)),
        f'#define {name}_IMPLEMENTATION "{package.selector}"',
        f"#ifndef {own}_VERSION",
        f'#define {own}_VERSION "-"',
        "#endif",
        f"#define {name}_VERSION {own}_VERSION",
    ]


def _old_constants(operation: Api, text: str, old: str, own: str) -> Iterator[str]:
    """Yield the constants that api.h has under names from before there were leagues."""
    for name in operation.constants:
        if re.search(rf"\b{old}_{name}\b", text):
            yield f"#ifndef {own}_{name}\n#define {own}_{name} {old}_{name}\n#endif"


def prototype(function: Function, name: str) -> str:
    """Write a function's declaration."""
    types = ",".join(parameter.type for parameter in function.parameters)
    return f"extern {function.result} {name}({types});"


def _prototypes(operation: Api, name: str) -> list[str]:
    functions = (*operation.functions, *operation.optional)
    return [prototype(one, f"{name}{one.suffix}") for one in functions]


def _linkage(declarations: list[str]) -> list[str]:
    """Let C++ see functions of C."""
    cpp = "#ifdef __cplusplus"
    return [cpp, 'extern "C" {', "#endif", *declarations, cpp, "}", "#endif"]


def _endings(operation: Api) -> Iterator[str]:
    """Yield what follows the operation's name in functions and constants."""
    yield from (one.suffix for one in (*operation.functions, *operation.optional))
    yield from (f"_{constant}" for constant in operation.constants)


def _guarded(name: str, lines: list[str]) -> str:
    return "\n".join([f"#ifndef {name}_H", f"#define {name}_H", *lines, "#endif", ""])
