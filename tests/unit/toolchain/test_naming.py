# SPDX-License-Identifier: MIT
"""Compact spelling of configurations."""

import itertools

import pytest

from assay.toolchain.options import name_of, tag_of, wanted_archs, wanted_opts, wanted_widths

PROCESSORS = (
    *("x86", "arm", "aarch64", "ppc", "mips", "sparc"),
    *("riscv", "s390x", "alpha", "hppa", "unknown"),
)
COMPILERS = ("gcc", "clang", "icc", "tcc", "cc")


@pytest.mark.parametrize(
    ("family", "arch", "opt", "tag"),
    [
        ("gcc", "", "-O3 -funroll-all-loops -fomit-frame-pointer", "gcc_default_O3-ual-ofp"),
        ("gcc", "-march=k8", "-Os -fomit-frame-pointer", "gcc_k8_Os-ofp"),
        ("icc", "-xN", "-O3", "icc_xN_O3"),
        ("msvc", "", "", "msvc_default_default"),
        ("mingw", "-march=k8", "-O0", "gcc_k8_O0"),
        ("cc", "-xarch=v9", "-fast", "cc_v9_fast"),
        ("cc", "+DA2.0", "-O", "cc_DA2.0_O"),
        ("cc", "-arch ev6", "-fast", "cc_ev6_fast"),
        ("gcc", "-m64", "-O0", "gcc_m64_O0"),
    ],
)
def test_the_spellings_of_the_original_are_kept(
    family: str, arch: str, opt: str, tag: str
) -> None:
    """Shortlists of old name configurations by them."""
    assert tag == tag_of(family, arch, opt)


def test_a_width_stays_in_the_name() -> None:
    """Otherwise 32 and 64 bits would share a name."""
    assert (
        name_of("gcc-12", "-march=k8 -m32", "-O2 -fomit-frame-pointer") == "gcc-12_k8-m32_O2-ofp"
    )


def test_a_command_with_a_path_becomes_part_of_a_file_name() -> None:
    """Blanks go and slashes become dashes."""
    assert name_of("/opt/gcc -g", "", "-O0") == "-opt-gcc-g_default_O0"


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_wanted_option_has_a_spelling_of_its_own(compiler: str, processor: str) -> None:
    """For all compilers and processors, whichever of them are here."""
    plain = wanted_archs(compiler, processor)
    widths = ("", *wanted_widths(compiler, processor))
    archs = [f"{arch} {width}".strip() for arch, width in itertools.product(plain, widths)]
    names = [name_of("c", arch, opt) for arch in archs for opt in wanted_opts(compiler)]
    assert len(archs) * len(wanted_opts(compiler)) == len(set(names))
    assert all("/" not in name and " " not in name for name in names)
