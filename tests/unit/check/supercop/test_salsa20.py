# SPDX-License-Identifier: MIT
"""Salsa20 against its specification, and the C helper against Salsa20."""

from array import array
from random import Random

import pytest

from assay.check.supercop.salsa20 import (
    NativeEngine,
    PlainEngine,
    core,
    double_round,
    engine,
    salsa20,
)
from assay.errors import MachineError

STATE = bytes(range(64))


def numbers(*values: int) -> "array[int]":
    """Make an array for the helper."""
    return array("Q", values)


def test_a_double_round_is_that_of_section_6() -> None:
    """A double round is that of section 6."""
    words = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    expected = [
        0x8186A22D, 0x0040A284, 0x82479210, 0x06929051, 0x08000090, 0x02402200, 0x00004000,
        0x00800000, 0x00010200, 0x20400000, 0x08008104, 0x00000000, 0x20500000, 0xA0000040,
        0x0008180A, 0x612A8020,
    ]  # fmt: skip
    assert double_round(words) == expected


def test_zeros_are_hashed_to_zeros() -> None:
    """Zeros are hashed to zeros."""
    assert salsa20(bytes(64)) == bytes(64)


def test_the_expansion_of_32_bytes_is_that_of_section_9() -> None:
    """The expansion of 32 bytes is that of section 9."""
    key = bytes(range(1, 17)) + bytes(range(201, 217))
    expected = bytes((
        69, 37, 68, 39, 41, 15, 107, 193, 255, 139, 122, 6, 170, 233, 217, 98,
        89, 144, 182, 106, 21, 51, 200, 65, 239, 49, 222, 34, 215, 114, 40, 126,
        104, 197, 7, 225, 197, 153, 31, 2, 102, 78, 76, 176, 84, 245, 246, 184,
        177, 160, 133, 130, 6, 72, 149, 119, 192, 195, 132, 236, 234, 103, 246, 74,
    ))  # fmt: skip
    assert core(bytes(range(101, 117)), key) == expected


@pytest.fixture
def helper() -> NativeEngine:
    """Give the compiled helper."""
    found = engine()
    if not isinstance(found, NativeEngine):
        pytest.skip("no C compiler on this machine")
    return found


def test_the_helper_makes_the_same_streams(helper: NativeEngine) -> None:
    """The helper makes the same streams."""
    places = numbers(0, 2**40 + 5, 7), numbers(0, 100, 500), numbers(1, 333, 64)
    one, other = bytearray(600), bytearray(600)
    helper.pieces(one, bytes(range(32)), *places)
    PlainEngine().pieces(other, bytes(range(32)), *places)
    assert one == other


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 160])
def test_the_helper_absorbs_the_same(helper: NativeEngine, length: int) -> None:
    """The helper absorbs the same."""
    data = Random(length).randbytes(400)
    places = numbers(0, 200), numbers(length, 17)
    expected = PlainEngine().absorb(STATE, data, *places)
    assert helper.absorb(STATE, data, *places) == expected


def test_only_half_of_the_state_goes_on() -> None:
    """Only half of the state goes on."""
    other = STATE[:32] + bytes(32)
    places = numbers(0), numbers(20)
    one = PlainEngine().absorb(STATE, bytes(20), *places)
    assert one == PlainEngine().absorb(other, bytes(20), *places)


def test_the_helper_refuses_what_is_not_there(helper: NativeEngine) -> None:
    """The helper refuses what is not there."""
    with pytest.raises(MachineError, match="outside"):
        helper.absorb(STATE, bytes(10), numbers(8), numbers(3))
