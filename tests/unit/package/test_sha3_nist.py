# SPDX-License-Identifier: MIT
"""Packages of the SHA-3 competition's API: how they are recognised, and what belongs to them."""

from pathlib import Path

import pytest

from assay.model import BrokenPackage, Package
from assay.package.discover import Found, discover, load_all, load_below
from assay.package.recognise import recognise

HEADER = """
typedef unsigned char BitSequence;
typedef struct { int hashbitlen; } hashState;
HashReturn Init(hashState *state, int hashbitlen);
HashReturn Update (hashState *state, const BitSequence *data, DataLength databitlen);
HashReturn Final(hashState *state, BitSequence *hashval);
HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength n, BitSequence *hashval);
"""
SOURCE = "HashReturn Init(hashState *state, int hashbitlen) { return SUCCESS; }\n"
KAT = "Len = 8\nMsg = CC\nMD = {}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of a package."""
    place = tmp_path / "toy" / "Reference_Implementation"
    place.mkdir(parents=True)
    (place / "SHA3api_ref.h").write_text(HEADER)
    (place / "toy.c").write_text(SOURCE)
    return place


def loaded(folder: Path) -> Package:
    """Load the one package of a submission's folder, which has it in a folder below."""
    (found,) = load_below(folder.parent, folder.parent, "toy")
    assert isinstance(found, Package), found
    return found


def broken(found: tuple[Found, ...]) -> BrokenPackage:
    """Return the one package, which cannot be loaded."""
    (one,) = found
    assert isinstance(one, BrokenPackage)
    return one


def test_a_submission_of_the_competition_is_loaded(folder: Path) -> None:
    """Its API and kind, header and sources; names follow from folders."""
    package = loaded(folder)
    assert (package.api, package.kind, package.header) == ("sha3-nist", "hash", "SHA3api_ref.h")
    assert package.selector == "toy/Reference_Implementation"
    assert (package.sources, package.std, package.vectors) == (("toy.c",), ("-std=gnu99",), None)


def test_a_header_of_another_name_is_recognised_by_what_it_declares(folder: Path) -> None:
    """Submissions call theirs `KeccakNISTInterface.h` or `blake_ref.h`."""
    (folder / "SHA3api_ref.h").rename(folder / "toy_ref.h")
    assert loaded(folder).header == "toy_ref.h"


def test_a_header_that_lacks_a_function_is_none(folder: Path) -> None:
    """KeccakInit is not Init; a comment declares nothing."""
    text = HEADER.replace("HashReturn Init(", "/* Init( */ HashReturn KeccakInit(")
    (folder / "SHA3api_ref.h").rename(folder / "toy_ref.h")
    (folder / "toy_ref.h").write_text(text)
    assert load_below(folder.parent, folder.parent, "toy") == ()


def test_a_package_of_supercop_stays_one(folder: Path) -> None:
    """Many implementations of crypto_hash include an SHA3api_ref.h of their designers."""
    (folder / "api.h").write_text("#define CRYPTO_BYTES 32\n")
    assert load_below(folder.parent, folder.parent, "toy") == ()


def test_test_programs_and_included_parts_are_not_compiled(folder: Path) -> None:
    """The competition's genKAT.c has a main; tables are often in a file with the suffix .c."""
    (folder / "genKAT.c").write_text("int main(void) { return 0; }\n")
    (folder / "tables.c").write_text("static const int table[1] = {0};\n")
    (folder / "toy.c").write_text('#include "tables.c"\n' + SOURCE)
    package = loaded(folder)
    assert package.sources == ("toy.c",)
    assert [one.name for one in package.quirks] == ["quirk/test-program"]


def test_a_header_without_a_source_is_reported(folder: Path) -> None:
    """With a cure."""
    (folder / "toy.c").unlink()
    one = broken(load_all(folder, folder.parent, "toy"))
    assert "has a header and no source" in one.reason
    assert "beside the header" in one.cure


def test_known_answers_are_found_where_submissions_have_them(folder: Path) -> None:
    """In KAT_MCT beside the implementation; verified.vectors in a folder comes first."""
    kats = folder.parent / "KAT_MCT"
    kats.mkdir()
    for size in (224, 256):
        (kats / f"ShortMsgKAT_{size}.txt").write_text(KAT.format("0" * (size // 4)))
    assert loaded(folder).vectors == kats / "ShortMsgKAT_224.txt"
    (folder / "verified.vectors").write_text("out=8 len=0 msg=- md=00\n")
    assert loaded(folder).vectors == folder / "verified.vectors"


def test_verdicts_depend_on_all_files_of_known_answers(folder: Path) -> None:
    """A changed file of another size, or of long messages, is a change of what is compared."""
    for size in (224, 256):
        (folder / f"ShortMsgKAT_{size}.txt").write_text(KAT.format("0" * (size // 4)))
    before = loaded(folder).judged_by
    (folder / "LongMsgKAT_256.txt").write_text(KAT.format("1" * 64))
    assert loaded(folder).judged_by != before


def test_a_folder_that_arrives_is_recognised(folder: Path) -> None:
    """`assay add` says what it is and which command comes next."""
    found = recognise(folder)
    assert found.says == "sha3-nist, 1 implementation"
    assert found.commands[1].endswith("-o unverified.vectors")


def test_the_shipped_package_is_found() -> None:
    """SHA-3 in the API of its competition."""
    root = Path(__file__).parents[3]
    (package,) = [one for one in discover(root) if one.selector == "keccak/nist"]
    assert isinstance(package, Package)
    assert package.api == "sha3-nist"
    assert package.vectors is not None
