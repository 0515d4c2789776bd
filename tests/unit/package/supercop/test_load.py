# SPDX-License-Identifier: MIT
"""What is read of an implementation in SUPERCOP's layout."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.package.supercop.conftest import HASH, Write

from assay.model import BrokenPackage, Package
from assay.model.packages import OperationDetails
from assay.package.supercop.load import load
from assay.package.tree import content_hash

Loaded = Callable[[str], Package]
Broken = Callable[[str], BrokenPackage]
REF = "crypto_hash/sha256/ref"
SMALL, BIG = "0a" * 32, "b1" * 32
LOOPS = "#undef LOOPS\n#ifdef SMALL\n#define LOOPS 8\n#else\n#define LOOPS 64\n#endif\n"


def details(package: Package) -> OperationDetails:
    """Give what a package of an operation always has."""
    assert package.details is not None
    return package.details


def test_names_follow_from_the_place(write: Write, loaded: Loaded) -> None:
    """Everything after the primitive is the implementation."""
    write("crypto_hash/sha256/dolbeau/amd64-sha")
    package = loaded("crypto_hash/sha256/dolbeau/amd64-sha")
    assert package.primitive == "sha256"
    assert package.implementation == "dolbeau/amd64-sha"
    assert package.selector == package.place == "crypto_hash/sha256/dolbeau/amd64-sha"
    assert (package.api, package.kind) == ("supercop", "operation")


def test_sources_are_those_directly_in_the_folder(write: Write, loaded: Loaded) -> None:
    """SUPERCOP compiles these five kinds and looks into no folder below."""
    write(REF, **{"a.S": "", "b.s": "", "c.cc": "", "d.cpp": "", "e.i": "", "sub/f.c": ""})
    package = loaded(REF)
    assert package.sources == ("a.S", "b.s", "c.cc", "d.cpp", "hash.c")
    assert "sub/f.c" in package.files


def test_files_below_belong_to_it_even_if_they_are_packages(write: Write, loaded: Loaded) -> None:
    """SUPERCOP copies the folder as a whole."""
    write(REF)
    write(f"{REF}/nested")
    assert loaded(REF).files == ("api.h", "hash.c", "nested/api.h", "nested/hash.c")
    assert loaded(f"{REF}/nested").files == ("api.h", "hash.c")


@pytest.mark.parametrize(
    ("files", "language"),
    [
        ({}, "c"),
        ({"x.cc": ""}, "c++"),
        ({"x.cpp": ""}, "c++"),
        ({"sub/x.cpp": ""}, "c"),
        ({"Cargo.toml": ""}, "rust"),
    ],
)
def test_one_file_may_decide_the_language(
    write: Write, loaded: Loaded, files: dict[str, str], language: str
) -> None:
    """One C++ source makes all of it C++; folders below do not count."""
    write(REF, **files)
    assert details(loaded(REF)).language == language


def test_rust_needs_no_source_of_c(write: Write, loaded: Loaded) -> None:
    """Cargo knows its own sources."""
    write(REF, {"api.h": "", "Cargo.toml": "", "src/lib.rs": ""})
    assert loaded(REF).sources == ()


def test_what_is_declared_beside_the_code_is_read(
    tree: Path, write: Write, loaded: Loaded
) -> None:
    """Files of the implementation, of the primitive, and of its folder `supercop`."""
    write(
        REF,
        **{
            "goal-constbranch": "",
            "goal-constindex": "",
            "architectures": "amd64\nx86 avx2\n",
            "implementors": "Somebody\n",
            "description": "Fast.\n",
        },
    )
    write("crypto_hash/sha256", {"designers": "N\xc3\xb6 One\x07\n", "description": "A hash."})
    write("crypto_hash/sha256", {"checksumsmall": SMALL + "\n", "checksumbig": BIG})
    write("crypto_hash/sha256/supercop", {"test-loops.inc": LOOPS, "test-more.inc": "{}"})
    found = details(loaded(REF))
    assert found.operation == "crypto_hash"
    assert found.tree == tree
    assert found.layout == "supercop"
    assert found.constants == (("BYTES", "32"),)
    assert found.goals == ("constbranch", "constindex")
    assert found.architectures == ("amd64", "x86", "avx2")
    assert (found.checksum_small, found.checksum_big) == (SMALL, BIG)
    assert found.loops == (8, 64)
    assert found.weights
    assert ("implementors", "Somebody") in found.notes
    assert ("implementation", "Fast.") in found.notes
    assert ("description", "A hash.") in found.notes


def test_text_about_people_is_printable_and_bounded(write: Write, loaded: Loaded) -> None:
    """Whoever writes it may write anything."""
    write(REF, implementors="A\x1b[31mB\n" + "x" * 9000)
    text = dict(details(loaded(REF)).notes)["implementors"]
    assert text.startswith("A [31mB\nx")
    assert len(text) < 2100


def test_nothing_declared_is_nothing_said(write: Write, loaded: Loaded) -> None:
    """Unknown is None or empty, never a guess."""
    unheard = "crypto_hash/unheard/ref"
    write(unheard)
    found = details(loaded(unheard))
    assert (found.goals, found.architectures, found.includes, found.notes) == ((),) * 4
    assert (found.checksum_small, found.checksum_big, found.loops) == (None,) * 3
    assert not found.weights


@pytest.mark.parametrize("text", ["#define LOOPS 77\n", "#define LOOPS 77 /* few */\n"])
def test_one_number_of_loops_is_for_both(write: Write, loaded: Loaded, text: str) -> None:
    """A comment after it is no part of it."""
    write(REF)
    write("crypto_hash/sha256/supercop", {"test-loops.inc": text})
    assert details(loaded(REF)).loops == (77, 77)


def test_an_empty_checksum_is_none(write: Write, loaded: Loaded) -> None:
    """SUPERCOP takes it for absent, too."""
    unheard = "crypto_hash/unheard/ref"
    write(unheard)
    write("crypto_hash/unheard", {"checksumsmall": "\n"})
    assert details(loaded(unheard)).checksum_small is None


def test_other_primitives_are_found_by_their_headers(write: Write, loaded: Loaded) -> None:
    """Conditions that may hold do not matter; own headers and other names are no primitives."""
    text = """
    #include "crypto_hash.h"
    #include "crypto_hash_sha256.h"
    #include <crypto_hashblocks_sha256.h>
    #ifdef __ARM_NEON
    # include "crypto_stream_aes256ctr_publicinputs.h"
    #endif
    #include "crypto_verify_32.h"
    #include "crypto_verify_32_publicinputs.h"
    #include "crypto_int32.h"
    #include "crypto_uint64.h"
    #include "crypto_asm_hidden.h"
    #include "crypto_declassify.h"
    #include "crypto_core_own.h"
    #include "crypto_nothing_here.h"
    """
    write(REF, **{"sub/x.h": text, "crypto_core_own.h": "", "notes.txt": "#include "})
    found = details(loaded(REF))
    assert found.includes == (
        "crypto_hashblocks_sha256",
        "crypto_stream_aes256ctr",
        "crypto_verify_32",
    )
    assert found.public == ("crypto_stream_aes256ctr",)


def test_the_hash_is_that_of_names_and_bytes(write: Write, loaded: Loaded) -> None:
    """It is the same hash as that of any other package."""
    folder = write(REF)
    first = loaded(REF).content_hash
    assert first == content_hash(folder, ["api.h", "hash.c"])
    (folder / "hash.c").write_text(HASH["hash.c"] + "\n")
    assert loaded(REF).content_hash != first


def test_a_package_is_judged_by_the_checksums_of_its_primitive(
    write: Write, loaded: Loaded
) -> None:
    """Another sum, or another number of loops for the same sum, is another judgement."""
    folder = write(REF)
    seen = [loaded(REF)]
    for name, text in (
        ("checksumsmall", "0" * 64),
        ("checksumbig", "1" * 64),
        ("supercop/test-loops.inc", "#define LOOPS 3\n"),
        ("supercop/test-more.inc", ""),
    ):
        (folder.parent / name).parent.mkdir(exist_ok=True)
        (folder.parent / name).write_text(text)
        seen.append(loaded(REF))
    assert len({one.identity for one in seen}) == len(seen)
    assert len({one.content_hash for one in seen}) == 1


BRUTUS = {
    "api.h": "#define CRYPTO_KEYBYTES 16\n",
    "encrypt.c": '#include "crypto_aead.h"\n#include "crypto_verify_16.h"\n'
    "int crypto_aead_encrypt() { return crypto_verify_16(0, 0); }\n",
}


def test_headers_of_subroutines_may_stand_in_inc(write: Write, loaded: Loaded) -> None:
    """BRUTUS compiles a source with each package that defines what they declare."""
    place = "crypto_aead/foo/ref"
    write(place, BRUTUS)
    assert details(loaded(place)).includes == ("crypto_verify_16",)
    write("inc", {"crypto_verify_16.h": "int crypto_verify_16();\n", "brutus.h": ""})
    assert details(loaded(place)).includes == ("crypto_verify_16",)
    helper = '#include "api.h"\nint crypto_verify_16() { return 0; }\n'
    main = '#include "api.h"\nint main() { return 0; }\n'
    write("src", {"aead_params.c": helper, "main.c": main, "kat.c": "int kat;\n"})
    package = loaded(place)
    assert details(package).includes == ()
    assert package.sources == ("encrypt.c", "src/aead_params.c")
    assert "inc" in details(package).folders
    write("crypto_aead/bar/ref")
    assert loaded("crypto_aead/bar/ref").sources == ("hash.c",)


def test_a_template_of_xkcp_says_what_completes_it(
    write: Write, loaded: Loaded, broken: Broken
) -> None:
    """Its folders lack the code of Keccak; the exporter puts it beside them."""
    template = {**HASH, "hash.c": f'#include "KeccakSponge.h"\n{HASH["hash.c"]}'}
    place = "crypto_hash/sha3/SHA3-256"
    folder = write(place, template)
    assert loaded(place).sources == ("hash.c",)
    (folder.parent / "SUPERCOP.build").write_text("<group/>\n")
    found = broken(place)
    assert "is a template, which XKCP's own build completes" in found.reason
    assert "make crypto_hash/sha3256/kcp/K1600-plain-64bits-ua.pack" in found.cure
    (folder / "KeccakSponge.h").write_text("")
    assert loaded(place).sources == ("hash.c",)


@pytest.mark.parametrize(
    "changed",
    [
        {"defines": (("hash.c", "LEVEL=3"),)},
        {"folders": ("include",)},
        {"by_table": True},
        {"shared": (("common/aes.c", Path("/elsewhere/aes.c")),)},
    ],
)
def test_another_reading_of_the_same_files_asks_for_verdicts_again(
    write: Write, loaded: Loaded, changed: dict[str, object]
) -> None:
    """What a loader makes of the files decides what is compiled, and loaders change."""
    write(REF)
    before = loaded(REF)
    assert before.details is not None
    after = replace(before, details=replace(before.details, **changed))
    assert after.content_hash == before.content_hash
    assert after.code_identity != before.code_identity
    assert after.identity != before.identity


def test_where_a_tree_lies_is_no_part_of_a_verdict(write: Write, loaded: Loaded) -> None:
    """A copy of a tree needs no new verdicts."""
    write(REF)
    before = loaded(REF)
    assert before.details is not None
    elsewhere = replace(before.details, tree=Path("/elsewhere"))
    after = replace(before, root=Path("/elsewhere") / REF, details=elsewhere)
    assert after.identity == before.identity


def test_bytes_that_are_no_utf8_are_read(write: Write, loaded: Loaded) -> None:
    """Latin-1 and carriage returns are common."""
    folder = write(REF)
    (folder / "api.h").write_bytes(b"/* \xe9 */\r\n#define CRYPTO_BYTES 32\r\n")
    (folder / "implementors").write_bytes(b"Ren\xe9\n")
    found = details(loaded(REF))
    assert found.constants == (("BYTES", "32"),)
    assert found.notes == (("implementors", "Ren\xe9"),)


def test_test_programs_of_nist_are_left_out(write: Write, loaded: Loaded) -> None:
    """They have a main of their own."""
    write(REF, **{"genkat_hash.c": "int main(void) { return 0; }\n"})
    package = loaded(REF)
    assert package.sources == ("hash.c",)
    assert "genkat_hash.c" not in package.files
    assert [quirk.name for quirk in package.quirks] == ["quirk/test-program"]


def test_the_slides_wrapped_hash_is_an_ordinary_package() -> None:
    """A file between the two APIs, and NIST's, are nothing special."""
    tree = Path(__file__).parent / "wrapped"
    package = load(tree, "crypto_hash/fnv1a/ref")
    assert isinstance(package, Package)
    assert package.sources == ("SHA3api_ref.c", "hash.c")
    assert package.files == ("SHA3api_ref.c", "SHA3api_ref.h", "api.h", "hash.c")
    assert details(package).layout == "supercop"
    assert details(package).constants == (("BYTES", "8"),)


def test_a_package_in_jasmin_says_what_compiles_it(
    write: Write, broken: Callable[[str], BrokenPackage]
) -> None:
    """Libjade has the assembly made by `make`, and api.h in a folder below its code."""
    write("crypto_hash/toy/ref", {"include/api.h": "", "hash.jazz": "", "Makefile": ""})
    found = broken("crypto_hash/toy/ref/include")
    assert "its code in Jasmin (hash.jazz)" in found.reason
    assert "jasminc" in found.cure
