# SPDX-License-Identifier: MIT
"""Packages as NIST's lightweight benchmark has them: tables, and folders of two operations."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.errors import UsageError
from assay.model import Package
from assay.package.supercop.listing import listing, operations
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder
from assay.package.trees import find, list_in_trees

HASH_TABLE = """
#include "lwc_crypto_hash.h"
#include "toy.h"
hash_ctx lwc_hash_ctx = { "toy", "ref", 4, toy_hash };
"""
HASH = {"api.h": "#define CRYPTO_BYTES 4\n", "toy.h": "", "lwc_crypto_hash.c": HASH_TABLE}
AEAD = {
    "api.h": "#define CRYPTO_KEYBYTES 4\n#define CRYPTO_BYTES 4\n",
    "both.c": "int crypto_hash() { return 0; }\nint crypto_aead_encrypt() { return 0; }\n"
    "int crypto_aead_decrypt() { return 0; }\n",
}
BOTH = "crypto_aead_hash/toy/ref"
Loaded = Callable[[str], Package]


def places(tree: Path, *names: str) -> list[str]:
    """Name what names mean in a tree."""
    return [one.place for one in list_in_trees(names, [tree])]


def test_a_table_of_nists_benchmark_is_recognised(write: Write, loaded: Loaded) -> None:
    """No function has a plain name here: the table alone says which one hashes."""
    write("crypto_hash/toy/ref", HASH)
    details = loaded("crypto_hash/toy/ref").details
    assert details is not None
    assert (details.layout, details.by_table) == ("nist", True)


@pytest.mark.parametrize(
    "text",
    ["int crypto_hash() { return 0; }\n", '#include "lwc_crypto_hash.h"\nint crypto_hash() {}\n'],
)
def test_without_a_table_the_plain_names_are_called(
    write: Write, loaded: Loaded, text: str
) -> None:
    """A file called like the table's is none by its name, nor by what it includes."""
    write("crypto_hash/toy/ref", {**HASH, "lwc_crypto_hash.c": text})
    details = loaded("crypto_hash/toy/ref").details
    assert details is not None
    assert not details.by_table


def test_a_cxof_is_an_operation_of_its_own(tree: Path, write: Write, loaded: Loaded) -> None:
    """Ascon's also defines crypto_hash, and its answers have customisation strings."""
    code = "int crypto_cxof() { return 0; }\nint crypto_hash() { return crypto_cxof(); }\n"
    write("crypto_cxof/toy/ref", {"api.h": HASH["api.h"], "hash.c": code})
    kat = tree / "crypto_cxof/toy/LWC_CXOF_KAT_128_512.txt"
    kat.write_text("Count = 1\nMsg = 00\nZ = 10\nMD = 00\n")
    assert places(tree) == ["crypto_cxof/toy/ref"]
    details = loaded("crypto_cxof/toy/ref").details
    assert details is not None
    assert (details.operation, details.layout) == ("crypto_cxof", "nist")
    assert details.answers == (kat,)


def test_an_implementation_of_two_operations_is_listed_for_each(tree: Path, write: Write) -> None:
    """Both are judged, so that a wrong hash is not hidden behind a right cipher."""
    folder = write(BOTH, AEAD)
    assert operations(tree) == ("crypto_hash", "crypto_aead")
    found = listing(tree)
    assert [one.place for one in found] == ["crypto_hash/toy/ref", "crypto_aead/toy/ref"]
    assert {one.root for one in found} == {folder}
    packages = [load_listed(one) for one in found]
    assert all(isinstance(one, Package) for one in packages), packages


@pytest.mark.parametrize("name", ["crypto_aead_hash", "crypto_aead_hash/toy", BOTH])
def test_the_folders_name_means_both(tree: Path, write: Write, name: str) -> None:
    """The operations' own names mean one each."""
    write(BOTH, AEAD)
    assert places(tree, name) == ["crypto_aead/toy/ref", "crypto_hash/toy/ref"]
    assert places(tree, "crypto_hash/toy") == ["crypto_hash/toy/ref"]
    assert places(tree, "crypto_aead") == ["crypto_aead/toy/ref"]


@pytest.mark.parametrize("below", ["", "crypto_aead_hash", "crypto_aead_hash/toy", BOTH])
def test_a_folder_that_is_named_holds_both(tree: Path, write: Write, below: str) -> None:
    """Wherever in the path the folder of the two operations stands."""
    write(BOTH, AEAD)
    assert [one.place for one in listed_in_folder(tree / below)] == [
        "crypto_aead/toy/ref",
        "crypto_hash/toy/ref",
    ]


def test_one_that_stands_alone_as_well_keeps_its_name(tree: Path, write: Write) -> None:
    """The other one has its folder's name in between, and both can be named."""
    write(BOTH, AEAD)
    write("crypto_aead/toy/ref", AEAD)
    assert places(tree, "crypto_aead/toy") == [
        "crypto_aead/toy/ref",
        "crypto_aead/toy/aead_hash/ref",
    ]
    (one,) = find("crypto_aead/toy/aead_hash/ref", [tree])
    assert one.root == tree / BOTH


def test_checksums_stand_in_the_folder_of_the_primitive(tree: Path, write: Write) -> None:
    """Where the author put them, above the implementations."""
    write(BOTH, AEAD)
    (tree / "crypto_aead_hash/toy/checksumsmall").write_text("0" * 64 + "\n")
    found = load_listed(listing(tree, "crypto_aead")[0])
    assert isinstance(found, Package)
    assert found.details is not None
    assert found.details.checksum_small == "0" * 64


def test_an_unknown_place_of_two_operations_is_an_error(tree: Path, write: Write) -> None:
    """As for any other name."""
    write(BOTH, AEAD)
    with pytest.raises(UsageError, match="unknown package"):
        places(tree, "crypto_aead_hash/other")
