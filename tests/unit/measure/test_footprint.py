# SPDX-License-Identifier: MIT
"""Sizes and counts of the shipped Shabal keep to their bounds, by Assay's own measuring.

Emulators count exactly, so figures may be compared to the last instruction. Where an
architecture has several packages each bound is for the best of them.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from tests.caches import new_cache

from assay.execute.jail import strongest_jail
from assay.measure.footprint import footprint
from assay.model import Package, Target
from assay.model.footprint import Footprint
from assay.package.discover import discover
from assay.package.hashes import load_compact
from assay.package.places import TREE, shipped
from assay.package.supercop.load import load
from assay.report.code_sizes import SizeRow, size_report
from assay.targets.catalogue import catalogue, look_for

ROOT = Path(__file__).parents[3]
SHABAL = [one for one in discover(ROOT) if isinstance(one, Package) and one.primitive == "shabal"]
# Architecture: bytes, and instructions per byte of a long message (AVR: cycles).
BOUNDS = {
    "mips-le": (680, 39.1), "mips-be": (704, 42.7), "ppc": (640, 28.8),
    "arm-le": (560, 28.2), "mixed-le": (450, 28.4), "thumb-le": (345, 46.0),
    "arm-be": (584, 30.2), "mixed-be": (470, 34.4), "thumb-be": (365, 48.0),
    "avr8": (700, 180.7), "i386": (350, 29.1), "amd64": (310, 28.8),
}  # fmt: skip
# What gcc and clang made of the C of 2010, the smaller of both.
COMPILED_2010 = {
    "mips-le": 1216, "mips-be": 1296, "ppc": 1100, "arm-le": 820, "arm-be": 896,
    "thumb-le": 588, "thumb-be": 614, "avr8": 1764, "i386": 725, "amd64": 675,
}  # fmt: skip
YOUNGER = ("aarch64", "riscv32", "riscv64", "thumb2", "cortex-m0")
AEAD = "crypto_aead/chacha20poly1305/ref"
Measured = Callable[[Package, str], Footprint]


def some_of(names: Iterable[str], *quick: str) -> list[ParameterSet | str]:
    """Return parameters of a test, slow but for some."""
    slow = pytest.mark.slow
    return [one if one in quick else pytest.param(one, marks=slow) for one in names]


def target_for(architecture: str) -> Target:
    """Find the emulated target of an architecture; the test is skipped without its tools."""
    chosen = next(
        one for one in catalogue() if one.architecture == architecture and not one.is_native
    )
    if not look_for(chosen).ok:
        pytest.skip(f"{chosen.name} is {look_for(chosen).reason}")
    return chosen


def assembly(architecture: str) -> list[Package]:
    """List the shipped assembly for an architecture."""
    return [one for one in SHABAL if one.architecture == architecture]


def portable() -> list[Package]:
    """List the shipped C."""
    return [one for one in SHABAL if one.architecture is None]


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Measured]:
    """Give a function that measures a package on a target, once in a session."""
    jail = strongest_jail()

    @functools.cache
    def measure(package: Package, architecture: str) -> Footprint:
        return footprint(package, target_for(architecture), jail)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(new_cache(tmp_path_factory)))
        yield measure


def size_bytes(row: Footprint) -> int:
    """Give the bytes of a row that is in order."""
    assert (row.passed, row.problems, row.skipped) == (True, (), "")
    assert row.size is not None
    assert row.size.data_bytes == row.size.bss_bytes == 0
    return row.size.total_bytes


def per_byte(row: Footprint) -> float:
    """Give the steps for one byte of a long message, which must be an exact count."""
    long = row.measured("long")
    assert long is not None
    assert long.exact
    assert long.unit == ("cycles" if row.target.architecture == "avr8" else "instructions")
    return long.per_byte


@pytest.mark.parametrize("architecture", some_of(BOUNDS, "amd64", "avr8", "thumb-le"))
def test_shipped_assembly_keeps_to_its_bounds(measured: Measured, architecture: str) -> None:
    """Right digests, no writable data, no more bytes, and no more steps than stated."""
    rows = [measured(one, architecture) for one in assembly(architecture)]
    assert rows
    most_bytes, most_steps = BOUNDS[architecture]
    assert min(map(size_bytes, rows)) <= most_bytes
    assert round(min(map(per_byte, rows)), 1) <= most_steps


@pytest.mark.slow  # builds with every level of every compiler
@pytest.mark.parametrize("architecture", YOUNGER)
def test_assembly_is_three_quarters_of_what_compilers_make(
    measured: Measured, architecture: str
) -> None:
    """Where the paper has nothing to compare with: the best of all compilers and levels."""
    rows = [measured(one, architecture) for one in assembly(architecture)]
    if not rows:
        pytest.skip(f"there is no assembly for {architecture} yet")
    (plain,) = [one for one in portable() if one.implementation == "portable"]
    compiled = measured(plain, architecture)
    assert size_bytes(compiled) == min(size for _, size in compiled.others)
    assert 4 * min(map(size_bytes, rows)) <= 3 * size_bytes(compiled)


@pytest.mark.parametrize("architecture", some_of(COMPILED_2010, "amd64", "avr8"))
def test_shipped_c_is_smaller_than_that_of_the_paper(
    measured: Measured, architecture: str
) -> None:
    """With every compiler and level tried on both, the smallest of each."""
    sizes = (size_bytes(measured(one, architecture)) for one in portable())
    assert any(size < COMPILED_2010[architecture] for size in sizes)


@pytest.mark.parametrize("architecture", some_of(("mips-be", "avr8", "amd64"), "amd64"))
def test_counts_are_the_same_in_every_run(measured: Measured, architecture: str) -> None:
    """An emulator that counts a shared library counts the same in every process."""
    package = assembly(architecture)[0]
    first = measured(package, architecture)
    again = footprint(package, target_for(architecture), strongest_jail())
    assert first.steps
    assert first.steps == again.steps
    assert (first.size, first.stack_bytes) == (again.size, again.stack_bytes)


def test_assembly_for_elsewhere_is_skipped_with_the_reason(measured: Measured) -> None:
    """No figure, and no verdict."""
    row = measured(assembly("ppc")[0], "mips-be")
    assert (row.size, row.passed, row.skipped) == (None, None, "it is assembly for ppc")


BROKEN = """#include "wide.h"
#include <string.h>
#include <stdlib.h>
void wide_init(wide_context *cc, unsigned out_size) { cc->bits = out_size; }
void wide(wide_context *cc, const void *data, size_t len) { (void)cc; (void)data; (void)len; }
void wide_close(wide_context *cc, unsigned ub, unsigned n, void *dst)
{ memset(dst, (int)strtol((char *)0, 0, (int)(ub + n)), cc->bits / 8); }
"""
HEADER = """#ifndef wide_h__
#define wide_h__
#include <stddef.h>
typedef struct { unsigned bits; } wide_context;
void wide_init(wide_context *cc, unsigned out_size);
void wide(wide_context *cc, const void *data, size_t len);
void wide_close(wide_context *cc, unsigned ub, unsigned n, void *dst);
#endif
"""


def hash_of(folder: Path, source: str) -> Package:
    """Write a package with a source, and vectors that it does not match."""
    folder.mkdir()
    (folder / "wide.h").write_text(HEADER)
    (folder / "wide.c").write_text(source)
    (folder / "verified.vectors").write_text(f"out=256 len=0 msg=- md={'ab' * 32}\n")
    (package,) = load_compact(folder, tree_root=folder, place="submissions/wide/c")
    return package


def test_wrong_digests_and_functions_from_elsewhere_are_told(
    measured: Measured, tmp_path: Path
) -> None:
    """The rules let only memcpy and memset be called; the row says what else is."""
    row = measured(hash_of(tmp_path / "wide", BROKEN), "amd64")
    assert row.passed is False
    assert "needs strtol" in row.problems
    assert "needs memset" not in row.problems
    assert any(one.startswith("digest/verified: ") for one in row.problems)


def test_what_does_not_compile_is_a_row_with_the_reason(
    measured: Measured, tmp_path: Path
) -> None:
    """The compilers' first complaint, and a verdict."""
    row = measured(hash_of(tmp_path / "wide", BROKEN.replace("memset", "not C")), "amd64")
    assert (row.passed, row.size) == (False, None)
    assert row.problems


@pytest.mark.parametrize("name", some_of((AEAD, "crypto_kem/mlkem768/ref"), AEAD))
def test_operations_have_bytes_and_no_steps(measured: Measured, name: str) -> None:
    """Packages of several sources and with subroutines, too; their small checksum is compared."""
    package = load(shipped() / TREE, name)
    assert isinstance(package, Package)
    row = measured(package, "amd64")
    assert size_bytes(row) > 500
    assert row.operation
    assert (row.steps, row.context_bytes) == ((), None)
    assert row.stack_bytes == max(one.stack_bytes for one in row.functions) > 0
    said = [note.text for note in size_report([SizeRow(row, None)]).below]
    assert any("`assay run` times operations" in text for text in said)


@pytest.mark.slow
def test_a_board_has_the_size_of_an_operation(measured: Measured) -> None:
    """Of the package's own code, without the agent's."""
    package = load(shipped() / TREE, "crypto_verify/16/ref")
    assert isinstance(package, Package)
    row = measured(package, "avr8")
    assert row.problems == ()
    assert 20 < size_bytes(row) < 2000
    assert row.skipped == ""
