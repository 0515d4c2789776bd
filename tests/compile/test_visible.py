# SPDX-License-Identifier: MIT
"""Divisions that a trace of addresses shows: the rewritten code computes the same."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from assay.compile.visible import Visible, options, place_assembler
from assay.model import Configuration

PROGRAM = r"""
#include <stdio.h>
#define EACH(type)                                  \
    {                                               \
        volatile type a = (type)-77777, b = 123;    \
        print((long long)(a / b), (long long)(a % b)); \
    }
static void print(long long one, long long other) { printf("%lld %lld\n", one, other); }
__attribute__((noinline)) static int within(int a, int b)
{
    int i, sum = 0;

    for (i = 0; i < 9; i++)
        if (a & 1 << i)
            sum += a / (b + i) ^ (unsigned)a % (unsigned)(b + i);
    return sum;
}
__attribute__((noinline)) static int conditional(int a, int b) { return b & 16 ? a / b : a; }
int main(void)
{
    volatile int a = 77777, b = 17;

    EACH(int) EACH(unsigned) EACH(long) EACH(unsigned long)
    print(within(a, b), conditional(a, b) + 3 * conditional(a, 2));
    return 0;
}
"""
MACHINES = {
    "arm": ("arm-linux-gnueabi-gcc", "qemu-arm", ("-march=armv7ve", "-marm")),
    "thumb": ("arm-linux-gnueabi-gcc", "qemu-arm", ("-march=armv7ve", "-mthumb")),
    "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64", ()),
    "riscv64": ("riscv64-linux-gnu-gcc", "qemu-riscv64", ()),
    "mips": ("mips-linux-gnu-gcc", "qemu-mips", ("-march=mips32",)),
    "mipsel": ("mipsel-linux-gnu-gcc", "qemu-mipsel", ("-march=mips32",)),
    "ppc": ("powerpc-linux-gnu-gcc", "qemu-ppc", ("-mcpu=603e",)),
    "s390x": ("s390x-linux-gnu-gcc", "qemu-s390x", ()),
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_code_whose_divisions_are_made_visible_computes_the_same(
    machine: str, level: str, tmp_path: Path
) -> None:
    """Flags, registers and the stack are as they were, and what is looked up is in the code."""
    compiler, emulator, more = MACHINES[machine]
    where = shutil.which(compiler)
    if where is None or shutil.which(emulator) is None:
        pytest.skip(f"no {compiler} or no {emulator}")
    (tmp_path / "divide.c").write_text(PROGRAM)
    shown = options(Visible.DIVISIONS, "gcc", inside_package=False)
    place_assembler(tmp_path, Configuration("gcc", "gcc", "", shown, "tag", "name"), Path(where))

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    line = [compiler, level, *more, "-static", "divide.c", "-o"]
    run(*line, "plain")
    run(*line, "shown", *shown.split())
    assert run(emulator, "./shown") == run(emulator, "./plain")
    disassembler = re.sub("gcc$", "objdump", compiler)
    for function in ("within", "conditional"):
        listings = (
            run(disassembler, "-d", one, f"--disassemble={function}") for one in ("plain", "shown")
        )
        assert [Visible.DIVISIONS.in_listing(one) for one in listings] == [False, True]
