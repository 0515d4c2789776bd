# SPDX-License-Identifier: MIT
"""From what a user types to packages: `run [dir|name]`, selectors, shell patterns."""

import os
import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from assay.errors import UsageError, meant
from assay.model.apis import OPERATIONS_HEADER, SHA3_NIST, all_listed
from assay.package.described.load import (
    chosen,
    described_above,
    described_at,
    with_those_below,
)
from assay.package.discover import Found, discover, is_package, load_below
from assay.package.places import FOLDERS, SUBMISSIONS, TREE, has_reports_only, is_folder
from assay.package.supercop.listing import API, Listed, sample
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import holds_operations, listed_in_folder
from assay.package.trees import (
    distinct_trees,
    divided,
    find,
    is_place,
    list_in_trees,
    named,
    not_in_trees,
    unknown,
    with_own_places,
    without_namesakes,
)

A_PACKAGE = (
    "A package is a folder with its sources and a header that says which API they follow: "
    f"{all_listed()} (docs/guide/submit.md). `assay new NAME --api API` begins one, "
    "`assay cleanup` makes one of a raw submission, and `assay wrap` one of a plain C function."
)
NAMES = "`assay list` shows all names."
ARCHIVES = frozenset({".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".tbz2", ".tbz", ".txz"})
_MOST_FOLDERS = 1000
_PATTERN = frozenset("*?[")


class Trees(Struct, frozen=True):
    """Trees of implementations, and how many of the implementations named to take.

    `sample` is None for all; the choice depends on `seed`.
    """

    folders: tuple[Path, ...] = ()
    sample: int | None = None
    seed: int = 0


def resolve(
    arguments: Sequence[str],
    root: Path,
    *,
    cwd: Path | None = None,
    trees: Trees = Trees(),
) -> tuple[Found, ...]:
    """Name the packages meant by `arguments`, each once, in the order given.

    An argument that exists (relative to `cwd`) is a path and nothing else: the packages in
    that directory. Otherwise it is a directory in submissions/ or benchmarks/
    (`salsa20`, `salsa20/ref`), else a shell pattern over selectors and places (`*/ref`).
    No argument means the whole tree at `root`. Broken packages are included: what to do
    with them is the caller's decision. Raises UsageError for what means nothing.

    A description of a tree (`assay.toml`), or a tree that has one or is known, means the packages
    that it describes; `TREE:PATTERN` chooses some of them.

    `crypto_...` names implementations of operations: in `trees`, or in submissions/supercop/ below
    `root`. With trees, other arguments are names and patterns in them first, and no
    argument means all that they have. Only what a sample chooses is loaded.
    """
    found: dict[tuple[Path, str], Found | Listed] = {}
    tree = root.absolute()
    for one in _meant(arguments, tree, (cwd or Path.cwd()).absolute(), trees):
        name = one.place if isinstance(one, Listed) else one.selector
        found.setdefault((one.root.resolve(), name), one)
    loaded = _loaded(tuple(found.values()), trees)
    return without_namesakes(loaded, lambda one: one.selector)


def _meant(
    arguments: Sequence[str], root: Path, cwd: Path, trees: Trees
) -> Iterator[Found | Listed]:
    """Yield what the arguments mean; implementations of operations are not loaded yet."""
    plain, others = divided(trees.folders)
    folders = distinct_trees(plain)
    if not arguments:
        yield from list_in_trees((), folders) if folders else () if others else discover(root)
        yield from others
    for argument in arguments:
        theirs = named(argument, others)
        yield from theirs
        if theirs:
            yield from find(argument, folders, cwd) if folders else ()
        elif others and is_place(argument) and not find(argument, folders, cwd):
            not_in_trees(argument, trees.folders, others)
        elif is_place(argument):
            yield from _in_trees(argument, root, cwd, folders)
        else:
            listed = find(argument, folders, cwd) if folders else ()
            theirs = listed or chosen(argument, cwd)
            yield from theirs or _resolve_one(argument, root, cwd, folders)


def list_operations(arguments: Sequence[str], root: Path) -> tuple[Listed, ...]:
    """List the implementations of operations that names and folders mean, each once."""
    here = Path.cwd()
    found = (one for each in arguments for one in _in_trees(each, root, here, ()))
    return with_own_places({one.key: one for one in found}.values())


def _in_trees(
    argument: str, root: Path, cwd: Path, folders: tuple[Path, ...]
) -> tuple[Listed, ...]:
    """List in the trees given, or in a folder, or else in the shipped tree."""
    if found := find(argument, folders, cwd):
        return found
    if folders or os.path.lexists(cwd / argument):
        return unknown(argument, folders, cwd)
    shipped = (root / TREE,)
    return find(argument, shipped, cwd) or unknown(argument, shipped, cwd)


def _loaded(found: tuple[Found | Listed, ...], trees: Trees) -> tuple[Found, ...]:
    """Load what the sample chooses of the implementations of operations.

    Those of a description are loaded already; other packages are all taken.
    """
    listed = with_own_places(one for one in found if isinstance(one, Listed))
    described = tuple(one for one in found if not isinstance(one, Listed) and is_place(one.place))
    chosen: tuple[Found | Listed, ...] = (*listed, *described)
    if trees.sample is not None:
        chosen = sample(chosen, trees.sample, trees.seed)
    kept = {id(one) for one in chosen}
    return tuple(
        load_listed(one) if isinstance(one, Listed) else one
        for one in found
        if id(one) in kept or not (isinstance(one, Listed) or is_place(one.place))
    )


def _resolve_one(
    argument: str, root: Path, cwd: Path, trees: tuple[Path, ...]
) -> tuple[Found | Listed, ...]:
    """Resolve one argument: a path if there is one, else a name or a pattern.

    Of a name that means nothing, those in `trees` are suggested, if there are some.
    """
    if "\0" in argument or not argument:
        raise UsageError(f"{argument!a} is no name", "`assay list` shows the names.")
    place = Path(os.path.normpath(cwd / argument))
    if is_path(argument, place):
        return _at_path(place, root)
    found = _named(argument, root)
    if not found and trees:
        not_in_trees(argument, trees, list_in_trees((), trees))
    return found or _unknown(argument, root, cwd)


def is_path(argument: str, place: Path) -> bool:
    """Return whether an argument is a path: one that exists, or one that is spelled as such.

    In a results folder the text reports of a package lie in folders called like it: these
    do not hide the package.
    """
    if Path(argument).is_absolute() or argument.split("/", maxsplit=1)[0] in {".", ".."}:
        return True
    return os.path.lexists(place) and not (is_folder(place) and has_reports_only(place))


def _at_path(place: Path, root: Path) -> tuple[Found | Listed, ...]:
    """Load what is in a folder; UsageError if it is none, or has no package."""
    if not os.path.lexists(place):
        raise UsageError(f"there is no folder {place}", NAMES)
    if described := described_at(place):
        return described
    if not place.is_dir():
        raise UsageError(f"{place} is a file, and a package is a folder", _cure_of_file(place))
    if holds_operations(place) and (listed := listed_in_folder(place)):
        return listed
    found: tuple[Found | Listed, ...] = _in_folder(place, root) or listed_in_folder(place)
    if place.resolve() != root.resolve():
        found = with_those_below(place, found)
    if not found:
        cure = _tree_around(place) or f"{_misspelled(place)}{A_PACKAGE}"
        raise UsageError(f"there is no package in {place}", cure)
    return found


def _tree_around(place: Path) -> str:
    """Name the described tree that a folder is a part of; nothing if there is none."""
    tree = described_above(place)
    if tree is None:
        return ""
    short = os.path.relpath(tree)
    return (
        f"It is a part of {tree}, which is described as a whole: name {short}, "
        f"or {short}:SET/IMPLEMENTATION for some of it; `assay list {short}` shows the names."
    )


_NAME = re.compile(r"[a-z][a-z0-9_]*")


def _misspelled(place: Path) -> str:
    """Name a header whose name differs from an API's in case alone; nothing without one."""
    wanted = {one.lower(): one for one in (OPERATIONS_HEADER, *SHA3_NIST.marks.headers)}
    for folder, _, names in islice(os.walk(place), _MOST_FOLDERS):
        for name in sorted(names):
            right = wanted.get(name.lower(), name)
            if right != name:
                return f"Rename {Path(folder, name).relative_to(place)} to {right}. "
    return ""


def _cure_of_file(path: Path) -> str:
    """Describe what to do with a file that was named in place of a package."""
    if path.suffix.lower() in ARCHIVES:
        return f"`assay add {path.name}` unpacks an archive."
    if is_package(path.parent) or (path.parent / API).is_file():
        return f"Name its folder: {path.parent}."
    name = path.stem.lower()
    if path.suffix.lower() == ".c" and _NAME.fullmatch(name):
        return (
            "To check a function of it: "
            f"`assay wrap 'PROTOTYPE' {path.name} --as OPERATION/{name}` (docs/guide/wrapping.md)."
        )
    return A_PACKAGE


def _named(argument: str, root: Path) -> tuple[Found, ...]:
    """Load what a name or a pattern means in the clone."""
    if argument.split("/", maxsplit=1)[0] in FOLDERS and is_folder(root / argument):
        return _in_folder(root / argument, root)
    for part in FOLDERS:
        place = Path(os.path.normpath(root / part / argument))
        inside = place.is_relative_to(root / part)
        if inside and is_folder(place) and (found := _in_folder(place, root)):
            return found
    if _PATTERN.intersection(argument):
        every = ((p, (p.selector, p.place)) for p in discover(root))  # `*` also matches slashes
        return tuple(p for p, names in every if any(fnmatchcase(n, argument) for n in names))
    return tuple(p for p in discover(root) if argument in (p.selector, p.place))


def _in_folder(folder: Path, root: Path) -> tuple[Found, ...]:
    """Load the packages in and below a directory, in the tree or outside of it."""
    real, top = folder.resolve(), root.resolve()
    if real == top:
        return discover(root)
    if real.is_relative_to(top / SUBMISSIONS):  # whose selectors depend on no other package
        return tuple(sorted(load_below(real, top), key=lambda one: one.place))
    if any(real.is_relative_to(top / part) for part in FOLDERS):
        return tuple(p for p in discover(root) if p.root.resolve().is_relative_to(real))
    return load_below(folder, folder, "" if is_package(folder) else folder.name)


def _unknown(argument: str, root: Path, cwd: Path) -> NoReturn:
    """Report that a name means nothing, and which names are nearest."""
    packages = discover(root)
    names = {p.selector for p in packages} | {p.selector.split("/")[0] for p in packages}
    hint = meant(argument.lower(), sorted(names | _folders_of(cwd)), cutoff=0.5)
    raise UsageError(f"unknown package {argument!a}", f"{hint}{NAMES}")


def _folders_of(cwd: Path) -> set[str]:
    """Name the folders in the working folder that can be packages or hold some."""
    try:
        return {e.name for e in os.scandir(cwd) if e.is_dir() and not e.name.startswith(".")}
    except OSError:
        return set()
