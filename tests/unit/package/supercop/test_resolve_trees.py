# SPDX-License-Identifier: MIT
"""What arguments mean where there are trees of operations."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.errors import UsageError
from assay.model import BrokenPackage
from assay.package.resolve import Trees, resolve
from assay.package.supercop.load import load_listed
from assay.package.trees import list_in_trees

PLACES = (
    "crypto_hash/sha256/dolbeau/amd64-sha",
    "crypto_hash/sha256/ref",
    "crypto_hash/sha2567/ref",
    "crypto_stream/chacha20/ref",
)
Make = Callable[..., Path]


@pytest.fixture
def filled(tree: Path, write: Write) -> Path:
    """Give a tree with a few implementations."""
    for place in PLACES:
        write(place)
    return tree


@pytest.fixture
def root(tmp_path: Path, make_package: Make) -> Path:
    """Give a repository with one stream cipher and one shipped implementation."""
    folder = tmp_path / "root"
    make_package(folder / "submissions" / "salsa20" / "ref")
    shipped = folder / "submissions/supercop/crypto_hash/md5/ref"
    shipped.mkdir(parents=True)
    (shipped / "api.h").write_text("#define CRYPTO_BYTES 16\n")
    (shipped / "hash.c").write_text('#include "crypto_hash.h"\n')
    return folder


def places(argument: str, *trees: Path, cwd: Path | None = None) -> list[str]:
    """Name what an argument means."""
    return [one.place for one in list_in_trees((argument,), trees, cwd=cwd)]


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("crypto_hash", PLACES[:3]),
        ("crypto_hash/", PLACES[:3]),
        ("crypto_hash/sha256", PLACES[:2]),
        ("crypto_hash/sha256/dolbeau", PLACES[:1]),
        ("crypto_hash/sha256/dolbeau/amd64-sha", PLACES[:1]),
        ("crypto_*/*/ref", PLACES[1:]),
        ("crypto_hash/sha*7", PLACES[2:3]),
        ("crypto_[rst]*", PLACES[3:]),
        ("*/amd64*", PLACES[:1]),
    ],
)
def test_names_and_patterns(filled: Path, argument: str, meant: tuple[str, ...]) -> None:
    """A name means all that is below it."""
    assert places(argument, filled, cwd=filled.parent) == list(meant)


def test_no_argument_means_everything(filled: Path) -> None:
    """Operations come in the table's order."""
    assert tuple(one.place for one in list_in_trees((), (filled,))) == PLACES


def test_the_order_is_that_of_the_arguments_and_nothing_comes_twice(filled: Path) -> None:
    """Arguments may overlap."""
    found = list_in_trees(("crypto_stream", "crypto_hash/sha256/ref", "crypto_*"), (filled,))
    assert [one.place for one in found] == [PLACES[3], PLACES[1], PLACES[0], PLACES[2]]


@pytest.mark.parametrize(
    ("argument", "nearest"),
    [
        ("crypto_hahs", "crypto_hash"),
        ("crypto_hash/sha265", "crypto_hash/sha256"),
        ("crypto_hash/sha256/rfe", "crypto_hash/sha256/ref"),
        ("crypto_hash/sha265/ref", "crypto_hash/sha256/ref"),
    ],
)
def test_an_unknown_name_is_answered_with_near_ones(
    filled: Path, argument: str, nearest: str
) -> None:
    """Operations, primitives, implementations, and what is below a wrong primitive."""
    with pytest.raises(UsageError, match=f"unknown package '{argument}'") as error:
        places(argument, filled)
    assert nearest in error.value.cure


@pytest.mark.parametrize("argument", ["", "/", "crypto_hash\0", "../crypto_x"])
def test_what_is_no_name_is_refused(filled: Path, argument: str) -> None:
    """Neither nothing nor a way out of the tree is one."""
    with pytest.raises(UsageError):
        places(argument, filled, cwd=filled / "crypto_stream")


def test_a_folder_that_is_no_tree_is_refused(tmp_path: Path) -> None:
    """A typing error would otherwise look like an empty result."""
    with pytest.raises(UsageError, match="no folder of an operation"):
        places("crypto_hash", tmp_path)


def test_folders_in_a_tree_have_the_names_of_the_tree(filled: Path, tmp_path: Path) -> None:
    """The way by which one comes to a folder does not matter."""
    (tmp_path / "link").symlink_to(filled)
    assert places("sha256", filled, cwd=filled / "crypto_hash") == list(PLACES[:2])
    assert places(str(filled), filled) == list(PLACES)
    assert places(str(tmp_path / "link"), filled) == list(PLACES)


def test_a_folder_outside_of_the_trees_is_a_tree_of_its_own(filled: Path, tmp_path: Path) -> None:
    """Whole trees and parts of them can be named without --tree."""
    other = tmp_path / "other/crypto_sort/int8/ref"
    other.mkdir(parents=True)
    (other / "api.h").write_text("")
    assert places(str(other), filled) == ["crypto_sort/int8/ref"]
    assert places(str(tmp_path / "other"), filled) == ["crypto_sort/int8/ref"]


def test_two_trees_may_have_different_implementations(filled: Path, tmp_path: Path) -> None:
    """A tree given twice is one tree."""
    other = tmp_path / "other/crypto_hash/md5/ref"
    other.mkdir(parents=True)
    (other / "api.h").write_text("")
    found = list_in_trees(("crypto_hash",), (filled, tmp_path / "other", filled))
    assert [one.place for one in found] == [*PLACES[:3], "crypto_hash/md5/ref"]


def test_two_trees_with_one_name_are_refused(filled: Path, tmp_path: Path) -> None:
    """Their results would be mixed."""
    other = tmp_path / "other" / PLACES[1]
    other.mkdir(parents=True)
    (other / "api.h").write_text("")
    with pytest.raises(UsageError, match=f"are both called {PLACES[1]}"):
        places("crypto_hash", filled, tmp_path / "other")


def test_what_cannot_be_loaded_is_among_what_is_found(filled: Path) -> None:
    """What to do with it is the caller's decision."""
    (filled / PLACES[1] / "hash.c").unlink()
    found = map(load_listed, list_in_trees(("crypto_hash/sha256",), (filled,)))
    assert [type(one).__name__ for one in found] == ["Package", "BrokenPackage"]


def selectors(arguments: list[str], root: Path, trees: Trees | None = None) -> list[str]:
    """Name what arguments mean in a repository."""
    found = resolve(arguments, root, cwd=root, trees=trees or Trees())
    return [one.selector for one in found]


def test_operations_are_shipped(root: Path) -> None:
    """No --tree is needed for them."""
    assert selectors(["crypto_hash"], root) == ["crypto_hash/md5/ref"]
    assert selectors(["submissions/supercop"], root) == ["crypto_hash/md5/ref"]


def test_with_a_tree_the_shipped_ones_are_not_meant(root: Path, filled: Path) -> None:
    """Two sources of one name would be a trap."""
    trees = Trees((filled,))
    assert selectors(["crypto_hash"], root, trees) == list(PLACES[:3])
    assert selectors([], root, trees) == list(PLACES)
    with pytest.raises(UsageError, match="unknown package"):
        selectors(["crypto_hash/md5"], root, trees)


def test_other_names_mean_what_they_meant(root: Path, filled: Path) -> None:
    """Stream ciphers and hashes have their own names."""
    assert selectors(["salsa20"], root) == ["salsa20/ref"]
    assert selectors([], root) == ["salsa20/ref"]
    assert selectors(["salsa20", "crypto_stream"], root, Trees((filled,))) == [
        "salsa20/ref",
        PLACES[3],
    ]


def test_patterns_are_looked_for_in_the_tree_first(root: Path, filled: Path) -> None:
    """Without a tree they are for the other packages."""
    assert selectors(["*/ref"], root) == ["salsa20/ref"]
    assert selectors(["*/ref"], root, Trees((filled,))) == list(PLACES[1:])


def test_a_sample_is_taken_of_operations_only(root: Path, filled: Path) -> None:
    """What is named besides is wanted whole."""
    found = selectors(["salsa20", "crypto_hash"], root, Trees((filled,), sample=1, seed=5))
    assert found[0] == "salsa20/ref"
    assert len(found) == 2
    assert found[1] in PLACES


def test_what_a_sample_does_not_choose_is_not_read(
    root: Path, filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading is what takes time."""
    read: list[str] = []

    def load_listed(one: object) -> BrokenPackage:
        read.append(one.place)  # type: ignore[attr-defined]
        return BrokenPackage(read[-1], read[-1], filled / read[-1], "reason", "cure")

    module = importlib.import_module("assay.package.resolve")
    monkeypatch.setattr(module, "load_listed", load_listed)
    selectors(["crypto_hash"], root, Trees((filled,), sample=2, seed=1))
    assert len(read) == 2


def test_a_tree_in_the_working_folder_comes_before_the_shipped_one(
    root: Path, filled: Path
) -> None:
    """An existing folder is what the user sees."""
    found = resolve(["crypto_hash/sha256/ref"], root, cwd=filled)
    assert [one.root for one in found] == [filled / PLACES[1]]


def test_a_folder_without_an_implementation_does_not_mean_the_shipped_ones(
    root: Path, tmp_path: Path
) -> None:
    """Whoever stands beside `crypto_hash/md5` asks about that folder."""
    (tmp_path / "work/crypto_hash/md5").mkdir(parents=True)
    for argument in ("crypto_hash", "crypto_hash/md5"):
        with pytest.raises(UsageError, match="there is no package in"):
            resolve([argument], root, cwd=tmp_path / "work")
