# SPDX-License-Identifier: MIT
"""From what a user types to packages: `run [dir|name]`, selectors, shell patterns."""

import difflib
import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NoReturn

from assay.errors import UsageError
from assay.package.discover import Found, discover, is_package, load_below
from assay.package.places import FOLDERS

_NEAREST = 3
_PATTERN = frozenset("*?[")


def resolve(arguments: Sequence[str], root: Path, *, cwd: Path | None = None) -> tuple[Found, ...]:
    """Name the packages meant by `arguments`, each once, in the order given.

    An argument is an existing directory (relative to `cwd`), else a directory in
    submissions/, benchmarks/ or compact/ (`salsa20`, `salsa20/ref`), else a shell pattern
    over selectors and places (`*/ref`). No argument means the whole tree at
    `root`. Broken packages are included: what to do with them is the caller's
    decision. Raises UsageError for names that mean nothing.
    """
    if not arguments:
        return discover(root)
    found: dict[tuple[Path, str], Found] = {}
    for argument in arguments:
        for one in _resolve_one(argument, root.absolute(), (cwd or Path.cwd()).absolute()):
            found.setdefault((one.root.resolve(), one.selector), one)
    return _with_own_selectors(tuple(found.values()))


def _resolve_one(argument: str, root: Path, cwd: Path) -> tuple[Found, ...]:
    """Resolve one argument, in the order of the original's `run`."""
    if "\0" in argument or not argument:
        raise UsageError(f"{argument!a} is no name", "`assay list` shows the names.")
    folder = Path(os.path.normpath(cwd / argument))
    named = [Path(os.path.normpath(root / part / argument)) for part in FOLDERS]
    named = [path for path in named if path.is_relative_to(root)]
    for place in (folder, *named):
        found = _in_folder(place, root) if place.is_dir() else ()
        if found:
            return found
    if _PATTERN.intersection(argument):
        found = _matching(argument, root)
    else:
        found = tuple(p for p in discover(root) if argument in (p.selector, p.place))
    return found or _unknown(argument, folder, root)


def _in_folder(folder: Path, root: Path) -> tuple[Found, ...]:
    """Load the packages in and below a directory, in the tree or outside of it."""
    real, tree = folder.resolve(), root.resolve()
    if real == tree:
        return discover(root)
    if any(real.is_relative_to(tree / part) for part in FOLDERS):
        return tuple(p for p in discover(root) if p.root.resolve().is_relative_to(real))
    return load_below(folder, folder, "" if is_package(folder) else folder.name)


def _matching(pattern: str, root: Path) -> tuple[Found, ...]:
    """Match selectors and places; `*` also matches slashes."""
    return tuple(
        p
        for p in discover(root)
        if fnmatchcase(p.selector, pattern) or fnmatchcase(p.place, pattern)
    )


def _unknown(argument: str, folder: Path, root: Path) -> NoReturn:
    """Say what is missing, and which names are nearest."""
    if folder.is_dir():
        raise UsageError(
            f"there is no package in {folder}",
            "A package has an ecrypt-sync.h, an ecrypt-sync-ae.h or the header of a compact hash; "
            "`assay cleanup` makes one from a raw submission.",
        )
    packages = discover(root)
    names = sorted({p.selector for p in packages} | {p.selector.split("/")[0] for p in packages})
    nearest = difflib.get_close_matches(argument.lower(), names, n=_NEAREST, cutoff=0.5)
    hint = f"Did you mean {' or '.join(nearest)}? " if nearest else ""
    raise UsageError(f"unknown package {argument!a}", f"{hint}`assay list` shows all names.")


def _with_own_selectors(found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Refuse two packages under one name: their results would be mixed."""
    seen: dict[str, Found] = {}
    for one in found:
        other = seen.setdefault(one.selector, one)
        if other is not one:
            raise UsageError(
                f"{other.root} and {one.root} are both called {one.selector}",
                "Test them one after another, in results folders of their own.",
            )
    return found
