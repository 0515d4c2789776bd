# SPDX-License-Identifier: MIT
"""Assembly that Jasmin's compiler made: libjade's tree, its releases, and trees of single ones."""

from pathlib import Path

import pytest
from tests.unit.package.supercop.libjade import (
    FNV1A,
    HEADER,
    KEM,
    RANDOM_KEYS,
    write_files,
    write_libjade,
    write_release,
)

from assay.model import BrokenPackage, Package
from assay.package.supercop.libjade import jade_names
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder
from assay.package.trees import divided

TREE = ["crypto_hash/fnv1a/amd64/avx2", "crypto_hash/fnv1a/amd64/ref"]


def places(folder: Path) -> list[str]:
    """Name what is in a folder."""
    return [one.place for one in listed_in_folder(folder)]


def only(folder: Path) -> Package | BrokenPackage:
    """Load the one package of a folder."""
    (one,) = listed_in_folder(folder)
    return load_listed(one)


@pytest.mark.parametrize("part", ["", "src", "src/crypto_hash"])
def test_implementations_of_a_tree_are_named_by_their_headers(tmp_path: Path, part: str) -> None:
    """Parameter sets are primitives, or all of Kyber's would be compared with each other."""
    assert places(write_libjade(tmp_path) / part) == TREE


@pytest.mark.parametrize("part", ["", "src"])
def test_a_tree_named_by_option_has_the_same_packages(tmp_path: Path, part: str) -> None:
    """Its `src` has folders as SUPERCOP's tree has, and is none."""
    plain, found = divided([write_libjade(tmp_path) / part])
    assert plain == ()
    assert [one.place for one in found] == TREE


def test_an_implementation_is_its_header_and_its_assembly(tmp_path: Path) -> None:
    """Functions and constants are called by libjade's names."""
    package = load_listed(listed_in_folder(write_libjade(tmp_path))[1])
    assert isinstance(package, Package), package
    assert package.details is not None
    assert package.files == ("hash.s", "include/api.h")
    assert package.sources == ("hash.s",)
    assert package.details.architectures == ("amd64",)
    assert package.details.functions == (("", "jade_hash_fnv1_a_amd64_ref"),)
    assert '#include "include/api.h"' in package.details.entry
    assert "#define CRYPTO_BYTES JADE_HASH_fnv1_a_amd64_ref_BYTES" in package.details.entry


def test_a_tree_that_is_not_compiled_says_what_compiles_it(tmp_path: Path) -> None:
    """Nothing vanishes: each is listed, and refused with upstream's own commands."""
    listed = listed_in_folder(write_libjade(tmp_path, compiled=False))
    broken = [load_listed(one) for one in listed]
    assert [one.place for one in broken] == TREE
    for one in broken:
        assert isinstance(one, BrokenPackage)
        assert "its code in Jasmin (hash.jazz)" in one.reason
        assert "`opam install jasmin`" in one.cure
        assert "run `make` in" in one.cure


def test_a_release_has_files_named_like_their_folders(tmp_path: Path) -> None:
    """There is no api.h in it."""
    package = only(write_release(tmp_path))
    assert isinstance(package, Package), package
    assert package.place == "crypto_hash/fnv1a/amd64/ref"
    assert package.files == ("fnv1_a_ref.h", "fnv1_a_ref.s")


def test_names_in_small_letters_and_flat_folders_are_taken(tmp_path: Path) -> None:
    """So has mlkem-libjade its packages, outside of any folder of an operation."""
    files = {"src/toy1_amd64_ref/api.h": KEM, "src/toy1_amd64_ref/toy1.s": RANDOM_KEYS}
    package = only(write_files(tmp_path, files))
    assert isinstance(package, Package), package
    assert package.place == "crypto_kem/toy1/amd64/ref"
    assert package.details is not None
    assert "#define CRYPTO_PUBLICKEYBYTES jade_kem_toy_toy1_amd64_ref_PUBLICKEYBYTES" in (
        package.details.entry
    )


def test_of_two_files_with_the_same_functions_one_is_taken(tmp_path: Path) -> None:
    """formosa-mlkem has its code twice, as two ways of compiling it must give the same."""
    own = "fnv_amd64_ref"
    code = FNV1A.format(own=own)
    header = HEADER.format(own=own, last="ref")
    files = {"ref/include/api.h": header, "ref/hash.s": code, "ref/hash_again.s": code}
    package = only(write_files(tmp_path, files))
    assert isinstance(package, Package), package
    assert package.sources == ("hash.s",)


def test_code_that_lacks_a_declared_function_is_refused_by_its_name(tmp_path: Path) -> None:
    """Libjade's Falcon verifies and does not sign."""
    files = {"ref/include/api.h": KEM, "ref/toy.s": RANDOM_KEYS.replace("ref_dec", "ref_open")}
    broken = only(write_files(tmp_path, files))
    assert isinstance(broken, BrokenPackage)
    assert broken.reason == "toy.s does not define jade_kem_toy_toy1_amd64_ref_dec"


def test_a_header_with_other_names_keeps_its_place_in_the_list(tmp_path: Path) -> None:
    """What a tree of libjade's layout has is listed, whatever it is."""
    tree = write_libjade(tmp_path)
    write_files(tree, {"src/crypto_hash/odd/amd64/ref/include/api.h": "int odd(void);\n",
                       "src/crypto_hash/odd/amd64/ref/odd.jazz": ""})  # fmt: skip
    assert places(tree) == [*TREE, "crypto_hash/odd/amd64/ref"]


@pytest.mark.parametrize(
    ("own", "primitive"),
    [
        ("kyber_kyber768_amd64_avx2", "kyber768"),
        ("sha3_256_amd64_bmi1", "sha3256"),
        ("xsalsa20poly1305_amd64_ref", "xsalsa20poly1305"),
    ],
)
def test_primitives_have_the_names_that_supercop_has(own: str, primitive: str) -> None:
    """By these, checksums of trees and those that Assay comes with are found."""
    found = jade_names(HEADER.format(own=own, last=own.rsplit("_", 1)[1]))
    assert found is not None
    assert found.primitive == primitive
    assert found.implementation == "/".join(own.rsplit("_", 2)[1:])


def test_other_headers_are_not_taken_for_libjades() -> None:
    """Neither other names nor half of the functions of an operation are."""
    assert jade_names("int crypto_hash(unsigned char *, const unsigned char *, int);") is None
    assert jade_names("int jade_kem_toy_amd64_ref_keypair(uint8_t *, uint8_t *);") is None
    assert jade_names("int jade_nothing_toy(void);") is None
