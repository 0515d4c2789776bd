# SPDX-License-Identifier: MIT
"""Divisions and multiplications that a trace shows: the rewritten code computes the same."""

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
__attribute__((noinline)) static long long product(int a, int b)
{
    long long sum = (long long)a * b;
    int i;

    for (i = 0; i < 9; i++) {
        if (a & 1 << i)
            sum += (long long)(a + i) * b + (unsigned long long)(unsigned)a * (unsigned)(b - i);
        if (b & 1 << i)
            sum ^= (unsigned long long)(unsigned)b * (unsigned)(a * i) + (a + i) * (b + i);
    }
    return sum;
}
__attribute__((noinline)) static int conditional(int a, int b) { return b & 16 ? a / b : a; }
int main(void)
{
    volatile int a = 77777, b = 17;

    EACH(int) EACH(unsigned) EACH(long) EACH(unsigned long)
    print(within(a, b), conditional(a, b) + 3 * conditional(a, 2));
    print(product(a, b), product(-a, b) + 3 * product(b, a));
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


EARLY = {
    "armv4": ("arm-linux-gnueabi-gcc", "qemu-arm", ("-march=armv4", "-marm")),
    "cortex-m3": MACHINES["thumb"],
    "603e": MACHINES["ppc"],
}


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_code_whose_divisions_are_made_visible_computes_the_same(
    machine: str, level: str, tmp_path: Path
) -> None:
    """Flags, registers and the stack are as they were, and what is looked up is in the code."""
    functions = ("within", "conditional")
    _computes_the_same(MACHINES[machine], level, tmp_path, Visible.DIVISIONS, functions)


@pytest.mark.parametrize("machine", EARLY)
@pytest.mark.parametrize("level", ["-O0", "-O2", "-Os"])
def test_code_whose_multiplications_are_made_visible_computes_the_same(
    machine: str, level: str, tmp_path: Path
) -> None:
    """Conditional ones, in a block of conditions and with branches across them, too."""
    where, what = EARLY[machine], Visible.MULTIPLICATIONS
    _computes_the_same(where, level, tmp_path, what, ("product",))


def _computes_the_same(
    machine: tuple[str, str, tuple[str, ...]],
    level: str,
    tmp_path: Path,
    what: Visible,
    functions: tuple[str, ...],
) -> None:
    compiler, emulator, more = machine
    if shutil.which(compiler) is None or shutil.which(emulator) is None:
        pytest.skip(f"no {compiler} or no {emulator}")
    (tmp_path / "divide.c").write_text(PROGRAM)
    shown = options(what, "gcc", inside_package=False)
    prefix = re.sub("gcc$", "", compiler)
    place_assembler(tmp_path, Configuration("gcc", "gcc", "", shown, "tag", "name"), prefix)

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
        return done.stdout

    line = [compiler, level, *more, "-static", "divide.c", "-o"]
    run(*line, "plain")
    run(*line, "shown", *shown.split())
    assert run(emulator, "./shown") == run(emulator, "./plain")
    disassembler = re.sub("gcc$", "objdump", compiler)
    for function in functions:
        listings = (
            run(disassembler, "-d", one, f"--disassemble={function}") for one in ("plain", "shown")
        )
        assert [what.in_listing(one) for one in listings] == [False, True]
