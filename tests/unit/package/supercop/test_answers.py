# SPDX-License-Identifier: MIT
"""Which files of known answers belong to a package, by their names and places."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write
from tests.unit.package.supercop.test_nist import FILES, FOO

from assay.model import Package
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

Loaded = Callable[[str], Package]
PLACE = f"{FOO}/ref"
RSP = "PQCkemKAT_64.rsp"


def put(tree: Path, *names: str) -> None:
    """Write files of answers into the tree."""
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("count = 0\n")


def answers(package: Package, tree: Path) -> list[str]:
    """Name a package's known answers as seen from the tree."""
    assert package.details is not None
    return [str(one.relative_to(tree.parent)) for one in package.details.answers]


@pytest.fixture
def plain(write: Write) -> None:
    """Write a package without answers."""
    write(PLACE, {name: text for name, text in FILES.items() if name != RSP})


@pytest.mark.parametrize("folder", [PLACE, FOO])
@pytest.mark.usefixtures("plain")
def test_answers_stand_in_the_folder_or_in_the_primitives(
    tree: Path, loaded: Loaded, folder: str
) -> None:
    """Requests without answers are none."""
    put(tree, f"{folder}/{RSP}", f"{folder}/PQCkemKAT_64.req")
    assert answers(loaded(PLACE), tree) == [f"tree/{folder}/{RSP}"]


@pytest.mark.usefixtures("plain")
def test_answers_of_the_implementation_come_before_the_primitives(
    tree: Path, loaded: Loaded
) -> None:
    """What is nearer was made with this code."""
    put(tree, f"{PLACE}/{RSP}", f"{FOO}/{RSP}")
    assert answers(loaded(PLACE), tree) == [f"tree/{PLACE}/{RSP}"]


@pytest.mark.usefixtures("plain")
def test_answers_of_another_operation_are_left(tree: Path, loaded: Loaded) -> None:
    """A folder may have several; the names say whose they are, or do not."""
    put(tree, f"{FOO}/PQCsignKAT_64.rsp", f"{FOO}/LWC_AEAD_KAT_1.txt", f"{FOO}/notes.txt")
    assert answers(loaded(PLACE), tree) == []
    put(tree, f"{FOO}/foo_KAT_1.txt")
    assert answers(loaded(PLACE), tree) == [f"tree/{FOO}/foo_KAT_1.txt"]


@pytest.mark.usefixtures("plain")
def test_a_folder_of_answers_beside_the_tree_is_found(tree: Path, loaded: Loaded) -> None:
    """NIST asks for a folder KAT beside Reference_Implementation; parameter sets have folders."""
    top = tree.parent
    put(top, f"KAT/foo512/{RSP}", f"KAT/foo1024/{RSP}")
    assert answers(loaded(PLACE), tree) == [f"KAT/foo512/{RSP}"]


@pytest.mark.usefixtures("plain")
def test_answers_that_nothing_names_are_all_tried(tree: Path, loaded: Loaded) -> None:
    """Which of them fits is seen when they are compared."""
    top = tree.parent
    put(top, "KAT/one/PQCkemKAT_1.rsp", "KAT/two/PQCkemKAT_2.rsp")
    assert len(answers(loaded(PLACE), tree)) == 2


@pytest.mark.usefixtures("plain")
def test_links_out_of_the_tree_are_no_answers(tree: Path, loaded: Loaded) -> None:
    """A package must not have files read that are somebody else's."""
    (tree.parent / "other.rsp").write_text("count = 0\n")
    (tree / FOO / RSP).symlink_to(tree.parent / "other.rsp")
    (tree / "KAT").mkdir()
    (tree / "KAT" / RSP).symlink_to(tree.parent / "other.rsp")
    assert answers(loaded(PLACE), tree) == []


@pytest.mark.usefixtures("plain")
def test_changed_answers_ask_for_a_new_verdict(tree: Path, loaded: Loaded) -> None:
    """A stored verdict holds for these files and these answers."""
    before = loaded(PLACE).identity
    put(tree, f"{FOO}/{RSP}")
    between = loaded(PLACE).identity
    (tree / FOO / RSP).write_text("count = 1\n")
    assert len({before, between, loaded(PLACE).identity}) == 3


@pytest.mark.parametrize(("files", "found"), [(1, 1), (2, 0)])
def test_without_folders_of_operations_one_file_above_belongs_to_the_package(
    write: Write, files: int, found: int
) -> None:
    """A folder of any name may hold them; of several files some may be others'."""
    folder = write("other/foo512/ref", {n: t for n, t in FILES.items() if n != RSP})
    for number in range(files):
        (folder.parent / f"PQCkemKAT_{number}.rsp").write_text("count = 0\n")
    (listed,) = listed_in_folder(folder.parents[1])
    package = load_listed(listed)
    assert isinstance(package, Package)
    assert package.details is not None
    assert len(package.details.answers) == found
