# SPDX-License-Identifier: MIT
"""What a tree with a build of its own shows of itself: headers, sources, and its build's files.

Files of builds are read as texts and never run.
"""

import json
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path, PurePosixPath

from msgspec import Struct, field

from assay.errors import AssayError, UsageError
from assay.model.api import Api
from assay.model.operations import OPERATIONS
from assay.package.builds.rules import build_texts, choice, mentioned
from assay.package.supercop.api import has_functions
from assay.package.supercop.files import SOURCES, facts_of, is_inside
from assay.package.text import code_of, defines, has_main, read_text

_LAST_WORD = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", re.ASCII)


def longer_functions(operation: Api, code: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield a name, the call with 0 for whatever the API has no value for, and what that is.

    Only where the header names its parameters as the API does, and has further ones.
    """
    for one in operation.functions:
        name = operation.name + one.suffix
        declared = re.search(rf"\b{name}\s*\(([^()]*)\)\s*;", code)
        if declared is None:
            continue
        found = [_LAST_WORD.search(each) for each in declared[1].split(",")]
        given = [each[1] if each else "" for each in found]
        known = {each.name for each in one.parameters}
        more = tuple(each for each in given if each not in known)
        if more and known <= {*given}:
            arguments = (each if each in known else "0" for each in given)
            yield name, f"{name}({', '.join(arguments)})", more


MOST_FILES = 20_000
NO_PART = frozenset(("test", "tests", "unit_tests", "kat", "kats", "bench", "benchmark",
                     "benchmarking", "benchmarks", "apps", "app", "example", "examples", "doc",
                     "docs", "scripts", "tools", "utilities", "integration", "proofs", "fuzz",
                     "nistkat", "build"))  # fmt: skip
ALTERNATIVES = frozenset(("ref", "opt", "avx", "avx2", "avx512", "sse", "ssse3", "neon", "amd64",
                          "x86_64", "aarch64", "arm", "armv7m", "m4", "gfni", "generic",
                          "broadwell", "opt64", "portable"))  # fmt: skip
DATABASES = ("compile_commands.json", "build/compile_commands.json")
PROCESSORS = {"avx": "amd64", "avx2": "amd64", "avx512": "amd64", "sse": "amd64",
              "ssse3": "amd64", "amd64": "amd64", "x86_64": "amd64", "gfni": "amd64",
              "broadwell": "amd64", "neon": "aarch64", "aarch64": "aarch64"}  # fmt: skip
_POINTER_TO_SIZE = re.compile(r"\bsize_t\s*\*")


class TreeLooks(Struct):
    """What was found: paths are below the tree, and `alternatives` are sources by their name.

    `choice` is a macro that may choose parameter sets, with its values; `size_lengths` says
    that the header has `size_t *`, and `longer` are functions with further parameters.
    """

    operation: str = ""
    headers: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    include: list[str] = field(default_factory=list)
    defines: list[str] = field(default_factory=list)
    macros: list[str] = field(default_factory=list)
    choice: tuple[str, tuple[str, ...]] = ("", ())
    size_lengths: bool = False
    longer: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    alternatives: dict[str, list[str]] = field(default_factory=dict)


def look_at(root: Path) -> TreeLooks:
    """Look at a tree; UsageError if nothing in it declares the functions of an operation."""
    names = list(islice(_files(root), MOST_FILES))
    looks = TreeLooks()
    _headers(root, names, looks)
    if not looks.headers:
        known = ", ".join(OPERATIONS)
        raise UsageError(
            f"no header in {root} declares the functions of an operation",
            f"Write the description by hand (docs/guide/trees.md). Operations: {known}.",
        )
    _sources(root, names, looks)
    _include(root, names, looks)
    _commands(root, looks)
    texts = tuple(build_texts(root, names))
    looks.macros, looks.choice = mentioned(texts), choice(texts)
    looks.answers = [name for name in names if re.search(r"KAT\S*\.rsp$|KAT\S*\.txt$", name)]
    return looks


def _files(root: Path) -> Iterator[str]:
    """Yield the files of a tree in order; links to folders are not followed."""
    for folder, below, files in os.walk(root):
        below[:] = sorted(one for one in below if not one.startswith("."))
        for name in sorted(files):
            path = Path(folder) / name
            if name.isprintable() and path.is_file() and is_inside(path, root):
                yield path.relative_to(root).as_posix()


def _is_part(name: str) -> bool:
    return NO_PART.isdisjoint(part.lower() for part in PurePosixPath(name).parts[:-1])


def _code(root: Path, name: str) -> str:
    try:
        return code_of(read_text(root / name))
    except (AssayError, OSError):
        return ""


def _headers(root: Path, names: list[str], looks: TreeLooks) -> None:
    """Find the headers that declare all functions of one operation."""
    found: dict[str, list[str]] = {}
    for name in (one for one in names if one.endswith(".h") and _is_part(one)):
        code = _code(root, name)
        for operation in OPERATIONS.values():
            if operation.name in code and has_functions(operation, code):
                found.setdefault(operation.name, []).append(name)
    if found:
        looks.operation = max(found, key=lambda one: len(OPERATIONS[one].functions))
        looks.headers = sorted(found[looks.operation], key=lambda one: not one.endswith("api.h"))
        code = _code(root, looks.headers[0])
        looks.size_lengths = _POINTER_TO_SIZE.search(code) is not None
        looks.longer = list(longer_functions(OPERATIONS[looks.operation], code))


def _sources(root: Path, names: list[str], looks: TreeLooks) -> None:
    """Find the sources, and those among which one chooses, by the folder that names them."""
    for name in (one for one in names if one.endswith(SOURCES)):
        code = _code(root, name)
        if not _is_part(name):
            continue
        if has_main(code) or defines(code, "randombytes") or "genKAT" in name:
            looks.left_out.append(name)
            continue
        parts = [one.lower() for one in PurePosixPath(name).parts[:-1]]
        kind = next((one for one in reversed(parts) if one in ALTERNATIVES), "")
        where = looks.alternatives.setdefault(kind, []) if kind else looks.sources
        where.append(name)


def _include(root: Path, names: list[str], looks: TreeLooks) -> None:
    """Name the folders with headers that sources elsewhere include by their plain names."""
    places: dict[str, set[str]] = {}
    for name in (one for one in names if one.endswith(".h") and _is_part(one)):
        folder = PurePosixPath(name).parent
        if not ALTERNATIVES.intersection(part.lower() for part in folder.parts):
            places.setdefault(PurePosixPath(name).name, set()).add(str(folder))
    wanted: dict[str, None] = {}
    for source in (*looks.sources, *looks.headers):
        own = str(PurePosixPath(source).parent)
        for header in sorted(facts_of(os.path.realpath(root / source)).includes):
            wanted |= dict.fromkeys(one for one in sorted(places.get(header, ())) if one != own)
    looks.include = list(wanted)


def _commands(root: Path, looks: TreeLooks) -> None:
    """Add folders and macros that all commands of a compilation database have."""
    path = next((root / one for one in DATABASES if (root / one).is_file()), None)
    if path is None:
        return
    try:
        listed = json.loads(read_text(path))
        words = [str(one.get("command") or " ".join(one["arguments"])) for one in listed]
    except (AssayError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is no compilation database: {error}", "Remove it.") from None
    macros = [set(re.findall(r"-D(\S+)", one)) for one in words]
    looks.defines = sorted(set.intersection(*macros)) if macros else []
