# SPDX-License-Identifier: MIT
"""Compiling what belongs to a package where its own sources cannot be seen.

What compiles so depends on the package's other files alone, on its header above all, and need
not be compiled again after a source was edited. Where it does not compile, or a file asks which
others there are, nobody can say what it depends on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.compile.identity import content_of, key_of
from assay.compile.recipe import Recipe
from assay.execute.staging import staged_folder

LOOKS_FOR_FILES = b"__has_"  # __has_include, __has_embed
Stage = Callable[[Recipe, Path], None]


def without_sources(recipe: Recipe, package: Path, *command: str) -> str:
    """Name what a command depends on if it does without the sources; empty if nobody can say.

    `package` is a copy of the package in which nothing ran yet.
    """
    parts: list[str] = []
    for name in sorted(set(recipe.package.files) - set(recipe.package.sources)):
        if LOOKS_FOR_FILES in (package / name).read_bytes():
            return ""
        parts += [name, content_of(package / name)]
    return key_of("sources hidden", recipe.adapter_needs, *command, "files", *parts)


@contextmanager
def hidden(recipe: Recipe, stage: Stage) -> Iterator[Path]:
    """Lend a folder in which a package is staged without its sources."""
    with staged_folder("assay-build-") as home:
        stage(recipe, home)
        for name in recipe.package.sources:
            (home / "package" / name).unlink()
        yield home
