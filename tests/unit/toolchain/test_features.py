# SPDX-License-Identifier: MIT
"""Whether a processor has what an option lets the compiler use."""

import shutil
from pathlib import Path

import pytest

from assay.toolchain.features import lacking
from assay.toolchain.survey import predefined_macros

# /proc/cpuinfo of a Core i7-4770 (Haswell), the flags that matter here.
HASWELL = frozenset(
    {
        *("mmx", "fxsr", "sse", "sse2", "ht", "syscall", "nx", "rdtscp", "lm", "constant_tsc"),
        *("pni", "pclmulqdq", "ssse3", "fma", "cx16", "sse4_1", "sse4_2", "movbe", "popcnt"),
        *("aes", "xsave", "avx", "f16c", "rdrand", "lahf_lm", "abm", "fsgsbase", "bmi1"),
        *("avx2", "bmi2"),
    }
)


def _macros(arch: str, folder: Path) -> frozenset[str]:
    """Ask gcc what an architecture means."""
    if shutil.which("gcc") is None:
        pytest.skip("not installed: gcc")
    folder.joinpath("empty.c").touch()
    macros = predefined_macros(["gcc", arch], folder)
    if "__x86_64__" not in macros:
        pytest.skip(f"gcc does not take {arch}")
    return macros


@pytest.mark.parametrize("arch", ["x86-64", "core2", "nehalem", "haswell", "x86-64-v3", "k8"])
def test_a_haswell_runs_its_own_and_older_code(arch: str, tmp_path: Path) -> None:
    """Neither 3DNow nor what only kernels use counts."""
    assert lacking("x86", _macros(f"-march={arch}", tmp_path), HASWELL) == ()


@pytest.mark.parametrize(
    ("arch", "flag"),
    [
        ("skylake-avx512", "avx512f"),
        ("x86-64-v4", "avx512vl"),
        ("icelake-server", "vaes"),
        ("knl", "avx512er"),
        ("znver1", "sha_ni"),
        ("bdver1", "xop"),
        ("broadwell", "adx"),
    ],
)
def test_a_haswell_lacks_what_came_later_or_from_others(
    arch: str, flag: str, tmp_path: Path
) -> None:
    """Even though most small programs so compiled would run on it."""
    found = lacking("x86", _macros(f"-march={arch}", tmp_path), HASWELL)
    assert flag in {missing for _, missing in found}


def test_processors_without_a_table_lack_nothing() -> None:
    """There the conftest program decides alone."""
    assert lacking("mips", frozenset({"__mips_msa"}), frozenset()) == ()


def test_arm_macros_are_compared_with_arm_flags() -> None:
    """Macros and flags as Clang and Linux spell them."""
    macros = frozenset({"__ARM_NEON", "__ARM_FEATURE_SVE", "__ARM_FEATURE_ATOMICS"})
    flags = frozenset({"fp", "asimd", "atomics"})
    assert lacking("aarch64", macros, flags) == (("__ARM_FEATURE_SVE", "sve"),)
