# SPDX-License-Identifier: MIT
"""Trees in the layout of liboqs: one package for each library that its CMake files make."""

from pathlib import Path

import pytest
from tests.unit.package.supercop.liboqs import CMAKE, FILES, write_liboqs

from assay.compile.supercop.related import related
from assay.model import BrokenPackage, Package
from assay.model.packages import OperationDetails
from assay.package.supercop.load import load_listed
from assay.package.supercop.outside import listed_in_folder

REF = "crypto_kem/toy_1/ref"


def packages(folder: Path) -> dict[str, Package | BrokenPackage]:
    """Load all of a folder, by their places."""
    return {one.place: load_listed(one) for one in listed_in_folder(folder)}


def loaded(folder: Path, place: str = REF) -> tuple[Package, OperationDetails]:
    """Load one package that is not broken."""
    package = packages(folder)[place]
    assert isinstance(package, Package), package
    assert package.details is not None
    return package, package.details


def broken(folder: Path, place: str = REF) -> BrokenPackage:
    """Load one package that is broken."""
    package = packages(folder)[place]
    assert isinstance(package, BrokenPackage), package
    return package


def test_each_library_of_an_algorithm_is_a_package(tmp_path: Path) -> None:
    """A name belongs to the longest algorithm in it; none vanishes, whatever it is built of."""
    places = [one.place for one in listed_in_folder(write_liboqs(tmp_path))]
    assert places == [
        "crypto_kem/toy_1/aarch64",
        "crypto_kem/toy_1/cuda",
        REF,
        "crypto_kem/toy_1_f/ref",
    ]


@pytest.mark.parametrize("part", ["src", "src/kem", "src/kem/toy", "src/kem/toy/one_ref"])
def test_a_folder_of_the_tree_means_the_families_in_it(tmp_path: Path, part: str) -> None:
    """Inside a family it means the family, and files outside of the folder are still found."""
    assert loaded(write_liboqs(tmp_path) / part)[0].primitive == "toy_1"


def test_a_package_has_its_sources_and_the_wrapper_of_its_algorithm_alone(tmp_path: Path) -> None:
    """Include folders and macros are those of its library, under names below `src`."""
    package, details = loaded(write_liboqs(tmp_path))
    assert package.sources == ("kem/toy/kem_toy_1.c", "kem/toy/one_ref/toy.c")
    assert details.folders == ("kem/toy/one_ref", "kem/toy/one_sizes", "common/shims", ".")
    assert ("kem/toy/one_ref/toy.c", "TOY_KEY=7") in details.defines
    assert ("kem/toy/kem_toy_1.c", "OQS_ENABLE_KEM_toy_1") in details.defines
    assert not [macro for _, macro in details.defines if macro == "darwin"]
    assert ("oqs/kem_toy.h", tmp_path / "src/kem/toy/kem_toy.h") in details.shared
    assert "OQS_KEM_toy_1_encaps" in details.entry


def test_sources_that_a_list_has_for_other_algorithms_are_left_out(tmp_path: Path) -> None:
    """FrodoKEM's library is made of lists that each option of an algorithm makes longer."""
    cmake = """
if(OQS_ENABLE_KEM_toy_1)
    set(SRCS kem_toy_1.c one_ref/toy.c both.c)
endif()
if(OQS_ENABLE_KEM_toy_1_f)
    set(SRCS ${SRCS} kem_toy_1_f.c one_f/toy.c both.c)
endif()
add_library(toy OBJECT ${SRCS} every.c)
"""
    more = {f"kem/toy/{name}.c": "" for name in ("one_f/toy", "both", "every")}
    tree = write_liboqs(tmp_path, {"kem/toy/CMakeLists.txt": cmake, **more})
    names = {"toy_1": "kem_toy_1 one_ref/toy both every",
             "toy_1_f": "kem_toy_1_f both one_f/toy every"}  # fmt: skip
    for name, sources in names.items():
        package, _ = loaded(tree, f"crypto_kem/{name}/main")
        assert set(package.sources) == {f"kem/toy/{one}.c" for one in sources.split()}


def test_a_folder_with_headers_alone_belongs_to_the_package(tmp_path: Path) -> None:
    """MQOM's sources are shared, and its parameters stand in a folder without any source."""
    assert "kem/toy/one_sizes/sizes.h" in loaded(write_liboqs(tmp_path))[0].files


def test_macros_are_part_of_what_a_package_is_known_by(tmp_path: Path) -> None:
    """The same files with another macro are other code; its results are not those of before."""
    first, _ = loaded(write_liboqs(tmp_path / "first"))
    changed = {"kem/toy/CMakeLists.txt": CMAKE.replace("TOY_KEY=7", "TOY_KEY=8")}
    second, _ = loaded(write_liboqs(tmp_path / "second", changed))
    assert first.content_hash != second.content_hash
    same, _ = loaded(write_liboqs(tmp_path / "third"))
    assert first.content_hash == same.content_hash


def test_options_that_are_no_macros_are_not_passed_on(tmp_path: Path) -> None:
    """A stranger's CMake file cannot name other programs or files to the compiler."""
    odd = CMAKE.replace("-DTOY_KEY=7", '-DTOY_KEY=7 -B/tmp -fplugin=x.so "-DX=`id`" "-DY=$(id)"')
    _, details = loaded(write_liboqs(tmp_path, {"kem/toy/CMakeLists.txt": odd}))
    assert {macro for _, macro in details.defines} == {"TOY_KEY=7", "OQS_ENABLE_KEM_toy_1"}


def test_known_answers_are_the_trees_digests(tmp_path: Path) -> None:
    """`tests/KATs` has one file for all algorithms of a kind; a link out of the tree is none."""
    tree = write_liboqs(tmp_path)
    assert loaded(tree)[1].answers == ()
    kats = tree / "tests" / "KATs" / "kem" / "kats.json"
    kats.parent.mkdir(parents=True)
    kats.write_text("{}")
    assert loaded(tree)[1].answers == (kats,)
    kats.rename(tmp_path.parent / "kats.json")
    kats.symlink_to(tmp_path.parent / "kats.json")
    assert loaded(tree)[1].answers == ()


def test_code_for_another_machine_says_so_by_its_name(tmp_path: Path) -> None:
    """The name of the library is all that liboqs says of it."""
    assert loaded(write_liboqs(tmp_path), "crypto_kem/toy_1/aarch64")[1].architectures == (
        "aarch64",
    )


def test_what_is_not_c_is_counted_and_explained(tmp_path: Path) -> None:
    """Code for graphics cards stays in the list, with the reason."""
    found = broken(write_liboqs(tmp_path), "crypto_kem/toy_1/cuda")
    assert "toy_1_cuda is built of kem/toy/one_cuda/toy.cu" in found.reason
    assert found.cure


def test_sources_outside_of_the_tree_are_refused(tmp_path: Path) -> None:
    """Neither a path of the CMake file nor a link leads out of the tree."""
    (tmp_path / "secret.c").write_text("int secret;\n")
    tree = write_liboqs(
        tmp_path / "tree",
        {"kem/toy/CMakeLists.txt": CMAKE.replace("one_ref/toy.c", "../../../../secret.c")},
    )
    assert loaded(tree)[0].sources == ("kem/toy/kem_toy_1.c",)
    tree = write_liboqs(tmp_path / "linked")
    (tree / "src/kem/toy/one_ref/toy.c").unlink()
    (tree / "src/kem/toy/one_ref/toy.c").symlink_to(tmp_path / "secret.c")
    assert "outside of" in broken(tree).reason


def test_a_family_whose_source_is_missing_says_which(tmp_path: Path) -> None:
    """Half a tree loads what it has; the rest has a reason."""
    tree = write_liboqs(tmp_path)
    (tree / "src/kem/toy/kem_toy_1.c").unlink()
    assert "no source of the package defines OQS_KEM_toy_1_*" in broken(tree).reason
    assert loaded(tree, "crypto_kem/toy_1_f/ref")


def test_functions_that_take_coins_are_called_where_seeds_have_a_length(tmp_path: Path) -> None:
    """Every algorithm declares them; without a length they return an error."""
    seeds = "#define OQS_KEM_toy_1_length_{}_seed {}\n"
    header = FILES["kem/toy/kem_toy.h"] + seeds.format("keypair", 4) + seeds.format("encaps", 0)
    tree = write_liboqs(tmp_path, {"kem/toy/kem_toy.h": header})
    package, _ = loaded(tree)
    assert [one.suffix for one in related(package).functions] == ["_keypair_derand"]
    other, _ = loaded(tree, "crypto_kem/toy_1_f/ref")
    assert related(other).functions == ()


@pytest.mark.parametrize(("says", "called"), [("true", True), ("false", False)])
def test_contexts_are_asked_where_the_record_of_a_signature_has_them(
    tmp_path: Path, says: str, called: bool
) -> None:
    """Other signatures have such functions, too, that refuse every context."""
    record = f"  sig->sig_with_ctx_support = {says};\n  return sig;\n"
    files = {
        "sig/toy/CMakeLists.txt": "add_library(toy_2_ref OBJECT sig_toy_2.c)\n",
        "sig/toy/sig_toy.h": "#define OQS_SIG_toy_2_length_secret_key 4\n",
        "sig/toy/sig_toy_2.c": f"OQS_SIG *OQS_SIG_toy_2_new(void) {{\n{record}}}\n",
    }
    package, _ = loaded(write_liboqs(tmp_path, files), "crypto_sign/toy_2/ref")
    suffixes = {one.suffix for one in related(package).functions}
    assert ("_signature_ctx" in suffixes) == ("_verify_ctx" in suffixes) == called
