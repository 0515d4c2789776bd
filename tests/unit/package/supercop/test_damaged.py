# SPDX-License-Identifier: MIT
"""Implementations in SUPERCOP's layout that cannot be loaded, and what is said of them."""

from collections.abc import Callable

import pytest
from tests.unit.package.supercop.conftest import Write

from assay.model import BrokenPackage, Package

Loaded = Callable[[str], Package]
Broken = Callable[[str], BrokenPackage]
REF = "crypto_hash/sha256/ref"
SMALL, BIG = "0a" * 32, "b1" * 32
LOOPS = "#undef LOOPS\n#ifdef SMALL\n#define LOOPS 8\n#else\n#define LOOPS 64\n#endif\n"


@pytest.mark.parametrize("bad", ["abc", "AB" * 32, "0" * 63, f"{'0' * 64} {'0' * 64}"])
def test_a_damaged_checksum_is_told(write: Write, broken: Broken, bad: str) -> None:
    """Taking it for absent would hide a wrong result."""
    write(REF)
    write("crypto_hash/sha256", {"checksumbig": bad})
    assert "no checksum" in broken(REF).reason


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


def test_too_many_files_are_refused(write: Write, broken: Broken) -> None:
    """The limit is that of all packages."""
    write(REF, **{f"f{number}.h": "" for number in range(2001)})
    assert "more than 2000 files" in broken(REF).reason


@pytest.mark.parametrize("mark", ["utf-8-sig", "utf-16"])
def test_a_header_with_a_byte_order_mark_is_told(write: Write, broken: Broken, mark: str) -> None:
    """SUPERCOP puts it into a header of its own, where a compiler refuses the mark."""
    header = write(REF) / "api.h"
    header.write_bytes(header.read_text().encode(mark))
    assert "byte order mark" in broken(REF).reason
