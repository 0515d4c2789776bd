# SPDX-License-Identifier: MIT
"""The names that SUPERCOP gives: of namespaces, leagues and ABIs, and the headers with them.

The implementer writes `int crypto_hash(...)`; macros make of it a name that no other
implementation has, so that several can be linked together: in a package's own
`crypto_hash.h`, and `crypto_hash_sha256.h` for those who use the primitive.

Assembly from before SUPERCOP had leagues has functions without a suffix:
`crypto_hash_cubehash512_amd64_32` is what later versions call
`crypto_hash_cubehash512_amd64_32_timingleaks`. It is known by its directives.
"""

import re
from collections.abc import Iterator
from platform import machine

from assay.model import GOALS, Configuration, OperationDetails, Package, Target
from assay.model.api import Api, Function
from assay.model.operations import OPERATIONS
from assay.package.text import code_of, identifier, read_text
from assay.targets.architectures import abi_word, of_machine

CONSTANT_TIME, TIMING_LEAKS = "constbranchindex", "timingleaks"


def details_of(package: Package) -> OperationDetails:
    """Return what only packages of this API have."""
    if package.details is None:
        raise ValueError(f"{package.selector} is no package of the SUPERCOP API")
    return package.details


def primitive_name(package: Package) -> str:
    """Name the primitive as headers do: `crypto_hash_sha256`, `crypto_aead_aes_gcm`."""
    return identifier(f"{details_of(package).operation}_{package.primitive}")


def namespace(package: Package, league: str) -> str:
    """Return the prefix of an implementation's symbols: `crypto_hash_sha256_ref_timingleaks`."""
    return identifier(f"{package.selector}/{league}")


def old_namespace(package: Package) -> str:
    """Return that prefix as it was before there were leagues: `crypto_hash_sha256_ref`."""
    return identifier(package.selector)


def claims_constant_time(package: Package) -> bool:
    """Return whether the package itself declares both goals."""
    return package.goals >= GOALS


def abi_of(configuration: Configuration, target: Target) -> str:
    """Return SUPERCOP's word for the ABI that a configuration compiles for."""
    if not target.is_native:
        return abi_word(target.architecture)
    return native_abi(configuration.arch.split())


def native_abi(options: list[str]) -> str:
    """Return SUPERCOP's word for this machine's ABI under the given options."""
    if "-m32" in options and machine() == "x86_64":
        return "x86"
    return abi_word(machine())


def fits_abi(package: Package, abi: str) -> bool:
    """Return whether the package's file `architectures` allows the ABI, or one beside it."""
    beside = of_machine(abi).beside
    return names_abi(package, abi) or not set(beside).isdisjoint(details_of(package).architectures)


def names_abi(package: Package, abi: str) -> bool:
    """Return whether the package's file `architectures` names the ABI, or there is none."""
    allowed = details_of(package).architectures
    return not allowed or abi in allowed


API_HEADER = "api.h"
_CONSTANT = re.compile(r"(?<=[ \t])CRYPTO_(?!NAMESPACE\b)")  # an author's api.h may use that one


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


ASSEMBLY = (".s", ".S")
_GLOBAL = re.compile(r"\.glob(?:a)?l[ \t]+(\w+)")


def old_symbols(package: Package, own: str) -> dict[str, dict[str, str]]:
    """State which of the API's functions each source in assembly has under an old name.

    Nothing is renamed where any source has the new name `own`.
    """
    sources = (name for name in package.sources if name.endswith(ASSEMBLY))
    texts = {name: code_of(read_text(package.root / name)) for name in sources}
    found = {name: set(_GLOBAL.findall(text)) for name, text in texts.items()}
    operation, old = OPERATIONS[details_of(package).operation], old_namespace(package)
    suffixes = [one.suffix for one in (*operation.functions, *operation.optional)]
    everywhere = {symbol for symbols in found.values() for symbol in symbols}
    wanted = {old + one: own + one for one in suffixes if own + one not in everywhere}
    renamed = {
        name: {symbol: wanted[symbol] for symbol in sorted(symbols & wanted.keys())}
        for name, symbols in found.items()
    }
    return {name: symbols for name, symbols in renamed.items() if symbols}
