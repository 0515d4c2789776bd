# SPDX-License-Identifier: MIT
"""Submissions to NIST whose sources stand in more than one folder, and collections of them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write
from tests.unit.package.supercop.test_nist import KEM, KEM_API

from assay.errors import UsageError
from assay.model import Package
from assay.package.resolve import Trees, resolve
from assay.package.supercop import outside
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

FLAT = {
    "api.h": KEM_API,
    "kem.c": f'#include "sha3/keccak.h"\n#include "aes.h"\n{KEM}',
    "sha3/keccak.h": "",
    "sha3/keccak.c": '#include "keccak.h"\n#include "rounds.c"\n',
    "sha3/rounds.c": "",
    "nist/aes.h": "",
    "nist/aes.c": "",
    "nist/main.c": "int main(void) { return 0; }\n",
    "unused/other.h": "",
    "unused/other.c": "",
    "test/aes_test.h": "",
    "test/aes_test.c": "",
}
APART = {
    "include/api.h": KEM_API,
    "include/sub/params.h": "",
    "src/kem.c": f'#include "params.h"\n{KEM}',
    "src/PQCgenKAT_kem.c": "int main(void) { return 0; }\n",
    "src/test/try.c": "",
}
PLACE = "crypto_kem/foo512/ref"
Put = Callable[[str, Mapping[str, str]], None]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Give the function that writes files below a folder of the collection."""

    def written(place: str, files: Mapping[str, str]) -> None:
        for name, text in files.items():
            path = tmp_path / "all" / place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return written


def only(folder: Path) -> Package:
    """Load the one package in a folder."""
    (listed,) = listed_in_folder(folder)
    found = load_listed(listed)
    assert isinstance(found, Package), found
    return found


def test_sources_in_folders_below_are_compiled_if_their_headers_are_used(
    write: Write, loaded: Callable[[str], Package]
) -> None:
    """By path or by name; programs, tests, included sources and what nobody uses are left."""
    write(PLACE, FLAT)
    package = loaded(PLACE)
    assert package.details is not None
    assert package.sources == ("kem.c", "nist/aes.c", "sha3/keccak.c")
    assert package.details.folders == ("nist", "sha3")


def test_a_header_that_two_folders_have_chooses_neither(
    write: Write, loaded: Callable[[str], Package]
) -> None:
    """Alternatives are for the author to choose among."""
    write(PLACE, {**FLAT, "other/aes.h": "", "other/aes.c": ""})
    assert loaded(PLACE).sources == ("kem.c", "sha3/keccak.c")


@pytest.mark.parametrize("named", ["", "foo", "foo/include"])
def test_sources_may_stand_beside_the_folder_of_headers(
    tmp_path: Path, put: Put, named: str
) -> None:
    """However much of the path is named."""
    put("foo", APART)
    package = only(tmp_path / "all" / named)
    assert package.details is not None
    assert package.details.operation == "crypto_kem"
    assert package.sources == ("src/kem.c",)
    assert "sub" in package.details.folders
    assert dict(package.details.shared) == {"src/kem.c": tmp_path / "all/foo/src/kem.c"}


def test_submissions_of_one_name_are_told_apart_by_the_folders_above(
    tmp_path: Path, put: Put
) -> None:
    """A collection has one for each round; one name for both hid them all behind an error."""
    for above in ("one", "two"):
        put(f"{above}/foo/ref", {"api.h": KEM_API, "kem.c": KEM})
    put("two/bar/ref", {"api.h": KEM_API, "kem.c": KEM})
    assert [one.place for one in listed_in_folder(tmp_path / "all")] == [
        "crypto_kem/foo/one/ref",
        "crypto_kem/bar/ref",
        "crypto_kem/foo/two/ref",
    ]


@pytest.mark.parametrize("named", ["", "crypto_kem_round1"])
def test_folders_of_implementations_do_not_hide_the_primitive(
    tmp_path: Path, put: Put, named: str
) -> None:
    """Below a folder called as an operation and more, whether it or what holds it is named."""
    put("crypto_kem_round1/foo512/ref", {"api.h": KEM_API, "kem.c": KEM})
    put("crypto_kem_round1/foo512/jane/avx2", {"api.h": KEM_API, "kem.c": KEM})
    found = {one.place: one.root for one in listed_in_folder(tmp_path / "all" / named)}
    wanted = "crypto_kem/foo512/jane/avx2"
    assert set(found) == {"crypto_kem/foo512/ref", wanted}
    assert found[wanted] == tmp_path / "all/crypto_kem_round1/foo512/jane/avx2"


def test_a_name_in_a_tree_may_lack_its_operation(tmp_path: Path, put: Put) -> None:
    """And what is suggested are names of that tree, not of Assay's own."""
    put("crypto_kem/hqc-128/clean", {"api.h": KEM_API, "kem.c": KEM})
    trees = Trees((tmp_path / "all",))
    (one,) = resolve(("hqc-128/clean",), tmp_path, cwd=tmp_path, trees=trees)
    assert one.place == "crypto_kem/hqc-128/clean"
    with pytest.raises(UsageError) as caught:
        resolve(("hqc-182/clean",), tmp_path, cwd=tmp_path, trees=trees)
    assert "/all" in str(caught.value)
    assert "Did you mean hqc-128/clean" in caught.value.cure


def test_trees_of_one_collection_keep_checksums_and_names_apart(tmp_path: Path, put: Put) -> None:
    """Each primitive's checksums stand above its implementations still."""
    for above in ("one", "two"):
        put(f"{above}/{PLACE}", {"api.h": KEM_API, "kem.c": KEM})
        put(f"{above}/crypto_kem/foo512", {"checksumsmall": "1" * 64})
    found = [load_listed(one) for one in listed_in_folder(tmp_path / "all")]
    assert [one.selector for one in found] == [
        "crypto_kem/foo512/one/ref",
        "crypto_kem/foo512/two/ref",
    ]
    sums = [
        one.details.checksum_small for one in found if isinstance(one, Package) and one.details
    ]
    assert sums == ["1" * 64] * 2


def test_folders_are_all_looked_into_or_refused(
    tmp_path: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that ends the search in silence lets packages vanish."""
    for name in ("a", "b", "c"):
        put(f"{name}/ref", {"api.h": KEM_API, "kem.c": KEM})
    monkeypatch.setattr(outside, "MOST_FOLDERS", 7)
    assert len(listed_in_folder(tmp_path / "all")) == 3
    monkeypatch.setattr(outside, "MOST_FOLDERS", 6)
    with pytest.raises(UsageError, match="has more than 6 folders"):
        listed_in_folder(tmp_path / "all")
