# SPDX-License-Identifier: MIT
"""The cache of object files: what it gives back, for what, and how large it gets."""

import os
from pathlib import Path

import pytest
from tests.unit.mock.standing import stand_in

from assay.compile.kept import Kept, entry_of
from assay.compile.recipe import Recipe
from assay.execute.command import Ended
from assay.model import Compiler, Package

NAMES = ("a.o", "objects/b.o")
ENDED = Ended(0, timed_out=False, output="warning: dull\n", seconds=0.25)


def key(
    content: str = "c0",
    options: tuple[str, ...] = ("-O2",),
    identity: str = "gcc",
    jail: str = "jail",
) -> str:
    """Return the key of a recipe, which a stand-in has as far as keys look at it."""
    recipe = stand_in(
        Recipe,
        package=stand_in(Package, code_identity=content),
        variant=1,
        compiler=stand_in(Compiler, identity=identity),
        compile_command=lambda: ["cc", *options],
    )
    return entry_of(recipe, jail)


def keep(kept: Kept, built: Path, entry: str) -> None:
    """Keep what a compiler left."""
    kept.keep(entry, built, NAMES, ENDED)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Give a folder where a compiler has left its objects."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.o").write_bytes(b"A" * 1000)
    (home / "objects").mkdir()
    (home / "objects" / "b.o").write_bytes(b"B" * 1000)
    return home


def test_objects_come_back_with_what_the_compiler_said(tmp_path: Path, built: Path) -> None:
    """Another folder gets the same bytes, messages and seconds."""
    kept = Kept(tmp_path / "cache", "jail")
    keep(kept, built, key())
    home = tmp_path / "other"
    home.mkdir()
    assert kept.find(key(), home) == ENDED
    assert (home / "a.o").read_bytes() == b"A" * 1000
    assert (home / "objects" / "b.o").read_bytes() == b"B" * 1000


@pytest.mark.parametrize(
    "other",
    [key(content="c1"), key(options=("-O3",)), key(identity="clang"), key(jail="weaker")],
    ids=["contents", "options", "compiler", "jail"],
)
def test_anything_else_is_another_build(tmp_path: Path, built: Path, other: str) -> None:
    """Changed files, options or compilers are compiled; so is everything in another jail."""
    kept = Kept(tmp_path / "cache", "jail")
    keep(kept, built, key())
    assert kept.find(other, tmp_path) is None
    assert Kept().find(key(), tmp_path) is None


def test_a_damaged_entry_is_as_good_as_none(tmp_path: Path, built: Path) -> None:
    """Half an entry, or one whose words cannot be read, is compiled again."""
    kept = Kept(tmp_path / "cache", "jail")
    keep(kept, built, key())
    (entry,) = (tmp_path / "cache").iterdir()
    (entry / "1").unlink()
    assert kept.find(key(), tmp_path) is None
    (entry / "said.json").write_text("{")
    assert kept.find(key(), tmp_path) is None


def test_the_entries_not_used_for_longest_go(tmp_path: Path, built: Path) -> None:
    """Three entries of 2 kB where 5 kB may be: the oldest goes, and what was used stays."""
    kept = Kept(tmp_path / "cache", "jail", limit_bytes=5000)
    for number, content in enumerate(("old", "used", "new")):
        before = set((tmp_path / "cache").glob("*"))
        keep(kept, built, key(content=content))
        (entry,) = set((tmp_path / "cache").glob("*")) - before
        os.utime(entry, (1000 + number, 1000 + number))
    assert kept.find(key(content="old"), tmp_path) == ENDED  # used now: the newest
    kept.trim()
    assert kept.find(key(content="used"), tmp_path) is None
    assert kept.find(key(content="old"), tmp_path) == ENDED
    assert kept.find(key(content="new"), tmp_path) == ENDED


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, built: Path) -> None:
    """A file where the folder should be: the build goes on without."""
    (tmp_path / "cache").write_text("in the way")
    kept = Kept(tmp_path / "cache", "jail")
    keep(kept, built, key())
    assert kept.find(key(), tmp_path) is None
