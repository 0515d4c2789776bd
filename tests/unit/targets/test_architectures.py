# SPDX-License-Identifier: MIT
"""One table of what architectures are called: by kernels, SUPERCOP, PQClean, and Assay."""

import re

import pytest

from assay.targets.architectures import (
    abi_of_pqclean,
    abi_word,
    architectures_of,
    instructions,
    of_machine,
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


PRINTED = {  # lines of objdump with a division, a prefetch, a float, and what looks like one
    "aarch64": (
        "udiv\tw0, w1, w2",
        "prfm\tpldl1keep, [x0]",
        "fmul\ts0, s0, s1",
        "fmov\ts0, w0",
        "mul\tw0, w1, w2",
    ),
    "armv7": (
        "sdiv\tr0, r1, r2",
        "pld\t[r0]",
        "vmul.f32\ts0, s0, s1",
        "vmov.f32\ts0, s1",
        "umull\tr0, r1, r2, r3",
    ),
    "riscv64": (
        "remuw\ta0,a0,a1",
        "prefetch.r\t0(a0)",
        "fdiv.s\tfa0,fa0,fa5",
        "fence\trw,rw",
        "fsd\tfs0,8(sp)",
        "fmv.w.x\tfa5,a0",
    ),
    "mips-le": (
        "divu\tzero,a0,a1",
        "pref\t0x0,0(a0)",
        "mul.d\t$f0,$f12,$f14",
        "multu\ta0,a1",
        "move\tv0,a0",
    ),
    "ppc": ("divwu\tr3,r3,r4", "dcbt\t0,r3", "fadd\tf1,f1,f2", "fmr\tf1,f2", "dcbz\t0,r3"),
    "s390x": ("dlr\t%r2,%r4", "pfd\t1,0(%r2)", "meebr\t%f0,%f2", "lhi\t%r2,0", "llgcr\t%r1,%r2"),
    "amd64": (
        "idivl\t0x8(%rsp)",
        "prefetcht0 (%rdi)",
        "vmulsd %xmm1,%xmm0,%xmm0",
        "movups %xmm0,(%rdi)",
        "xorps  %xmm0,%xmm0",
        "cmpl   $0x3,%eax",
    ),
}


@pytest.mark.parametrize("architecture", PRINTED)
def test_instructions_are_known_by_what_objdump_calls_them(architecture: str) -> None:
    """Code without any of a kind is not run to look for their operands."""
    kinds = ("divisions", "prefetches", "floats")
    patterns = [instructions(architecture, kind) or "" for kind in kinds]
    for at, line in enumerate(PRINTED[architecture]):
        found = [bool(re.match(f"(?:{one})", line)) for one in patterns]
        assert found == [at == each for each in range(len(kinds))], line


def test_what_has_no_instructions_of_a_kind_is_an_architecture_of_some_target() -> None:
    """Nothing is missed where nobody says what there is."""
    kinds = ("divisions", "prefetches", "floats")
    known = {one.architecture for one in catalogue()}
    none = {one for one in known if all(instructions(one, kind) == "" for kind in kinds)}
    assert none == {"avr8", "cortex-m0"}
    assert instructions("m68k", "divisions") is None
    assert instructions("arm-le", "multiplications") is None
