# SPDX-License-Identifier: MIT
"""One table of what architectures are called: by kernels, SUPERCOP, PQClean, and Assay."""

import pytest

from assay.targets.architectures import (
    abi_of_pqclean,
    abi_word,
    architectures_of,
    of_machine,
    only_integers,
)
from assay.targets.catalogue import catalogue


@pytest.mark.parametrize(
    ("machine", "name", "abi"),
    [
        ("x86_64", "amd64", "amd64"),
        ("i686", "i386", "x86"),
        ("i386", "i386", "x86"),
        ("aarch64", "aarch64", "aarch64"),
        ("armv7l", "armv7", "armeabi"),
        ("riscv64", "riscv64", "riscv64"),
        ("ppc64le", "ppc64le", "ppc64le"),
        ("s390x", "s390x", "s390x"),
        ("pdp11", "pdp11", "pdp11"),
    ],
)
def test_a_kernels_word_is_turned_into_ours_and_supercops(
    machine: str, name: str, abi: str
) -> None:
    """The words of `uname -m` on the left; SUPERCOP's are those of its `architectures` files."""
    assert of_machine(machine).name == name
    assert abi_word(machine) == abi_word(name) == abi


def test_pqclean_has_words_of_its_own() -> None:
    """As its META.yml files spell them."""
    words = {"x86_64": "amd64", "arm_8": "aarch64", "i386": "x86", "riscv64": "riscv64"}
    assert {word: abi_of_pqclean(word) for word in words} == words


def test_what_is_no_family_is_an_architecture() -> None:
    """A package's file name may name either."""
    assert architectures_of("MIPS") == ("mips-le", "mips-be")
    assert architectures_of("thumb-le") == ("thumb-le",)


def test_what_has_integers_alone_is_an_architecture_of_some_target() -> None:
    """Nothing is missed where traces do not show floats; others may have them."""
    known = {one.architecture for one in catalogue()}
    assert {one for one in known if only_integers(one)} == {"avr8"}
