# SPDX-License-Identifier: MIT
"""The loader: what it reads, and what it refuses."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.errors import PackageError
from assay.model import PackageRole
from assay.package.estream import load_estream


def test_a_clean_package_has_no_quirks(package: Path) -> None:
    """Everything that the API asks for is there."""
    loaded = load_estream(package)
    assert loaded.quirks == ()
    assert loaded.sources == ("toy.c",)
    assert loaded.files == ("Makefile", "ecrypt-sync.h", "toy.c")
    assert (
        loaded.api,
        loaded.kind,
        loaded.std,
        loaded.variants,
    ) == ("ecrypt-sync", "stream", ("-ansi",), 1)
    assert package / "verified.test-vectors" == loaded.vectors


def test_names_follow_from_the_place_below_the_tree(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """The first component is the primitive, whatever is nested below."""
    folder = make_package(tmp_path / "benchmarks" / "abc" / "merged" / "1")
    loaded = load_estream(folder, tree_root=tmp_path)
    assert loaded.place == "benchmarks/abc/merged/1"
    assert (
        loaded.selector,
        loaded.primitive,
        loaded.implementation,
    ) == ("abc/merged/1", "abc", "merged/1")
    assert loaded.role == PackageRole.BENCHMARK


def test_the_header_may_be_in_any_case_and_have_any_line_ends(package: Path) -> None:
    """Files from DOS machines are read."""
    text = (package / "ecrypt-sync.h").read_text().replace("\n", "\r\n")
    (package / "ecrypt-sync.h").unlink()
    (package / "ECRYPT-SYNC.H").write_bytes(b"/* \xe9t\xe9 */\r\n" + text.encode())
    loaded = load_estream(package)
    assert loaded.header == "ECRYPT-SYNC.H"
    assert [quirk.name for quirk in loaded.quirks] == ["quirk/header-case"]


def test_the_authenticated_api_is_told_by_its_header(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """No keystream functions are asked for there."""
    loaded = load_estream(make_package(tmp_path / "toy", "sync-ae"))
    assert loaded.api == "ecrypt-sync-ae"
    assert loaded.quirks == ()


def test_self_synchronising_ciphers_are_told_by_their_header(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """They have an API of their own, without keystream functions."""
    loaded = load_estream(make_package(tmp_path / "toy", "ssyn"))
    assert loaded.api == "ecrypt-ssyn"
    assert loaded.quirks == ()


def test_self_synchronising_ciphers_with_a_mac_are_told_by_their_header(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """SSS came in that API."""
    loaded = load_estream(make_package(tmp_path / "toy", "ssyn-ae"))
    assert loaded.api == "ecrypt-ssyn-ae"
    assert loaded.quirks == ()


def test_with_two_headers_the_makefile_decides(
    package: Path, make_header: Callable[..., str]
) -> None:
    """A package of both APIs is loaded as the one that it asks for."""
    (package / "ecrypt-sync-ae.h").write_text(make_header("sync-ae"))
    assert load_estream(package).api == "ecrypt-sync"


def test_with_two_headers_and_no_makefile_the_functions_decide(
    package: Path, make_header: Callable[..., str]
) -> None:
    """The source defines the functions of one API only."""
    (package / "ecrypt-sync-ae.h").write_text(make_header("sync-ae"))
    (package / "Makefile").unlink()
    assert load_estream(package).api == "ecrypt-sync"


def test_a_type_without_its_header_is_refused(package: Path) -> None:
    """The Makefile contradicts the folder."""
    (package / "Makefile").write_text("name = toy\ntype = sync-ae\nstd = -ansi\n")
    with pytest.raises(PackageError, match="type = sync-ae") as caught:
        load_estream(package)
    assert "type = sync" in caught.value.cure


def test_a_header_with_another_guard_is_refused(
    package: Path, make_header: Callable[..., str]
) -> None:
    """The name says one API, the guard another."""
    (package / "ecrypt-sync.h").write_text(make_header("sync-ae"))
    with pytest.raises(PackageError, match="guard of another API"):
        load_estream(package)


def test_a_guard_is_no_evidence_against_the_functions_that_a_header_declares(
    package: Path, make_header: Callable[..., str]
) -> None:
    """Salsa20's, by its designer, has the guard of the API with a MAC; a warning says so."""
    header = make_header("sync").replace("ECRYPT_SYNC", "ECRYPT_SYNC_AE")
    (package / "ecrypt-sync.h").write_text(header)
    found = load_estream(package)
    assert found.api == "ecrypt-sync"
    assert "quirk/no-guard" in {one.name for one in found.quirks}
    (package / "ecrypt-sync.h").write_text(header.replace("_AE", "_X").replace("SYNC_X", "SSYN"))
    with pytest.raises(PackageError, match="guard of another API"):
        load_estream(package)


@pytest.mark.parametrize("value", ["11", "0", "many", "-1", "2 + 1", ""])
def test_a_variant_count_out_of_range_is_refused(
    tmp_path: Path, make_package: Callable[..., Path], value: str
) -> None:
    """One to ten, and a plain number."""
    with pytest.raises(PackageError, match="ECRYPT_MAXVARIANT"):
        load_estream(make_package(tmp_path / "toy", variants=value))


def test_the_variant_count_is_read_from_the_text(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """Parentheses and comments do no harm."""
    folder = make_package(tmp_path / "toy", variants="(4) /* [edit] */")
    assert load_estream(folder).variants == 4


def test_assembly_is_found_after_c(package: Path) -> None:
    """The order of the original is .c, .S, .s."""
    text = "ECRYPT_keysetup:\n ret\n"
    (package / "toy.S").write_text(text)
    assert load_estream(package).sources == ("toy.c",)
    (package / "toy.c").unlink()
    assert load_estream(package).sources == ("toy.S",)


def test_without_a_makefile_test_programs_and_parts_are_left_out(package: Path) -> None:
    """A raw submission holds more than the cipher."""
    (package / "Makefile").unlink()
    (package / "bench.c").write_text("#include <stdio.h>\nint main(void) { return 0; }\n")
    (package / "ecrypt-test.c").write_text("int main(void) { return 0; }\n")
    (package / "tables.c").write_text("static const int table[1] = { 1 };\n")
    (package / "helper.c").write_text("int helper(void)\n{ return 1; }\n")
    with (package / "toy.c").open("a") as file:
        file.write('#include "tables.c"\n')
    loaded = load_estream(package)
    assert loaded.sources == ("helper.c", "toy.c")
    assert [quirk.name for quirk in loaded.quirks] == ["quirk/no-makefile"]


def test_two_implementations_in_one_raw_folder_are_refused(package: Path) -> None:
    """Nobody can tell which one is meant."""
    (package / "Makefile").unlink()
    shutil.copy(package / "toy.c", package / "toy2.c")
    with pytest.raises(PackageError, match=r"toy\.c, toy2\.c"):
        load_estream(package)


def test_a_folder_without_sources_is_refused(package: Path) -> None:
    """A header alone is no implementation."""
    (package / "toy.c").unlink()
    with pytest.raises(PackageError, match="no source file"):
        load_estream(package)


def test_links_are_followed_inside_the_tree_only(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """A source may be shared between implementations, and with nobody else."""
    make_package(tmp_path / "tree" / "submissions" / "toy" / "ref")
    linked = make_package(tmp_path / "tree" / "submissions" / "toy" / "linked")
    (linked / "toy.c").unlink()
    (linked / "toy.c").symlink_to("../ref/toy.c")
    assert load_estream(linked, tree_root=tmp_path / "tree").sources == ("toy.c",)
    with pytest.raises(PackageError, match=r"toy\.c is a link"):
        load_estream(linked)


def test_a_link_out_of_the_tree_is_named(package: Path) -> None:
    """Submitted links must not show the bench's files."""
    (package / "secret.h").symlink_to("/etc/passwd")
    with pytest.raises(PackageError, match=r"secret\.h is a link to /etc/passwd"):
        load_estream(package)


def test_a_folder_linked_to_itself_ends(package: Path) -> None:
    """Loops of links are left where they are."""
    (package / "loop").symlink_to(".")
    (package / "knot").symlink_to("knot")
    assert [quirk.name for quirk in load_estream(package).quirks] == ["quirk/special-file"]


def test_a_fifo_is_reported_and_never_opened(package: Path) -> None:
    """Opening it would wait for ever."""
    os.mkfifo(package / "pipe.h")
    loaded = load_estream(package)
    assert [quirk.name for quirk in loaded.quirks] == ["quirk/special-file"]
    assert "pipe.h" not in loaded.files


def test_a_fifo_in_place_of_the_header_is_an_error(package: Path) -> None:
    """The header is needed."""
    (package / "ecrypt-sync.h").unlink()
    os.mkfifo(package / "ecrypt-sync.h")
    with pytest.raises(PackageError, match=r"no ecrypt-sync\.h"):
        load_estream(package)


def test_a_huge_source_is_refused(package: Path) -> None:
    """Text is read up to a bound."""
    with (package / "toy.c").open("ab") as file:
        file.truncate(9 << 20)
    with pytest.raises(PackageError, match="larger than"):
        load_estream(package)


def test_a_huge_package_is_refused(package: Path) -> None:
    """Nothing of it is read."""
    with (package / "data.bin").open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(PackageError, match="64 MB"):
        load_estream(package)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_source_is_an_error(package: Path) -> None:
    """The message names the file."""
    (package / "toy.c").chmod(0)
    with pytest.raises(PackageError, match=r"toy\.c cannot be read"):
        load_estream(package)


def test_a_file_name_with_a_newline_is_refused(package: Path) -> None:
    """It would forge lines in reports."""
    (package / "a\nb.h").write_text("")
    with pytest.raises(PackageError, match="unprintable"):
        load_estream(package)


def test_the_hash_covers_names_and_bytes_but_not_vectors(package: Path) -> None:
    """Making vectors does not make another package."""
    before = load_estream(package).content_hash
    (package / "unverified.test-vectors").write_text("new")
    assert before == load_estream(package).content_hash
    (package / "Makefile").write_text("name = toy\ntype = sync\nstd = -ansi \n")
    changed = load_estream(package).content_hash
    assert before != changed
    (package / "empty.h").write_text("")
    assert changed != load_estream(package).content_hash


def test_a_package_is_judged_by_its_verified_vectors(package: Path) -> None:
    """Others in the folder are never compared; one file may serve several folders."""
    before = load_estream(package)
    (package / "unverified.test-vectors").write_text("new")
    assert load_estream(package).identity == before.identity
    (package / "verified.test-vectors").write_text("new")
    changed = load_estream(package)
    assert changed.content_hash == before.content_hash
    assert changed.identity != before.identity
    (package / "verified.test-vectors").unlink()
    assert load_estream(package).judged_by == ""


def test_vectors_are_found_in_the_nearest_folder_above(
    tmp_path: Path, make_package: Callable[..., Path]
) -> None:
    """One file serves all of a primitive; one beside all primitives serves none."""
    folder = make_package(tmp_path / "submissions" / "toy" / "ref")
    (folder / "verified.test-vectors").rename(folder / "unverified.test-vectors")
    (tmp_path / "submissions" / "stray-verified.test-vectors").write_text("")
    assert load_estream(folder, tree_root=tmp_path).vectors is None
    (folder.parent / "toy.verified.test-vectors").write_text("")
    loaded = load_estream(folder, tree_root=tmp_path)
    assert folder.parent / "toy.verified.test-vectors" == loaded.vectors
