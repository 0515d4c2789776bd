# SPDX-License-Identifier: MIT
"""Packages of a description: which one is meant, and what becomes of it.

It is a file, a tree's own, one that Assay comes with, or a folder of them. The tree stays as it
is, and one header is written elsewhere.
"""

import atexit
import functools
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from assay.errors import AssayError, UsageError
from assay.model import BrokenPackage, Package
from assay.model.packages import OperationDetails
from assay.package.described.closure import (
    Described,
    SeenTree,
    closure,
    matched,
    missing,
    packages_of,
)
from assay.package.described.toml import FILE_NAME, DescribedTree, read_description
from assay.package.records import Loading, language_of, operation_package
from assay.package.supercop.files import SOURCES
from assay.package.supercop.listing import Listed

API = "api.h"
TREE = "tree"
_NOTE = "/* Written by Assay from {path}: {digest} */"


def load_described(path: Path, root: Path | None = None) -> tuple[Package | BrokenPackage, ...]:
    """Load every package of a description; `root` is the tree where the file does not say it."""
    tree = read_description(path)
    place = (root or path.parent / tree.root).absolute()
    place = Path(os.path.normpath(place))
    if not place.is_dir():
        raise tree.wrong(
            f"the tree {place} is not there", "Correct root, the way from this file.", "root"
        )
    seen, cure = SeenTree(place), "Check the permissions of the tree."
    return tuple(
        Loading(place, one.place, place, str, cure).load(functools.partial(_load, one, seen))
        for one in packages_of(tree)
    )


def _load(one: Described, seen: SeenTree) -> Package:
    root = seen.root
    sources = tuple(n for n in matched(one, seen, "sources") if n.endswith(SOURCES))
    if not sources:
        suffixes = " ".join(SOURCES)
        raise one.tree.wrong("it has no sources", f"Name some ({suffixes}) in sources.", "sources")
    for name in one.lists["include"]:
        if not (root / name).is_dir():
            raise one.tree.wrong(
                f"there is no folder {name!a} in the tree",
                "Name folders below the root.",
                "include",
            )
    header = one.texts.get("header", "")
    if header and not (root / header).is_file():
        raise missing(one, header, "header")
    real = closure(one, seen, (*sources, *([header] if header else [])), one.lists["include"])
    files = {API: _written(one, sources)}
    files |= {f"{TREE}/{name}": Path(place) for name, place in real.items()}
    details = _details(one, seen, tuple(files.items()), sources)
    named = tuple(f"{TREE}/{name}" for name in sources)
    return operation_package(one.place, root, API, named, {}, details)


def _details(
    one: Described, seen: SeenTree, shared: tuple[tuple[str, Path], ...], sources: tuple[str, ...]
) -> OperationDetails:
    macros = [(f"{TREE}/{name}", each) for name in sources for each in one.lists["defines"]]
    macros += [(f"{TREE}/{name}", each) for name, each in one.tables["defines_of"].items()]
    return OperationDetails(
        operation=one.operation.name,
        tree=seen.root,
        language=language_of(sources),
        layout="nist",
        constants=tuple(one.tables["constants"].items()),
        goals=one.lists["goals"],
        architectures=one.lists["architectures"],
        shared=shared,
        folders=tuple(f"{TREE}/{name}".rstrip("/") for name in one.lists["include"]),
        defines=tuple(macros),
        answers=tuple(seen.root / name for name in matched(one, seen, "answers")),
        functions=one.functions,
        size_lengths=one.texts.get("lengths") == "size_t",
        pieces=one.texts.get("pieces", ""),
        libraries=tuple(_library(one, seen.root, name) for name in one.lists["libraries"]),
    )


def _library(one: Described, root: Path, name: str) -> Path:
    """Return a library's real place, which may be outside of the tree."""
    path = Path(os.path.realpath(root / name))
    if not path.is_file():
        raise one.tree.wrong(f"there is no library {name!a}", "Build it first.", "libraries")
    return path


def _written(one: Described, sources: tuple[str, ...]) -> Path:
    """Write the header of a package into a folder of this process; the same text only once."""
    text = _header(one, sources)
    path = _folder() / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.h"
    if not path.is_file():
        path.write_text(text)
    return path


@functools.cache
def _folder() -> Path:
    """Make the folder for headers; whoever is killed leaves it to the next sweep."""
    folder = Path(tempfile.mkdtemp(prefix=f"assay-described-{os.getpid()}-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _header(one: Described, sources: tuple[str, ...]) -> str:
    """Return the header that Assay's adapter includes: upstream's, and the constants."""
    about = [
        sources,
        dict(one.lists),
        dict(one.texts),
        {k: dict(v) for k, v in one.tables.items()},
    ]
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()
    lines = [_NOTE.format(path=one.tree.path.name, digest=digest), "#undef SUPERCOP"]
    for macro in one.lists["defines"]:
        name, _, value = macro.partition("=")
        lines += [f"#ifndef {name.partition('(')[0]}", f"#define {name} {value or 1}", "#endif"]
    if "header" in one.texts:
        lines.append(f'#include "{TREE}/{one.texts["header"]}"')
    for name, value in one.tables["constants"].items():
        lines += [f"#undef CRYPTO_{name}", f"#define CRYPTO_{name} ({value})"]
    return "\n".join([*lines, ""])


KNOWN = Path(__file__).parent / "known"
SUFFIX = ".toml"
CHOICE = ":"
MOST_FOLDERS = 100_000  # of a folder that is searched
_NAMED = 5  # of the packages of a description that lacks the one that is meant

Loaded = tuple[Package | BrokenPackage, ...]


def described_at(place: Path) -> Loaded:
    """Load the packages of a description, or of a tree that has one; none if there is none."""
    if place.suffix == SUFFIX and place.is_file():
        return load_described(place)
    if not place.is_dir():
        return ()
    if (place / FILE_NAME).is_file():
        return load_described(place / FILE_NAME)
    known = known_for(place)
    if known is not None:
        return load_described(known.path, place)
    return tuple(one for path in _apart(place) for one in load_described(path))


def described_below(folder: Path) -> dict[Path, Loaded]:
    """Load the packages of the described and the known trees below a folder, by their roots.

    Of trees in one another the outer one counts; hidden folders and links are not looked into.
    """
    found: dict[Path, Loaded] = {}
    for place, folders, _ in islice(os.walk(folder), MOST_FOLDERS):
        root = Path(place)
        if _has_description(root):
            found[root] = described_at(root)
            folders.clear()
        folders[:] = sorted(one for one in folders if not one.startswith("."))
    return found


def with_those_below(
    folder: Path, others: Iterable[Package | BrokenPackage | Listed]
) -> tuple[Package | BrokenPackage | Listed, ...]:
    """Return the packages of described trees below a folder, then others that are not in these."""
    below = described_below(folder)
    rest = (one for one in others if not any(map(one.root.is_relative_to, below)))
    return (*(one for each in below.values() for one in each), *rest)


def described_above(folder: Path) -> Path | None:
    """Return the nearest tree above a folder that is described or known."""
    return next((one for one in folder.parents if _has_description(one)), None)


def _has_description(folder: Path) -> bool:
    return (folder / FILE_NAME).is_file() or known_for(folder) is not None


def chosen(argument: str, cwd: Path) -> Loaded:
    """Load what `TREE:PATTERN` means, where TREE is a description or has some; else nothing."""
    name, colon, pattern = argument.rpartition(CHOICE)
    place = cwd / name
    if not colon or not name or not place.exists():
        return ()
    found = described_at(place)
    if not found:
        found = tuple(one for each in described_below(place).values() for one in each)
    if not found and place.is_dir() and not (cwd / argument).exists():
        raise UsageError(
            f"there is no {FILE_NAME} in {place} or below it, and {argument!a} asks for one",
            f"`assay wrap` writes one for a C function, `assay init {name}` one for a tree.",
        )
    wanted = tuple(one for one in found if _fits(one.place, pattern))
    if found and not wanted:
        names = [one.place.split("/", 1)[1] for one in found]
        more = " and so on" if len(names) > _NAMED else ""
        cure = f"It has {', '.join(names[:_NAMED])}{more}."
        raise UsageError(f"{name} has no package {pattern!a}", cure)
    return wanted


def _fits(place: str, pattern: str) -> bool:
    """Return whether a package is meant: by parameter set, set/implementation, or the whole."""
    _, name, implementation = place.split("/")
    names = (name, f"{name}/{implementation}", place)
    return any(fnmatchcase(each, pattern) for each in names)


def known_for(folder: Path) -> DescribedTree | None:
    """Return the description that Assay comes with of a tree, which it knows by some files."""
    known = (one for one in known_descriptions() if one.marks)
    return next((o for o in known if all((folder / mark).exists() for mark in o.marks)), None)


@functools.cache
def known_descriptions() -> tuple[DescribedTree, ...]:
    """Read all descriptions that Assay comes with."""
    return tuple(read_description(path) for path in sorted(KNOWN.glob(f"*{SUFFIX}")))


def _apart(folder: Path) -> list[Path]:
    """Name the descriptions in a folder that say where their trees are."""
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            if read_description(path).rooted:
                found.append(path)
        except AssayError:
            if path.stem != "pyproject" and "[set." in path.read_text("utf-8", "replace"):
                raise
    return found
