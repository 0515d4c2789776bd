# SPDX-License-Identifier: MIT
"""Whether a package fits a device: what lies in flash and what in RAM."""

from msgspec.structs import replace

from assay.model.footprint import CodeSize, Device, Footprint
from assay.report.code_sizes import SizeRow
from assay.targets.catalogue import catalogue, choose

SIZE = CodeSize(1000, 200, 30, 4, 1234, (), (), ())


def footprint(target: str) -> Footprint:
    """Make a footprint on a target, with a context of 50 bytes and a stack of 100."""
    (found,) = choose([target], catalogue())
    return Footprint("x/y", found, size=SIZE, context_bytes=50, stack_bytes=100)


def test_first_values_of_variables_are_in_flash_and_in_ram() -> None:
    """Code and constants are in flash alone, zeros, context and stack in RAM alone."""
    one = footprint("qemu-cortex-m4")
    assert (one.flash_bytes, one.ram_bytes) == (1230, 184)


def test_constants_of_an_avr_are_in_ram_too() -> None:
    """Its loads read RAM, so that start-up code copies constants."""
    one = footprint("simavr-atmega1281")
    assert (one.flash_bytes, one.ram_bytes) == (1230, 384)


def test_a_row_says_what_is_missing_of_which_memory() -> None:
    """Both are named; exactly enough is enough."""
    one = footprint("qemu-cortex-m4")
    assert SizeRow(one, None, device=Device(1230, 184)).fits == "yes"
    assert SizeRow(one, None, device=Device(1024, 128)).fits == (
        "206 bytes too much flash, 56 bytes too much RAM"
    )


def test_without_a_stack_nothing_is_known_to_fit_a_ram() -> None:
    """It may be too large without it, and a question of flash alone has an answer."""
    one = replace(footprint("qemu-cortex-m4"), stack_bytes=None)
    assert Device(1230, 84).fits(one) is None
    assert Device(1230, 83).fits(one) is False
    assert Device(1230).fits(one) is True
