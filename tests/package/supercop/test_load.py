# SPDX-License-Identifier: MIT
"""What is read of an implementation in SUPERCOP's layout."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.package.supercop.conftest import HASH, Write

from assay.model import BrokenPackage, Package
from assay.model.packages import OperationDetails
from assay.package.supercop import load, names
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
    write: Write, loaded: Loaded, changed: dict[str, Any]
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


def test_files_may_be_links_inside_of_the_tree(tree: Path, write: Write, loaded: Loaded) -> None:
    """Both files and folders may be."""
    write(REF)
    other = tree / "crypto_hash/sha256/twin"
    other.mkdir()
    for name in HASH:
        (other / name).symlink_to(f"../ref/{name}")
    (other / "sub").symlink_to("../ref")
    package = loaded("crypto_hash/sha256/twin")
    assert package.files == ("api.h", "hash.c", "sub/api.h", "sub/hash.c")


def test_a_link_out_of_the_tree_is_refused(
    tree: Path, write: Write, broken: Broken, tmp_path: Path
) -> None:
    """Whoever sends a tree could read anything otherwise."""
    (tmp_path / "secret.h").write_text("")
    (write(REF) / "secret.h").symlink_to(tmp_path / "secret.h")
    found = broken(REF)
    assert found.reason.endswith("outside of the tree")
    assert found.root == tree / REF


def test_a_primitive_that_leads_out_of_the_tree_is_refused(
    tree: Path, broken: Broken, tmp_path: Path
) -> None:
    """The same holds above the implementation."""
    (tmp_path / "far/ref").mkdir(parents=True)
    (tmp_path / "far/ref/api.h").write_text("")
    (tree / "crypto_hash").mkdir()
    (tree / "crypto_hash/far").symlink_to(tmp_path / "far")
    assert "outside of" in broken("crypto_hash/far/ref").reason
    assert "outside of" in broken("crypto_hash/far").reason


def test_a_checksum_out_of_the_tree_is_not_read(
    tree: Path, write: Write, broken: Broken, tmp_path: Path
) -> None:
    """It is a file like any other."""
    write(REF)
    (tmp_path / "sum").write_text(SMALL)
    (tree / "crypto_hash/sha256/checksumsmall").symlink_to(tmp_path / "sum")
    assert "outside of" in broken(REF).reason


def test_circles_of_links_are_survived(write: Write, loaded: Loaded) -> None:
    """Folders that contain themselves are entered once."""
    folder = write(REF)
    (folder / "up").symlink_to("..")
    (folder / "self").symlink_to("self")
    package = loaded(REF)
    assert {"api.h", "hash.c"} <= set(package.files)
    assert [quirk.name for quirk in package.quirks] == ["quirk/dangling-link"]


def test_folders_without_end_are_refused(tree: Path, write: Write, broken: Broken) -> None:
    """Links that fan out make exponentially many paths of a few folders."""
    folder = write(REF)
    for level in range(12):
        (folder / f"{level}").mkdir()
        for name in ("a", "b", "c"):
            (folder / f"{level}" / name).symlink_to(f"../{level + 1}")
    assert "more than 2000 files" in broken(REF).reason
    assert names(tree, "crypto_hash") == ("crypto_hash/sha256",)
    assert "more than 2000 files" in broken("crypto_hash/sha256").reason


@pytest.mark.parametrize("name", ["more.c", "table.h"])
def test_a_link_to_nothing_is_an_error_where_it_is_needed(
    write: Write, broken: Broken, name: str
) -> None:
    """A source or an included file cannot be done without."""
    folder = write(REF, **{"x.h": '#include "table.h"\n'})
    (folder / name).symlink_to("nowhere")
    assert f"{name} is a link to nothing" in broken(REF).reason


def test_a_link_to_nothing_is_a_quirk_elsewhere(write: Write, loaded: Loaded) -> None:
    """Nothing misses it."""
    (write(REF) / "paper.txt").symlink_to("nowhere")
    assert [quirk.name for quirk in loaded(REF).quirks] == ["quirk/dangling-link"]


def test_a_pipe_among_the_sources_is_not_opened(write: Write, broken: Broken) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(write(REF) / "wait.c")
    assert "no plain file" in broken(REF).reason


@pytest.mark.parametrize("bad", ["abc", "AB" * 32, "0" * 63, f"{'0' * 64} {'0' * 64}"])
def test_a_damaged_checksum_is_told(write: Write, broken: Broken, bad: str) -> None:
    """Taking it for absent would hide a wrong result."""
    write(REF)
    write("crypto_hash/sha256", {"checksumbig": bad})
    assert "no checksum" in broken(REF).reason


def test_an_empty_checksum_is_none(write: Write, loaded: Loaded) -> None:
    """SUPERCOP takes it for absent, too."""
    unheard = "crypto_hash/unheard/ref"
    write(unheard)
    write("crypto_hash/unheard", {"checksumsmall": "\n"})
    assert details(loaded(unheard)).checksum_small is None


def test_loops_that_are_no_number_are_told(write: Write, broken: Broken) -> None:
    """The checksum depends on the number."""
    write(REF)
    write("crypto_hash/sha256/supercop", {"test-loops.inc": "#define LOOPS many\n"})
    assert "LOOPS" in broken(REF).reason


def test_an_empty_list_of_machines_is_told(write: Write, broken: Broken) -> None:
    """SUPERCOP would skip such an implementation without a word."""
    write(REF, architectures="\n")
    assert "for no machine" in broken(REF).reason


def test_a_folder_without_sources_is_told(write: Write, broken: Broken) -> None:
    """Nothing could be compiled."""
    write(REF, {"api.h": ""})
    assert "no source" in broken(REF).reason


def test_a_folder_without_an_api_is_told(write: Write, broken: Broken) -> None:
    """A place may be named that is none."""
    write(REF, {"hash.c": ""})
    assert "no api.h" in broken(REF).reason
    assert "no api.h" not in broken("crypto_hash/sha256/nowhere").cure


@pytest.mark.parametrize("place", ['crypto_hash/sha"256/ref', "crypto_hash/a b/ref"])
def test_a_name_that_would_be_code_is_refused(write: Write, broken: Broken, place: str) -> None:
    """Names end in C code and in paths."""
    write(place)
    assert "has the name" in broken(place).reason


@pytest.mark.parametrize("place", ["crypto_nothing/x/ref", "crypto_hash", "x"])
def test_what_is_below_no_operation_is_refused(broken: Broken, place: str) -> None:
    """The table of operations is complete."""
    assert "no operation" in broken(place).reason


def test_bytes_that_are_no_utf8_are_read(write: Write, loaded: Loaded) -> None:
    """Latin-1 and carriage returns are common."""
    folder = write(REF)
    (folder / "api.h").write_bytes(b"/* \xe9 */\r\n#define CRYPTO_BYTES 32\r\n")
    (folder / "implementors").write_bytes(b"Ren\xe9\n")
    found = details(loaded(REF))
    assert found.constants == (("BYTES", "32"),)
    assert found.notes == (("implementors", "Ren\xe9"),)


def test_too_many_files_are_refused(write: Write, broken: Broken) -> None:
    """The limit is that of all packages."""
    write(REF, **{f"f{number}.h": "" for number in range(2001)})
    assert "more than 2000 files" in broken(REF).reason


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
