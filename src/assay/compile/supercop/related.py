# SPDX-License-Identifier: MIT
"""Functions that a package's headers declare besides those of its operation.

PQClean's signatures have `crypto_sign_signature` and `crypto_sign_verify`, of which
`crypto_sign` and `crypto_sign_open` are made; users call them. Those that the table of
operations knows (`Api.related`) are in the adapter; the others are named in the verdict.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from assay.compile.supercop.names import API_HEADER, details_of
from assay.errors import PackageError
from assay.model import Package
from assay.model.api import Function, Way
from assay.model.operations import OPERATIONS
from assay.package.text import code_of, defines, includes, read_text

HEADERS, SOURCES = (".h", ".hpp"), (".c", ".cc", ".cpp", ".s", ".S")
SUPERCOP = "supercop"
PREFIXED = ("pqclean", "nist")  # layouts whose headers are the author's
_BOUND = re.compile(r"\[[^\]]*\]")


class RelatedFunctions(Struct, frozen=True):
    """What headers declare: functions that are called, declarations that api.h lacks, the rest.

    `left` are the names of functions that nobody calls, each with the reason if there is one.
    """

    functions: tuple[Function, ...] = ()
    declarations: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def declared(package: Package) -> str:
    """Return the code of api.h and of the package's headers that it includes."""
    todo, seen = [API_HEADER], dict[str, str]()
    while todo:
        name = todo.pop()
        if name in package.files and name not in seen:
            seen[name] = code_of(read_text(package.root / name))
            todo += includes(seen[name])
    return "\n".join(seen.values())


def related(package: Package) -> RelatedFunctions:
    """Find the functions of a package that belong to its operation, or might."""
    details = details_of(package)
    operation = OPERATIONS[details.operation]
    if details.entry:
        text = "" if details.functions else details.entry
        named = ((one, operation.name + one.suffix) for one in operation.related)
        return RelatedFunctions(tuple(one for one, name in named if defines(text, name)))
    if details.layout not in (*PREFIXED, SUPERCOP) or details.functions or details.by_table:
        return RelatedFunctions()
    stem = details.prefix + operation.name
    api, others = declared(package), _texts(package, HEADERS)
    known = {stem + one.suffix for one in (*operation.functions, *operation.optional)}
    found: list[Function] = []
    texts: list[str] = []
    left: list[str] = []
    for one in operation.related:
        name = stem + one.suffix
        own = _prototype(api, name)
        further = None if own is not None else _prototype(others, name)
        if (there := own or further) is None:
            continue
        known.add(name)
        called = replace(one, result="void") if there["result"] == "void" else one
        if why := _why_not(package, called, there, own_header=own is not None):
            left.append(f"{name.removeprefix(details.prefix)} ({why})")
            continue
        found.append(called)
        if own is None:
            texts.append(f"extern {called.result} {name}({_BOUND.sub('[]', there[2])});")
    prefix = f"{stem}_" if details.layout == SUPERCOP else f"{details.prefix}crypto_"
    prototypes = _prototypes(api, prefix)
    left += [other.removeprefix(details.prefix) for other in prototypes if other not in known]
    return RelatedFunctions(tuple(found), tuple(texts), tuple(left))


def _prototype(text: str, name: str) -> re.Match[str] | None:
    """Find a prototype; group 1 is its result, and group 2 what stands in its parentheses."""
    pattern = rf"(?:\b(?P<result>\w+)[\s*]+)?\b{re.escape(name)}\s*\(([^()]*)\)\s*;"
    return re.search(pattern, text)


def _why_not(package: Package, one: Function, there: re.Match[str], *, own_header: bool) -> str:
    """Return why a declared function cannot be called; empty if it can.

    A context has a type of the author's, so api.h must declare it, and it comes first. In
    SUPERCOP's layout macros hide names: the adapter sees those of api.h, and what SUPERCOP
    links is the file with the operation's own functions.
    """
    details = details_of(package)
    operation = OPERATIONS[details.operation]
    supercop = details.layout == SUPERCOP
    types = [each.strip() for each in there[2].split(",")]
    contexts = [each.way is Way.BOTH for each in one.parameters]
    if len(types) != len(one.parameters) or (contexts[0] and _is_bytes(types[0])):
        return "other parameters"
    if not own_header and (supercop or any(contexts)):
        return "another header than api.h declares it"
    names = (details.prefix + operation.name + one.suffix, operation.name + one.suffix)
    if supercop:
        above = [operation.name + each.suffix for each in operation.functions]
        every = [_texts(package, SOURCES, (name,)) for name in package.files]
        together = [text for text in every if any(defines(text, each) for each in above)]
        return "" if any(defines(text, names[1]) for text in together) else "not defined"
    sources = _texts(package, SOURCES)  # a macro may stand for the name there
    return "" if any(defines(sources, each) for each in names) else "not defined"


def _is_bytes(parameter: str) -> bool:
    """Return whether a parameter is bytes or read only, so none of the author's contexts."""
    return re.search(r"\b(?:const|char|uint8_t)\b", parameter) is not None


def _prototypes(text: str, stem: str) -> Iterator[str]:
    """Yield the names of functions that are declared and begin so, each once."""
    found = re.findall(rf"\w[\s*]+({re.escape(stem)}\w+)\s*\([^()]*\)\s*;", text)
    yield from dict.fromkeys(found)


def _texts(
    package: Package, endings: tuple[str, ...], names: tuple[str, ...] | None = None
) -> str:
    """Return the code of files, one after another; what cannot be read has none."""
    found = []
    for name in package.files if names is None else names:
        if name.endswith(endings):
            try:
                found.append(code_of(read_text(package.root / name)))
            except PackageError:
                continue
    return "\n".join(found)
