# SPDX-License-Identifier: MIT
"""Packages of the SUPERCOP API on other machines, with a C library and without one.

crypto_sort has integers in its outputs, which the checksum takes as a little-endian
machine has them; crypto_hash uses a subroutine, which is compiled for the target, too.
"""

from pathlib import Path

import pytest
from tests.unit.mock.engine import stand

from assay.execute.jail import strongest_jail
from assay.model import Package, Target, Verdict
from assay.package.supercop.load import load
from assay.targets.catalogue import catalogue, look_for

SHIPPED = Path(__file__).parents[3] / "submissions/supercop"
TARGETS = {one.name: one for one in catalogue()}
CELLS = [
    ("crypto_hash/sha256/ref", "qemu-s390x"),
    ("crypto_sort/int32/ref", "qemu-s390x"),
    ("crypto_decode/int16/ref", "qemu-m68k"),
    ("crypto_hash/sha256/ref", "qemu-aarch64"),
    ("crypto_verify/16/ref", "qemu-riscv64"),
    ("crypto_hash/sha256/ref", "qemu-amd64"),
]


def package(place: str) -> Package:
    """Load a shipped package."""
    found = load(SHIPPED, place)
    assert isinstance(found, Package)
    return found


def target(name: str) -> Target:
    """Give a target of the catalogue; skip without its tools."""
    found = look_for(TARGETS[name])
    if not found.ok:
        pytest.skip(f"{name} is {found.reason}")
    return TARGETS[name]


@pytest.mark.parametrize(("place", "name"), CELLS)
def test_a_package_passes_where_there_is_a_c_library(place: str, name: str) -> None:
    """Nothing fails, and the checksum of short inputs is the primitive's."""
    row = stand(package(place), target(name), strongest_jail())
    assert row.examination is not None, row.skipped
    verdicts = {one.check: one for one in row.examination.checks}
    assert [one for one in verdicts.values() if one.verdict is Verdict.FAIL] == []
    assert verdicts["checksum/small"].verdict is Verdict.PASS
    assert row.answer("vectors") == "yes"


SMALL = [("crypto_verify/16/ref", "qemu-mips")]
SLOW = [
    ("crypto_hash/sha256/small", "qemu-i386"),
    ("crypto_hash/sha256/small", "qemu-riscv32"),
    ("crypto_hash/sha256/small", "qemu-thumbeb"),
    ("crypto_hash/sha256/small", "qemu-cortex-m0"),
    ("crypto_auth/hmacsha256/ref", "qemu-cortex-m4"),
]


@pytest.mark.parametrize(
    ("place", "name"), [*SMALL, *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)]
)
def test_a_package_passes_where_there_is_none(place: str, name: str) -> None:
    """On a system's calls alone, and on boards: as much is compared as anywhere."""
    row = stand(package(place), target(name), strongest_jail())
    assert row.examination is not None, row.skipped
    verdicts = {one.check: one for one in row.examination.checks}
    assert [one for one in verdicts.values() if one.verdict is Verdict.FAIL] == []
    assert row.answer("vectors") == "yes"


@pytest.mark.slow
def test_a_board_without_room_for_long_messages_is_asked_of_short_ones() -> None:
    """Then no checksum can be compared, and the row names what did not fit."""
    row = stand(package("crypto_hash/sha256/small"), target("simavr-atmega1281"), strongest_jail())
    assert row.examination is not None, row.skipped
    verdicts = {one.check: one for one in row.examination.checks}
    assert [one for one in verdicts.values() if one.verdict is Verdict.FAIL] == []
    assert verdicts["supercop/returns"].verdict is Verdict.PASS
    assert "of 256 bytes at most" in verdicts["supercop/returns"].reason
    assert verdicts["checksum/small"].verdict is Verdict.SKIPPED
    assert "the first place of 4305 bytes" in verdicts["checksum/small"].reason
