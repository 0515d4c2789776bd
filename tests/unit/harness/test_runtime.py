# SPDX-License-Identifier: MIT
"""What stands in for libgcc and libc on strict processors, against Python's own arithmetic."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assay.compile.parts import BELOW, HARNESS, compile_options, runtime_headers
from assay.model import Runtime, Target
from assay.targets.catalogue import catalogue, look_for

# Reads pairs of numbers, writes what RESULTS below lists. The switch has a table, the
# functions are called through pointers, and much is alive across calls: all of that takes
# help from the runtime on one processor or another.
PROGRAM = r"""
#include "hal/hal.h"
#include <string.h>
typedef uint64_t u64;
typedef int64_t s64;
static void give(u64 x)
{
    uint8_t bytes[8];
    int i;
    for (i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(x >> 8 * i);
    hal_write(bytes, 8);
}
static int take(u64 *x)
{
    uint8_t bytes[8];
    int i;
    if (!hal_read(bytes, 8))
        return 0;
    for (*x = 0, i = 7; i >= 0; i--)
        *x = *x << 8 | bytes[i];
    return 1;
}
#define OWN __attribute__((noinline)) static u64
OWN f0(u64 a, u64 b) { return a / b; }
OWN f1(u64 a, u64 b) { return a % b; }
OWN f2(u64 a, u64 b) { return (u64)((s64)a / (s64)b); }
OWN f3(u64 a, u64 b) { return (u64)((s64)a % (s64)b); }
OWN f4(u64 a, u64 b) { return (uint32_t)a / ((uint32_t)b | 1); }
OWN f5(u64 a, u64 b) { return (uint32_t)a % ((uint32_t)b | 1); }
OWN f6(u64 a, u64 b)
{
    return (u64)(s64)((int32_t)(a >> 1 & 0x7fffffff) / -(int32_t)(b >> 33 | 1));
}
OWN f7(u64 a, u64 b) { return (u64)(s64)(-(int32_t)(a >> 33) % (int32_t)(b >> 33 | 1)); }
OWN f8(u64 a, u64 b) { return a * b; }
OWN f9(u64 a, u64 b) { return a << (b & 63); }
OWN f10(u64 a, u64 b) { return a >> (b & 63); }
OWN f11(u64 a, u64 b) { return (u64)((s64)a >> (b & 63)); }
OWN f12(u64 a, u64 b) { return (u64)((a < b) + 2 * ((s64)a < (s64)b) + 4 * (a == b)); }
OWN f13(u64 a, u64 b) { return (u64)__builtin_clzll(a | 1) << 8 | (u64)__builtin_ctzll(b); }
OWN f14(u64 a, u64 b) { return __builtin_bswap64(a) ^ __builtin_bswap32((uint32_t)b); }
OWN f15(u64 a, u64 b) { return (u64)(__builtin_popcountll(a) + __builtin_popcount((uint32_t)b)); }
OWN f16(u64 a, u64 b)
{
    uint8_t x[96], y[96];
    unsigned from = a & 15, to = b & 15, length = (unsigned)(a >> 8) & 63, i;
    u64 sum = 0;
    for (i = 0; i < 96; i++)
        x[i] = y[i] = (uint8_t)(a >> i % 57);
    memcpy(y + to, x + from, length);
    memmove(x + to, x + from, length);
    memset(y + 80, (int)b, from);
    for (i = 0; i < 96; i++)
        sum = sum * 31 + x[i] * 3u + y[i];
    return sum + (memcmp(x, y, 96) == 0);
}
__attribute__((noinline)) static u64 (*choose(unsigned which))(u64, u64)
{
    static u64 (*const first[2])(u64, u64) = {f0, f1};
    switch (which) {
    case 0: case 1: return first[which];
    case 2: hal_pending(); return f2;
    case 3: hal_write("", 0); return f3;
    case 4: hal_flush(); return f4;
    case 5: hal_page_bytes(); return f5;
    case 6: hal_pending(); hal_flush(); return f6;
    case 7: hal_flush(); hal_flush(); return f7;
    case 8: hal_write("", 0); hal_flush(); return f8;
    case 9: hal_largest_payload(); return f9;
    case 10: hal_in_flight_bytes(); return f10;
    case 11: hal_write("", 0); hal_write("", 0); return f11;
    case 12: hal_pending(); hal_pending(); return f12;
    case 13: hal_flush(); hal_write("", 0); return f13;
    case 14: hal_flush(); hal_pending(); return f14;
    case 15: hal_page_bytes(); hal_flush(); return f15;
    default: return f16;
    }
}
int main(int argc, char **argv)
{
    u64 a, b;
    unsigned i;
    (void)argc;
    hal_open(0, argv);
    while (take(&a) && take(&b))
        for (i = 0; i < 17; i++)
            give(choose(i)(a, b));
    hal_flush();
    return (int)strlen("seven..");
}
"""
WORD, MASK = 2**32, 2**64 - 1
PAIRS = st.lists(
    st.tuples(
        st.integers(0, MASK) | st.integers(0, 300), st.integers(1, MASK) | st.integers(1, 9)
    ),
    min_size=1,
    max_size=40,
)
FREESTANDING = [one for one in catalogue() if one.runtime is Runtime.FREESTANDING]
Compute = Callable[[list[tuple[int, int]]], bytes]


def signed(x: int, bits: int = 64) -> int:
    """Read the lowest bits in two's complement."""
    x &= 2**bits - 1
    return x - 2**bits if x >> (bits - 1) else x


def towards_zero(a: int, b: int) -> int:
    """Divide as C does."""
    return abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)


def copied(a: int, b: int) -> int:
    """Do with slices what f16 does with memcpy, memmove and memset."""
    x = bytearray((a >> i % 57) & 0xFF for i in range(96))
    y = bytearray(x)
    start, to, length = a & 15, b & 15, a >> 8 & 63
    y[to : to + length] = x[start : start + length]
    x[to : to + length] = x[start : start + length]
    y[80 : 80 + start] = bytes([b & 0xFF]) * start
    total = 0
    for one, two in zip(x, y, strict=True):
        total = total * 31 + one * 3 + two & MASK
    return total + (x == y)


def results(a: int, b: int) -> list[int]:
    """Compute what the program does, in its order."""
    s, t, n, d = signed(a), signed(b), a % WORD, b % WORD | 1
    small, divisor = a >> 1 & 0x7FFFFFFF, -(b >> 33 | 1)
    negative, other = -(a >> 33), b >> 33 | 1
    quotient, shift = towards_zero(s, t), b & 63
    clz, ctz = 64 - (a | 1).bit_length(), (b & -b).bit_length() - 1
    swapped = int.from_bytes(a.to_bytes(8, "little"), "big")
    swapped ^= int.from_bytes((b % WORD).to_bytes(4, "little"), "big")
    return [
        a // b, a % b, quotient, s - quotient * t, n // d, n % d,
        towards_zero(small, divisor), negative - towards_zero(negative, other) * other,
        a * b, a << shift, a >> shift, s >> shift, (a < b) + 2 * (s < t) + 4 * (a == b),
        clz << 8 | ctz, swapped, a.bit_count() + (b % WORD).bit_count(), copied(a, b),
    ]  # fmt: skip


@pytest.fixture(scope="module", params=FREESTANDING, ids=lambda one: one.name)
def target(request: pytest.FixtureRequest) -> Target:
    """Give a freestanding target whose tools are installed."""
    one: Target = request.param
    found = look_for(one)
    if not found.ok:
        pytest.skip(found.reason)
    return one


@pytest.fixture(scope="module", params=["-O2", pytest.param("-Os", marks=pytest.mark.slow)])
def compute(
    request: pytest.FixtureRequest, target: Target, tmp_path_factory: pytest.TempPathFactory
) -> Compute:
    """Compile the program, and give a function that runs it on a list of pairs."""
    folder = tmp_path_factory.mktemp(target.name)
    (folder / "program.c").write_text(PROGRAM)
    below = [str(HARNESS / name) for name in BELOW[Runtime.FREESTANDING]]
    runtime = [str(path) for path in sorted(HARNESS.glob("runtime/*.c"))]
    command = [target.compiler, *compile_options((), target), *runtime_headers(target)]
    command += [request.param, "-w", f"-I{HARNESS}", "program.c", *below, *runtime]
    command += [*target.link, "-nostdlib", "-static", "-no-pie", "-o", "program"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    machine = ["-cpu", target.machine] if target.machine else []
    words = [shutil.which(target.emulator) or "", *machine, str(folder / "program")]

    def run(pairs: list[tuple[int, int]]) -> bytes:
        asked = b"".join(x.to_bytes(8, "little") for pair in pairs for x in pair)
        done = subprocess.run(words, input=asked, capture_output=True, timeout=60, check=False)
        assert done.returncode == len("seven..")
        return done.stdout

    return run


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAIRS)
@example([(MASK, 1), (MASK, MASK), (2**63, 2), (2**63 - 1, 2**63), (0, 1), (0, MASK), (1, 2**63)])
@example([(2**32, 2**32 - 1), (2**64 - 2**32, 2**32), (2**31, 2**32 + 31), (7, 33), (7, 32)])
def test_arithmetic_is_that_of_python(compute: Compute, pairs: list[tuple[int, int]]) -> None:
    """Division, products, shifts, comparing, counting bits, copying; tables and pointers."""
    pairs = [(a, b) for a, b in pairs if (a, b) != (2**63, MASK)]  # no quotient in C
    told = compute(pairs)
    numbers = [int.from_bytes(told[i : i + 8], "little") for i in range(0, len(told), 8)]
    assert [x & MASK for pair in pairs for x in results(*pair)] == numbers


def test_nothing_in_the_runtime_calls_itself(target: Target, tmp_path: Path) -> None:
    """A compiler that sees through a loop must not put a call of memcpy into memcpy."""
    for source in sorted(HARNESS.glob("runtime/*.c")):
        name = tmp_path / f"{source.stem}.o"
        command = [target.compiler, *compile_options((), target), *runtime_headers(target)]
        subprocess.run([*command, "-c", str(source), "-o", str(name)], check=True)
        nm = target.compiler.removesuffix("gcc-12").removesuffix("gcc") + "nm"
        listed = subprocess.run([nm, str(name)], capture_output=True, text=True, check=True).stdout
        missing = {line.split()[-1] for line in listed.splitlines() if " U " in line}
        if source.stem == "memory":
            assert missing <= {"_GLOBAL_OFFSET_TABLE_", "_gp_disp"}
