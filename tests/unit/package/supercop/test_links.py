# SPDX-License-Identifier: MIT
"""Links and other files that are none, in a tree in SUPERCOP's layout."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import HASH, Write

from assay.model import BrokenPackage, Package
from assay.package.supercop.listing import names

Loaded = Callable[[str], Package]
Broken = Callable[[str], BrokenPackage]
REF = "crypto_hash/sha256/ref"
SMALL, BIG = "0a" * 32, "b1" * 32
LOOPS = "#undef LOOPS\n#ifdef SMALL\n#define LOOPS 8\n#else\n#define LOOPS 64\n#endif\n"


def test_files_may_be_links_inside_of_the_tree(tree: Path, write: Write, loaded: Loaded) -> None:
    """Both files and folders may be."""
    write(REF)
    other = tree / "crypto_hash/sha256/twin"
    other.mkdir()
    for name in HASH:
        (other / name).symlink_to(f"../ref/{name}")
    (other / "sub").symlink_to("../ref")
    package = loaded("crypto_hash/sha256/twin")
    assert package.files == ("api.h", "hash.c", "sub/api.h", "sub/hash.c")


def test_a_link_out_of_the_tree_is_refused(
    tree: Path, write: Write, broken: Broken, tmp_path: Path
) -> None:
    """Whoever sends a tree could read anything otherwise."""
    (tmp_path / "secret.h").write_text("")
    (write(REF) / "secret.h").symlink_to(tmp_path / "secret.h")
    found = broken(REF)
    assert found.reason.endswith("outside of the tree")
    assert found.root == tree / REF


def test_a_primitive_that_leads_out_of_the_tree_is_refused(
    tree: Path, broken: Broken, tmp_path: Path
) -> None:
    """The same holds above the implementation."""
    (tmp_path / "far/ref").mkdir(parents=True)
    (tmp_path / "far/ref/api.h").write_text("")
    (tree / "crypto_hash").mkdir()
    (tree / "crypto_hash/far").symlink_to(tmp_path / "far")
    assert "outside of" in broken("crypto_hash/far/ref").reason
    assert "outside of" in broken("crypto_hash/far").reason


def test_a_checksum_out_of_the_tree_is_not_read(
    tree: Path, write: Write, broken: Broken, tmp_path: Path
) -> None:
    """It is a file like any other."""
    write(REF)
    (tmp_path / "sum").write_text(SMALL)
    (tree / "crypto_hash/sha256/checksumsmall").symlink_to(tmp_path / "sum")
    assert "outside of" in broken(REF).reason


def test_circles_of_links_are_survived(write: Write, loaded: Loaded) -> None:
    """Folders that contain themselves are entered once."""
    folder = write(REF)
    (folder / "up").symlink_to("..")
    (folder / "self").symlink_to("self")
    package = loaded(REF)
    assert {"api.h", "hash.c"} <= set(package.files)
    assert [quirk.name for quirk in package.quirks] == ["quirk/dangling-link"]


def test_folders_without_end_are_refused(tree: Path, write: Write, broken: Broken) -> None:
    """Links that fan out make exponentially many paths of a few folders."""
    folder = write(REF)
    for level in range(12):
        (folder / f"{level}").mkdir()
        for name in ("a", "b", "c"):
            (folder / f"{level}" / name).symlink_to(f"../{level + 1}")
    assert "more than 2000 files" in broken(REF).reason
    assert names(tree, "crypto_hash") == ("crypto_hash/sha256",)
    assert "more than 2000 files" in broken("crypto_hash/sha256").reason


@pytest.mark.parametrize("name", ["more.c", "table.h"])
def test_a_link_to_nothing_is_an_error_where_it_is_needed(
    write: Write, broken: Broken, name: str
) -> None:
    """A source or an included file cannot be done without."""
    folder = write(REF, **{"x.h": '#include "table.h"\n'})
    (folder / name).symlink_to("nowhere")
    assert f"{name} is a link to nothing" in broken(REF).reason


def test_a_link_to_nothing_is_a_quirk_elsewhere(write: Write, loaded: Loaded) -> None:
    """Nothing misses it."""
    (write(REF) / "paper.txt").symlink_to("nowhere")
    assert [quirk.name for quirk in loaded(REF).quirks] == ["quirk/dangling-link"]


def test_a_pipe_among_the_sources_is_not_opened(write: Write, broken: Broken) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(write(REF) / "wait.c")
    assert "wait.c is a FIFO" in broken(REF).reason


def test_a_pipe_that_nothing_needs_is_told_as_what_it_is(write: Write, loaded: Loaded) -> None:
    """It is no link; beside it a link that leads nowhere is told as one."""
    folder = write(REF)
    os.mkfifo(folder / "checksumsmall")
    (folder / "paper.txt").symlink_to("nowhere")
    quirks = {quirk.name: quirk.message for quirk in loaded(REF).quirks}
    assert set(quirks) == {"quirk/special-file", "quirk/dangling-link"}
    assert "checksumsmall (a FIFO)" in quirks["quirk/special-file"]
    assert "checksumsmall" not in quirks["quirk/dangling-link"]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_checksum_that_is_no_file_is_an_error(
    tree: Path, write: Write, broken: Broken, make: Callable[[Path], None]
) -> None:
    """Taken for an absent one, the package would pass uncompared."""
    write(REF)
    make(tree / "crypto_hash/sha256/checksumsmall")
    what = "a FIFO" if make is os.mkfifo else "a folder"
    assert f"checksumsmall is {what}" in broken(REF).reason
