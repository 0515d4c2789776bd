# SPDX-License-Identifier: MIT
"""What a tree is listed as, without reading it."""

import os
from collections import Counter
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.errors import UsageError
from assay.model import BrokenPackage
from assay.package.supercop.listing import Listed, listing, names, operations, primitives, sample
from assay.package.supercop.load import load_listed

STICKY = 0o1755


def test_an_implementation_is_a_folder_with_an_api(tree: Path, write: Write) -> None:
    """A folder beside it is none."""
    write("crypto_hash/sha256/ref")
    (tree / "crypto_hash/sha256/notes").mkdir()
    assert names(tree, "crypto_hash") == ("crypto_hash/sha256/ref",)


def test_implementations_in_deeper_folders_have_longer_names(tree: Path, write: Write) -> None:
    """Each is a package of its own, and one may stand in another."""
    write("crypto_hash/sha256/dolbeau/amd64-sha")
    write("crypto_hash/sha256/dolbeau")
    assert names(tree, "crypto_hash", "sha256") == (
        "crypto_hash/sha256/dolbeau",
        "crypto_hash/sha256/dolbeau/amd64-sha",
    )


def test_the_order_is_that_of_primitives_and_then_of_folders(tree: Path, write: Write) -> None:
    """A primitive stays together, whatever letters follow its name."""
    for place in ("a1/ref", "a/z", "a/b", "a-1/ref"):
        write(f"crypto_hash/{place}")
    assert primitives(tree, "crypto_hash") == ("a", "a-1", "a1")
    assert names(tree, "crypto_hash") == (
        "crypto_hash/a/b",
        "crypto_hash/a/z",
        "crypto_hash/a-1/ref",
        "crypto_hash/a1/ref",
    )


def test_operations_come_in_the_order_in_which_they_need_each_other(
    tree: Path, write: Write
) -> None:
    """Unknown operations are passed over."""
    write("crypto_kem/x/ref")
    write("crypto_hash/x/ref")
    write("crypto_nothing/x/ref")
    assert operations(tree) == ("crypto_hash", "crypto_kem")
    assert [one.place for one in listing(tree)] == ["crypto_hash/x/ref", "crypto_kem/x/ref"]


def test_links_inside_of_the_tree_are_followed(tree: Path, write: Write) -> None:
    """Two of three paths of a SUPERCOP tree are links."""
    write("crypto_hash/sha256/ref")
    (tree / "crypto_hash/twin").symlink_to("sha256")
    (tree / "crypto_hash/sha256/same").symlink_to("ref")
    assert names(tree, "crypto_hash") == (
        "crypto_hash/sha256/ref",
        "crypto_hash/sha256/same",
        "crypto_hash/twin/ref",
        "crypto_hash/twin/same",
    )


def test_circles_of_links_come_to_an_end(tree: Path, write: Write) -> None:
    """Neither a link upward nor one to itself is a reason to stop."""
    folder = write("crypto_hash/sha256/ref")
    (folder / "up").symlink_to("../..")
    (folder / "self").symlink_to("self")
    found = names(tree, "crypto_hash")
    assert "crypto_hash/sha256/ref" in found
    assert len(found) == len(set(found))


def test_a_link_out_of_the_tree_is_named_and_not_followed(
    tree: Path, write: Write, tmp_path: Path
) -> None:
    """Loading such a place says why it is refused."""
    write("crypto_hash/sha256/ref")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "api.h").write_text("")
    (tree / "crypto_hash/sha256/far").symlink_to(outside)
    (tree / "crypto_hash/md5").symlink_to(outside)
    assert names(tree, "crypto_hash") == (
        "crypto_hash/md5",
        "crypto_hash/sha256/far",
        "crypto_hash/sha256/ref",
    )


@pytest.mark.parametrize("sticky", ["crypto_hash", "crypto_hash/sha256", "crypto_hash/sha256/ref"])
def test_folders_with_the_sticky_bit_are_passed_over(
    tree: Path, write: Write, sticky: str
) -> None:
    """The bit is how SUPERCOP is told to leave something out."""
    write("crypto_hash/sha256/ref")
    write("crypto_sort/int32/ref")
    (tree / sticky).chmod(STICKY)
    assert [one.place for one in listing(tree)] == ["crypto_sort/int32/ref"]


def test_a_sticky_folder_between_is_entered(tree: Path, write: Write) -> None:
    """SUPERCOP looks at three levels only."""
    write("crypto_hash/sha256/dolbeau/ref")
    (tree / "crypto_hash/sha256/dolbeau").chmod(STICKY)
    assert names(tree, "crypto_hash") == ("crypto_hash/sha256/dolbeau/ref",)


def test_a_folder_that_is_no_file_is_no_api(tree: Path) -> None:
    """Only a file can define constants."""
    (tree / "crypto_hash/sha256/ref/api.h").mkdir(parents=True)
    os.mkfifo(tree / "crypto_hash/sha256/api.h")
    assert names(tree, "crypto_hash") == ()


def test_a_primitive_that_is_not_there_has_none(tree: Path) -> None:
    """That is no error: a tree need not have everything."""
    assert names(tree, "crypto_hash", "sha256") == ()
    assert primitives(tree, "crypto_hash") == ()


MANY = tuple(Listed(Path("tree"), f"crypto_hash/p{number}/ref") for number in range(40))


def test_a_sample_has_the_size_asked_for_and_keeps_the_order() -> None:
    """Reports list what was drawn as the tree does."""
    drawn = sample(MANY, 7, 1)
    assert len(drawn) == 7
    assert drawn == tuple(one for one in MANY if one in drawn)


def test_a_sample_depends_on_the_seed_alone() -> None:
    """The same seed gives the same verdicts twice."""
    assert sample(MANY, 7, 1) == sample(MANY, 7, 1)
    assert sample(MANY, 7, 1) != sample(MANY, 7, 2)


def test_a_smaller_sample_is_a_part_of_a_larger_one() -> None:
    """Going on with more does not throw away what was done."""
    assert set(sample(MANY, 5, 3)) < set(sample(MANY, 20, 3))


def test_a_sample_larger_than_the_list_is_the_list() -> None:
    """Asking for more than there is means all."""
    assert sample(MANY, 1000, 1) == MANY


def test_a_sample_favours_nobody() -> None:
    """Over many seeds each is drawn about as often as any other."""
    counts = Counter(one for seed in range(2000) for one in sample(MANY, 10, seed))
    assert set(counts) == set(MANY)
    expected, most = 500, 100  # five standard deviations
    assert all(abs(count - expected) < most for count in counts.values())


def test_a_sample_of_nothing_is_refused() -> None:
    """A count below 1 is a slip."""
    with pytest.raises(UsageError, match="sample of 0"):
        sample(MANY, 0, 1)


def test_a_name_that_cannot_be_printed_hides_nothing_but_itself(tree: Path, write: Write) -> None:
    """One folder of a tree must not make an operation look empty, nor write to a terminal."""
    write("crypto_hash/sha256/ref")
    write("crypto_hash/new\nline/ref")
    write("crypto_hash/sha256/odd")
    (tree / "crypto_hash/sha256/odd/esc\x1b").write_text("")
    found = {one.place: one for one in listing(tree)}
    assert list(found) == [
        "crypto_hash/new\\nline/ref",
        "crypto_hash/sha256/odd",
        "crypto_hash/sha256/ref",
    ]
    broken = [load_listed(one) for one in found.values()][:2]
    assert all(isinstance(one, BrokenPackage) and one.cure for one in broken)


def test_a_folder_that_cannot_be_listed_is_named(
    tree: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left out, nobody would know that something was not examined."""
    write("crypto_hash/sha256/ref")
    write("crypto_hash/sha256/secret")
    listed = os.scandir

    def denied(folder: str) -> object:
        if str(folder).endswith("secret"):
            raise PermissionError(13, "Permission denied", folder)
        return listed(folder)

    monkeypatch.setattr(os, "scandir", denied)
    assert names(tree, "crypto_hash") == ("crypto_hash/sha256/ref", "crypto_hash/sha256/secret")
    (broken,) = (load_listed(one) for one in listing(tree) if "secret" in one.place)
    assert isinstance(broken, BrokenPackage)
    assert "cannot be listed: Permission denied" in broken.reason
