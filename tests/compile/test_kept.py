# SPDX-License-Identifier: MIT
"""The cache of object files: what it gives back, for what, and how large it gets."""

import os
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assay.compile.kept import Kept
from assay.execute.command import Ended

ENDED = Ended(0, timed_out=False, output="warning: dull\n", seconds=0.25)


def recipe(content: str = "c0", options: tuple[str, ...] = ("-O2",), identity: str = "gcc") -> Any:
    """Stand in for a recipe: what the cache looks at."""
    return SimpleNamespace(
        package=SimpleNamespace(code_identity=content),
        objects=("a.o", "b.o"),
        variant=1,
        compiler=SimpleNamespace(identity=identity),
        compile_command=lambda: ["cc", *options],
    )


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Give a folder where a compiler has left its objects."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "a.o").write_bytes(b"A" * 1000)
    (home / "b.o").write_bytes(b"B" * 1000)
    return home


def test_objects_come_back_with_what_the_compiler_said(tmp_path: Path, built: Path) -> None:
    """Another folder gets the same bytes, messages and seconds."""
    kept = Kept(tmp_path / "cache", "jail")
    kept.keep(recipe(), built, ENDED)
    home = tmp_path / "other"
    home.mkdir()
    assert kept.find(recipe(), home) == ENDED
    assert (home / "a.o").read_bytes() == b"A" * 1000
    assert (home / "b.o").read_bytes() == b"B" * 1000


@pytest.mark.parametrize(
    "other",
    [recipe(content="c1"), recipe(options=("-O3",)), recipe(identity="clang")],
    ids=["contents", "options", "compiler"],
)
def test_anything_else_is_another_build(tmp_path: Path, built: Path, other: Any) -> None:
    """Changed files, options or compilers are compiled; so is everything in another jail."""
    kept = Kept(tmp_path / "cache", "jail")
    kept.keep(recipe(), built, ENDED)
    assert kept.find(other, tmp_path) is None
    assert replace(kept, jail="weaker").find(recipe(), tmp_path) is None
    assert Kept().find(recipe(), tmp_path) is None


def test_a_damaged_entry_is_as_good_as_none(tmp_path: Path, built: Path) -> None:
    """Half an entry, or one whose words cannot be read, is compiled again."""
    kept = Kept(tmp_path / "cache", "jail")
    kept.keep(recipe(), built, ENDED)
    (entry,) = (tmp_path / "cache").iterdir()
    (entry / "b.o").unlink()
    assert kept.find(recipe(), tmp_path) is None
    (entry / "said.json").write_text("{")
    assert kept.find(recipe(), tmp_path) is None


def test_the_entries_not_used_for_longest_go(tmp_path: Path, built: Path) -> None:
    """Three entries of 2 kB where 5 kB may be: the oldest goes, and what was used stays."""
    kept = Kept(tmp_path / "cache", "jail", limit_bytes=5000)
    for number, content in enumerate(("old", "used", "new")):
        before = set((tmp_path / "cache").glob("*"))
        kept.keep(recipe(content=content), built, ENDED)
        (entry,) = set((tmp_path / "cache").glob("*")) - before
        os.utime(entry, (1000 + number, 1000 + number))
    assert kept.find(recipe(content="old"), tmp_path) == ENDED  # used now: the newest
    kept.trim()
    assert kept.find(recipe(content="used"), tmp_path) is None
    assert kept.find(recipe(content="old"), tmp_path) == ENDED
    assert kept.find(recipe(content="new"), tmp_path) == ENDED


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path, built: Path) -> None:
    """A file where the folder should be: the build goes on without."""
    (tmp_path / "cache").write_text("in the way")
    kept = Kept(tmp_path / "cache", "jail")
    kept.keep(recipe(), built, ENDED)
    assert kept.find(recipe(), tmp_path) is None
