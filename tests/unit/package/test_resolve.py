# SPDX-License-Identifier: MIT
"""Discovery, and what the names that users type mean."""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.errors import UsageError
from assay.model import BrokenPackage
from assay.package.discover import discover
from assay.package.resolve import resolve


@pytest.fixture
def tree(tmp_path: Path, make_package: Callable[..., Path]) -> Path:
    """Give a tree with nested, flat, broken and benchmark packages."""
    root = tmp_path / "tree"
    for place in ("salsa20/ref", "salsa20/merged/1", "abc"):
        make_package(root / "submissions" / place)
    sss = make_package(root / "submissions" / "sss" / "ref", "ssyn-ae")
    (sss / "Makefile").write_text("type = sync\n")
    make_package(root / "benchmarks" / "snow-2.0" / "ref")
    return root


def _names(found: tuple[object, ...]) -> list[str]:
    return [one.selector for one in found]  # type: ignore[attr-defined]


ALL = ["snow-2.0/ref", "abc", "salsa20/merged/1", "salsa20/ref", "sss/ref"]


def test_every_package_of_the_tree_is_found(tree: Path) -> None:
    """In the order of their places, broken ones included."""
    assert _names(discover(tree)) == ALL


def test_a_broken_package_has_a_reason_and_a_cure(tree: Path) -> None:
    """It is a record, not the end."""
    (broken,) = [one for one in discover(tree) if isinstance(one, BrokenPackage)]
    assert broken.place == "submissions/sss/ref"
    assert "has ecrypt-ssyn-ae.h" in broken.reason
    assert broken.cure


@pytest.mark.parametrize("name", ["ecrypt-sync.h", "Makefile", "abc.c"])
def test_reasons_name_files_relative_to_the_package(tree: Path, name: str) -> None:
    """Whoever reads a report of it has other folders above."""
    file = tree / "submissions" / "abc" / name
    file.unlink(missing_ok=True)
    file.symlink_to("/etc/passwd")
    (broken,) = [one for one in discover(tree) if one.selector == "abc"]
    assert isinstance(broken, BrokenPackage)
    assert str(tree) not in broken.reason
    assert broken.reason.startswith(f"{name} is a link to /etc/passwd")


def test_a_makefile_without_a_header_is_a_broken_package(tree: Path) -> None:
    """Its author forgot the header; saying nothing would be worse."""
    (tree / "submissions" / "abc" / "ecrypt-sync.h").unlink()
    (broken, *_) = [one for one in discover(tree) if one.selector == "abc"]
    assert isinstance(broken, BrokenPackage)
    assert "no ecrypt-sync.h" in broken.reason


def test_one_selector_in_both_parts_stays_unique(
    tree: Path, make_package: Callable[..., Path]
) -> None:
    """The benchmark is called by its place."""
    make_package(tree / "benchmarks" / "abc")
    assert set(_names(discover(tree))) == {"benchmarks/abc", *ALL}


def test_a_linked_folder_is_followed_inside_the_tree_only(tree: Path, tmp_path: Path) -> None:
    """Loops end, and nothing outside is shown."""
    (tree / "submissions" / "loop").symlink_to(".")
    (tree / "submissions" / "away").symlink_to(tmp_path)
    (tree / "submissions" / "snow").symlink_to("../benchmarks/snow-2.0")
    assert {*ALL, "snow/ref"} == set(_names(discover(tree)))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ALL),
        (["salsa20"], ["salsa20/merged/1", "salsa20/ref"]),
        (["salsa20/ref"], ["salsa20/ref"]),
        (["snow-2.0"], ["snow-2.0/ref"]),
        (["abc", "abc"], ["abc"]),
        (["*/ref"], ["snow-2.0/ref", "salsa20/ref", "sss/ref"]),
        (["benchmarks/*"], ["snow-2.0/ref"]),
        (["submissions/abc"], ["abc"]),
        (["snow-2.0", "salsa20/ref"], ["snow-2.0/ref", "salsa20/ref"]),
    ],
)
def test_names_mean_packages(
    tree: Path, tmp_path: Path, arguments: list[str], expected: list[str]
) -> None:
    """Names, selectors, places and patterns, from anywhere."""
    assert expected == _names(resolve(arguments, tree, cwd=tmp_path))


def test_an_existing_directory_comes_first(
    tree: Path, tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """A package outside of the tree is called by its folders."""
    make_package(tmp_path / "salsa20" / "new")
    (found,) = resolve(["salsa20"], tree, cwd=tmp_path)
    assert ("salsa20/new", tmp_path / "salsa20" / "new") == (found.selector, found.root)
    assert _names(resolve(["salsa20/new"], tree, cwd=tmp_path)) == ["new"]


def test_a_folder_of_results_does_not_hide_the_package(tree: Path, tmp_path: Path) -> None:
    """`assay collect` writes text reports into folders with the names of packages."""
    (tmp_path / "salsa20" / "ref").mkdir(parents=True)
    (tmp_path / "salsa20" / "ref" / "speed_1_gcc_default_O3").touch()
    assert _names(resolve(["salsa20/ref"], tree, cwd=tmp_path)) == ["salsa20/ref"]


def test_a_folder_of_the_tree_keeps_its_names(tree: Path) -> None:
    """However it is reached."""
    inside = tree / "submissions" / "salsa20"
    assert _names(resolve(["ref"], tree, cwd=inside)) == ["salsa20/ref"]
    assert _names(resolve(["."], tree, cwd=inside)) == ["salsa20/merged/1", "salsa20/ref"]


def test_an_unknown_name_names_the_nearest(tree: Path, tmp_path: Path) -> None:
    """Misspelling is the commonest reason."""
    with pytest.raises(UsageError, match="unknown package 'salsa2'") as caught:
        resolve(["salsa2"], tree, cwd=tmp_path)
    assert "salsa20" in caught.value.cure


def test_folders_of_the_working_folder_are_among_the_nearest(tree: Path, tmp_path: Path) -> None:
    """Who misspells the own package is helped, too."""
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError) as caught:
        resolve(["mien"], tree, cwd=tmp_path)
    assert "Did you mean mine?" in caught.value.cure


@pytest.mark.parametrize("argument", ["empty", "./empty", ".", "..", "salsa20"])
def test_a_folder_that_exists_is_a_path_and_never_a_name(
    tree: Path, tmp_path: Path, argument: str
) -> None:
    """Without a package it is an error that says what makes one, not the packages of the tree."""
    here = tmp_path / "above" / "work"
    (here / "empty").mkdir(parents=True)
    (here / "salsa20").mkdir()
    (here / "salsa20" / "mine.c").touch()
    with pytest.raises(UsageError, match="there is no package in") as caught:
        resolve([argument], tree, cwd=here)
    assert "ecrypt-sync.h" in caught.value.cure


@pytest.mark.parametrize("name", ["API.H", "Api.h", "sha3API_ref.h"])
def test_a_header_of_another_case_is_named(tree: Path, tmp_path: Path, name: str) -> None:
    """Other systems do not tell them apart; the cure says how it must be called."""
    folder = tmp_path / "mine/ref"
    folder.mkdir(parents=True)
    (folder / name).touch()
    with pytest.raises(UsageError, match="there is no package in") as caught:
        resolve([str(tmp_path / "mine")], tree, cwd=tmp_path)
    right = "SHA3api_ref.h" if "ref" in name else "api.h"
    assert caught.value.cure.startswith(f"Rename ref/{name} to {right}. ")


def test_a_file_is_no_package_and_the_cure_says_what_is(tree: Path, tmp_path: Path) -> None:
    """A C file alone, an archive, and a file of a package each get a cure of their own."""
    (tmp_path / "abc").touch()
    (tmp_path / "mine.tar.gz").touch()
    cures = {}
    for name in ("abc", "mine.tar.gz", str(tree / "submissions/abc/Makefile")):
        with pytest.raises(UsageError, match="is a file, and a package is a folder") as caught:
            resolve([name], tree, cwd=tmp_path)
        cures[name.rsplit("/", maxsplit=1)[-1]] = caught.value.cure
    assert "docs/guide/submit.md" in cures["abc"]
    assert "assay add mine.tar.gz" in cures["mine.tar.gz"]
    assert str(tree / "submissions/abc") in cures["Makefile"]


def test_a_path_that_does_not_exist_is_no_name_either(tree: Path, tmp_path: Path) -> None:
    """`./salsa20` is not the salsa20 of the tree."""
    with pytest.raises(UsageError, match="there is no folder"):
        resolve(["./salsa20"], tree, cwd=tmp_path)


def test_a_folder_with_too_many_below_it_is_refused(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever names `/` by mistake gets an answer, and soon."""
    monkeypatch.setattr(importlib.import_module("assay.package.discover"), "LIMIT_FOLDERS", 3)
    with pytest.raises(UsageError, match="more than 3 folders"):
        resolve([str(tmp_path)], tree)


def test_two_packages_under_one_name_are_refused(
    tree: Path, tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """Their results would be mixed."""
    make_package(tmp_path / "salsa20" / "ref")
    with pytest.raises(UsageError, match="both called salsa20/ref"):
        resolve([str(tmp_path / "salsa20"), str(tree / "submissions" / "salsa20")], tree)


@given(argument=st.text(max_size=12).filter(lambda text: not text.startswith("/")))
@settings(
    max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_any_text_is_a_name_or_a_usage_error(tree: Path, argument: str) -> None:
    """Nothing else comes out, and nothing outside of the tree unless the path is absolute."""
    try:
        found = resolve([argument], tree, cwd=tree / "submissions")
    except UsageError:
        found = ()
    assert all(one.root.is_relative_to(tree) for one in found)


def test_a_source_file_gets_the_command_that_writes_a_wrapper(tmp_path: Path) -> None:
    """A function with an interface of its own is described by its prototype."""
    (tmp_path / "my_hash.c").write_text("int f(void) { return 0; }\n")
    with pytest.raises(UsageError) as caught:
        resolve((str(tmp_path / "my_hash.c"),), tmp_path)
    assert "`assay wrap 'PROTOTYPE' my_hash.c --as OPERATION/my_hash`" in caught.value.cure
