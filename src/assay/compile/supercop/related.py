# SPDX-License-Identifier: MIT
"""Functions that a package's headers declare besides those of its operation.

PQClean's signatures have `crypto_sign_signature` and `crypto_sign_verify`, of which
`crypto_sign` and `crypto_sign_open` are made; users call them. Those that the table of
operations knows (`Api.related`) are in the adapter; the others are named in the verdict.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.compile.supercop.headers import API_HEADER
from assay.compile.supercop.names import details_of
from assay.errors import PackageError
from assay.model import Package
from assay.model.api import Function
from assay.model.operations import OPERATIONS
from assay.package.text import code_of, defines, includes, read_text

HEADERS, SOURCES = (".h", ".hpp"), (".c", ".cc", ".cpp", ".s", ".S")
PREFIXED = ("pqclean", "nist")  # layouts whose headers are the author's
_BOUND = re.compile(r"\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class RelatedFunctions:
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
    if details.layout not in PREFIXED or details.functions or details.by_table:
        return RelatedFunctions()
    stem = details.prefix + operation.name
    api, others = declared(package), _texts(package, HEADERS)
    sources = _texts(package, SOURCES)  # a macro may stand for the name there
    known = {stem + one.suffix for one in (*operation.functions, *operation.optional)}
    found: list[Function] = []
    texts: list[str] = []
    left: list[str] = []
    for one in operation.related:
        name = stem + one.suffix
        own = _parameters(api, name)
        further = None if own is not None else _parameters(others, name)
        if own is None and further is None:
            continue
        known.add(name)
        if not any(defines(sources, each) for each in (name, operation.name + one.suffix)):
            left.append(f"{name.removeprefix(details.prefix)} (not defined)")
            continue
        found.append(one)
        if further is not None:
            texts.append(f"extern {one.result} {name}({_BOUND.sub('[]', further)});")
    prototypes = _prototypes(api, f"{details.prefix}crypto_")
    left += [other.removeprefix(details.prefix) for other in prototypes if other not in known]
    return RelatedFunctions(tuple(found), tuple(texts), tuple(left))


def _parameters(text: str, name: str) -> str | None:
    """Return what stands in the parentheses of a prototype; None if there is none."""
    found = re.search(rf"\b{re.escape(name)}\s*\(([^()]*)\)\s*;", text)
    return found and found[1]


def _prototypes(text: str, stem: str) -> Iterator[str]:
    """Yield the names of functions that are declared and begin so, each once."""
    found = re.findall(rf"\w[\s*]+({re.escape(stem)}\w+)\s*\([^()]*\)\s*;", text)
    yield from dict.fromkeys(found)


def _texts(package: Package, endings: tuple[str, ...]) -> str:
    """Return the code of files, one after another; what cannot be read has none."""
    found = []
    for name in package.files:
        if name.endswith(endings):
            try:
                found.append(code_of(read_text(package.root / name)))
            except PackageError:
                continue
    return "\n".join(found)
