# SPDX-License-Identifier: MIT
"""Packages as they are in a commit, under names that have it: `salsa20/ref-1a2b3c4d5e`."""

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import UsageError
from assay.machine.git import SHORT, Repository, Revision, repository_at
from assay.model import BrokenPackage
from assay.package.described.toml import FILE_NAME
from assay.package.discover import Found
from assay.package.places import shipped
from assay.package.resolve import Trees, resolve
from assay.package.wrapped.source import ADAPTER


class Located(Struct, frozen=True):
    """A package as the user named it, and where that is in its repository.

    `argument` is relative to the top for a path (`is_path`); otherwise it is a name in `root`,
    or in the trees.
    """

    repository: Repository
    argument: str
    is_path: bool
    root: Path
    trees: tuple[Path, ...] = ()

    def at(self, tree: Path, revision: Revision, others: tuple[Revision, ...] = ()) -> Found:
        """Load the package from a checked-out tree, under a name of its own.

        UsageError if it is not there, or if there are several.
        """
        argument = self.argument
        if self.is_path:
            argument = self._there(tree, revision, others)
        moved = [_moved(one, self.repository.top, tree) for one in (self.root, *self.trees)]
        try:
            found = resolve((argument,), moved[0], cwd=tree, trees=Trees(tuple(moved[1:])))
        except UsageError as error:  # the tree is gone when it is read
            reason = str(error).replace(str(tree), str(self.repository.top))
            raise UsageError(f"in {revision.text}, {reason}", error.cure) from None
        if len(found) != 1:
            names = ", ".join(one.selector for one in found[:5])
            cure = f"Name one of them, as in {argument}:{'/'.join(found[0].place.split('/')[1:])}."
            raise UsageError(f"one package is needed, but these are meant: {names}", cure)
        return named_at(found[0], revision)

    def _there(self, tree: Path, revision: Revision, others: tuple[Revision, ...]) -> str:
        """Return the path in the tree, by an earlier name if it was renamed."""
        path, colon, choice = self.argument.partition(":")
        if not (tree / path).exists():
            path = self._renamed(path, revision, others)
        _describe(self.repository.top / self.argument.partition(":")[0], tree / path)
        return f"{'.' if path == '.' else f'./{path}'}{colon}{choice}"

    def _renamed(self, path: str, revision: Revision, others: tuple[Revision, ...]) -> str:
        """Return what git takes for the earlier or later name of a path; UsageError for none."""
        for other in others:
            listed = self.repository.git(
                "diff", "--name-status", "-M40%", "--diff-filter=R", revision.commit, other.commit
            )
            for line in listed.splitlines():
                _, old, new = line.split("\t")
                inner = PurePosixPath(new)
                if inner.is_relative_to(path):
                    rest = str(inner.relative_to(path))
                    if f"/{old}".endswith(f"/{rest}"):
                        return f"/{old}".removesuffix(f"/{rest}").lstrip("/") or "."
        raise UsageError(
            f"{path} is not in {revision.text}",
            "Name a revision that has it (`git log -- PATH` lists them).",
        )


def _moved(path: Path, top: Path, tree: Path) -> Path:
    """Return the same path in a tree that was checked out; one that is elsewhere stays."""
    real = path.resolve()
    return tree / real.relative_to(top) if real.is_relative_to(top) else path


def _describe(own: Path, there: Path) -> None:
    """Put today's description into a tree that has none yet, with what `wrap` wrote beside it."""
    if not (own / FILE_NAME).is_file() or (there / FILE_NAME).exists():
        return
    for file in (own / FILE_NAME, *sorted(own.glob(f"{ADAPTER}*"))):
        if file.is_file() and not (there / file.name).exists():
            shutil.copyfile(file, there / file.name)


def locate(argument: str, clone: Path | None, trees: tuple[Path, ...] = ()) -> Located:
    """Return where a package is that was named on the command line.

    Names without a folder are looked up in the clone of Assay, or in the trees.
    """
    root = clone or shipped()
    path, colon, choice = argument.partition(":")
    place = Path(os.path.normpath(Path.cwd() / path))
    if place.suffix == ".toml":
        raise UsageError(
            f"{place} is a description apart from its tree",
            f"Put it into the tree as {FILE_NAME}, and name the folder; it need not be committed.",
        )
    if os.path.lexists(place) or not (clone or trees):  # it may have been there once
        repository = repository_at(place.resolve())
        inner = place.resolve().relative_to(repository.top)
        return Located(repository, f"{inner}{colon}{choice}", is_path=True, root=root)
    repository = repository_at((*trees, root)[0].absolute())
    return Located(repository, argument, is_path=False, root=root, trees=trees)


def named_at(found: Found, revision: Revision) -> Found:
    """Return a package under a name that has its commit: `salsa20/ref-1a2b3c4d5e`."""
    ending = f"-{revision.short}"
    if isinstance(found, BrokenPackage):
        return replace(found, selector=found.selector + ending, place=found.place + ending)
    return replace(
        found,
        selector=found.selector + ending,
        implementation=found.implementation and found.implementation + ending,
        place=found.place + ending,
    )


def base_name(name: str) -> tuple[str, str]:
    """Return a name without its commit, and the commit; empty where it has none."""
    found = re.fullmatch(rf"(.+)-([0-9a-f]{{{SHORT}}})", name)
    return (found[1], found[2]) if found else (name, "")
