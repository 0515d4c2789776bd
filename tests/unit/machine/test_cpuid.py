# SPDX-License-Identifier: MIT
"""SUPERCOP's word for a processor, without the instruction that it asks."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.machine.cpuinfo import cpuid, signature
from assay.machine.sources import Sources

# What SUPERCOP's cpuid.c does, with the compiler's own header.
ASKED = r"""
#include <cpuid.h>
#include <stdio.h>
int main(void)
{
    unsigned most, a, b, c, d, vendor[4] = {0};
    __cpuid(0, most, vendor[0], vendor[2], vendor[1]);
    __cpuid(1, a, b, c, d);
    printf("%s-%08x", (char *)vendor, a);
    if (most >= 26) {
        unsigned kind, x, y, z;
        __cpuid_count(26, 0, kind, x, y, z);
        printf("-%02x", kind >> 24);
    }
    printf("-%08x\n", d);
    return 0;
}
"""


@pytest.mark.parametrize(
    ("family", "model", "stepping", "known"),
    [
        (6, 60, 3, 0x000306C3),  # Haswell: Intel's specification update lists these
        (6, 143, 8, 0x000806F8),  # Sapphire Rapids
        (15, 6, 2, 0x00000F62),  # Pentium 4 and D
        (23, 113, 0, 0x00870F10),  # Zen 2: AMD's revision guide
        (25, 33, 0, 0x00A20F10),  # Zen 3
    ],
)
def test_a_signature_is_that_of_the_makers_lists(
    family: int, model: int, stepping: int, known: int
) -> None:
    """Extended family and model stand apart from the fields that were there first."""
    assert signature(family, model, stepping) == known


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86 has the instruction")
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_word_is_what_the_instruction_says(tmp_path: Path) -> None:
    """On the processor at hand."""
    (tmp_path / "asked.c").write_text(ASKED)
    subprocess.run(["gcc", "-o", "asked", "asked.c"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "asked"], capture_output=True, text=True, check=True)
    assert cpuid() == done.stdout.strip()


@pytest.mark.parametrize("text", ["", "Processor : ARMv8\nFeatures : asimd\n", "model : x\n"])
def test_there_is_no_word_where_linux_says_too_little(tmp_path: Path, text: str) -> None:
    """A guess would be taken for another processor."""
    (tmp_path / "cpuinfo").write_text(text)
    assert cpuid(Sources(proc=tmp_path)) == ""


def test_there_is_no_word_for_cores_of_several_types(tmp_path: Path) -> None:
    """The type of core is that of the processor which asks."""
    text = (
        "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 151\nstepping : 2\n"
        "cpuid level : 32\nflags : fpu sse2\n"
    )
    (tmp_path / "cpuinfo").write_text(text)
    assert cpuid(Sources(proc=tmp_path, sys=tmp_path)) == "GenuineIntel-00090672-00-04000001"
    (tmp_path / "devices/cpu_atom").mkdir(parents=True)
    assert cpuid(Sources(proc=tmp_path, sys=tmp_path)) == ""
