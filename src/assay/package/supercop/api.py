# SPDX-License-Identifier: MIT
"""What headers say by names: the constants of `api.h`, and other primitives by #include.

What a constant is worth, the compiler says: values may be expressions, names from other
headers, or depend on conditions. Here they are for reading only. As for SUPERCOP, every file
counts, and so does an #include under a condition, unless that is certainly false.
"""

import re
from collections.abc import Iterable

from assay.model.api import Api
from assay.model.operations import OPERATIONS
from assay.package.supercop.files import Files

_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w{1,200})(?![\w(])[ \t]*([^\n]*)$", re.MULTILINE | re.ASCII
)
_NAME = re.compile(r"(\w*?)CRYPTO_([A-Z0-9_]+)")
_LONGEST = 1000


def constants(code: str, prefix: str = "") -> tuple[tuple[str, str], ...]:
    """Return the names that comment-free text defines after `<prefix>CRYPTO_`, with their text.

    Of several definitions the last one counts; conditionals are not followed.
    """
    start = f"{prefix}CRYPTO_"
    found = {
        name.removeprefix(start): text.strip()[:_LONGEST]
        for name, text in _DEFINE.findall(code)
        if name.startswith(start) and name != start
    }
    return tuple(found.items())


def prefix_of(code: str, functions: tuple[str, ...]) -> str:
    """Find what stands before both the constants and the functions, as PQClean has it.

    `functions` are full names (`crypto_kem_enc`). Empty if nothing does.
    """
    for name, _ in _DEFINE.findall(code):
        found = _NAME.fullmatch(name)
        if found and found[1] and all(_called(code, found[1] + one) for one in functions):
            return found[1]
    return ""


def operation_in(api: str, code: str) -> Api | None:
    """Return the operation of a package, by its functions and then by its constants.

    `api` is the comment-free text of api.h, `code` that of the sources. None if it has
    the functions of no operation.
    """
    fitting = [one for one in OPERATIONS.values() if has_functions(one, f"{api}\n{code}")]
    return max(fitting, key=lambda one: _fit(one, api), default=None)


def function_names(operation: Api) -> tuple[str, ...]:
    """Name the functions of an operation in full: `crypto_kem_keypair`."""
    return tuple(operation.name + one.suffix for one in operation.functions)


def has_functions(operation: Api, code: str) -> bool:
    """Return whether text calls or declares all functions of an operation, prefixed or not."""
    wanted = function_names(operation)
    return all(_called(code, name) for name in wanted) or bool(prefix_of(code, wanted))


def _called(code: str, name: str) -> bool:
    return name in code and re.search(rf"\b{re.escape(name)}\s*\(", code) is not None


def _fit(operation: Api, api: str) -> tuple[int, int]:
    """Rate an operation: constants of it that api.h defines, less those it lacks."""
    found = {match[2] for name, _ in _DEFINE.findall(api) if (match := _NAME.fullmatch(name))}
    wanted = set(operation.constants)
    return len(wanted & found) - len(wanted - found), len(operation.functions)


_HEADER = re.compile(r"(crypto_[a-z]{1,20})_(\w{1,100}?)(_publicinputs)?\.h", re.ASCII)


def subroutines(
    files: Files, own: str, given: Iterable[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Name the primitives used (`crypto_hash_sha512`), and those for public inputs only.

    `own` is the package's primitive, which is none. A header that stands in the folder
    itself, or is `given` by its tree, is found there and is none either.
    """
    secret: set[str] = set()
    public: set[str] = set()
    there = {*files.real, *given}
    for header in files.includes():
        found = _HEADER.fullmatch(header)
        if found and found[1] in OPERATIONS and header not in there:
            (public if found[3] else secret).add(f"{found[1]}_{found[2]}")
    used = (secret | public) - {own}
    return tuple(sorted(used)), tuple(sorted(used - secret))
