# SPDX-License-Identifier: MIT
"""Which extensions of x86 some object code uses that a processor lacks."""

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.execute.disassembly import Disassembly
from assay.machine import cpuinfo
from assay.machine.sources import Sources

# Bytes as the manuals of the makers give them, so that no assembler need know them.
INSTRUCTIONS = {
    "xop": "0x8f,0xe8,0x78,0xc2,0xc0,0x07",  # vprotd $7,%xmm0,%xmm0
    "fma4": "0xc4,0xe3,0xf9,0x69,0xc2,0x10",  # vfmaddpd %xmm1,%xmm2,%xmm0,%xmm0
    "fma": "0xc4,0xe2,0xf1,0x98,0xc2",  # vfmadd132pd %xmm2,%xmm1,%xmm0
    "avx2": "0xc5,0xf5,0xfe,0xc2",  # vpaddd %ymm2,%ymm1,%ymm0
    "avx": "0xc5,0xf0,0x58,0xc2",  # vaddps %xmm2,%xmm1,%xmm0
    "avx512f": "0x62,0xf1,0x75,0x48,0xfe,0xc2",  # vpaddd %zmm2,%zmm1,%zmm0
    "sha_ni": "0x0f,0x38,0xcb,0xca",  # sha256rnds2 %xmm0,%xmm2,%xmm1
    "aes": "0x66,0x0f,0x38,0xdc,0xca",  # aesenc %xmm2,%xmm1
    "pclmulqdq": "0x66,0x0f,0x3a,0x44,0xca,0x00",  # pclmullqlqdq %xmm2,%xmm1
    "gfni": "0x66,0x0f,0x38,0xcf,0xca",  # gf2p8mulb %xmm2,%xmm1
    "bmi2": "0xc4,0xe2,0xfb,0xf6,0xc1",  # mulx %rcx,%rax,%rax
    "adx": "0x66,0x0f,0x38,0xf6,0xc1",  # adcx %ecx,%eax
}

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("gcc") or not shutil.which("objdump"),
    reason="needs an x86 machine with gcc and objdump",
)


def assembled(folder: Path, *code: str) -> str:
    """Disassemble an object file of these bytes."""
    source = folder / "code.s"
    source.write_text("".join(f".byte {one}\n" for one in code))
    made = folder / "code.o"
    subprocess.run(["gcc", "-c", str(source), "-o", str(made)], check=True)
    return Disassembly(made).listing


def knowing(folder: Path, text: str) -> Sources:
    """Let the kernel say this of the processor."""
    (folder / "cpuinfo").write_text(text)
    return Sources(proc=folder)


def having(folder: Path, flags: str) -> Sources:
    """Let the processor have these flags."""
    return knowing(folder, f"processor\t: 0\nflags\t\t: {flags}\n")


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_an_extension_is_known_by_its_instructions(tmp_path: Path, name: str) -> None:
    """And is not named where the processor has it."""
    code = assembled(tmp_path, INSTRUCTIONS[name])
    assert name in cpuinfo.lacking(code, having(tmp_path, "fpu sse2"))
    assert cpuinfo.lacking(code, having(tmp_path, " ".join(INSTRUCTIONS))) == ()


def test_only_what_the_processor_lacks_is_named(tmp_path: Path) -> None:
    """Code may use several extensions."""
    code = assembled(tmp_path, INSTRUCTIONS["xop"], INSTRUCTIONS["aes"])
    assert cpuinfo.lacking(code, having(tmp_path, "fpu sse2 avx aes")) == ("xop",)


def test_plain_code_lacks_nothing(tmp_path: Path) -> None:
    """A nop and a return."""
    code = assembled(tmp_path, "0x90", "0xc3")
    assert cpuinfo.lacking(code, having(tmp_path, "fpu")) == ()


def test_a_trap_of_a_compiler_is_no_extension(tmp_path: Path) -> None:
    """The instruction is illegal on every processor."""
    code = assembled(tmp_path, "0x0f,0x0b")  # ud2
    assert cpuinfo.lacking(code, having(tmp_path, "fpu")) == ()
    assert cpuinfo.traps(code)
    assert not cpuinfo.traps(assembled(tmp_path, "0x90", "0xc3"))


def test_nothing_is_said_of_a_processor_that_tells_no_flags(tmp_path: Path) -> None:
    """Other architectures call them otherwise."""
    code = assembled(tmp_path, INSTRUCTIONS["xop"])
    assert cpuinfo.lacking(code, Sources(proc=tmp_path / "missing")) == ()
    assert cpuinfo.lacking(code, knowing(tmp_path, "Features\t: neon\n")) == ()


def test_a_file_that_is_not_there_uses_nothing(tmp_path: Path) -> None:
    """It is no error: the verdict stands without it."""
    assert cpuinfo.lacking(Disassembly(tmp_path / "gone.o").listing, having(tmp_path, "fpu")) == ()
