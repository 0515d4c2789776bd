# SPDX-License-Identifier: MIT
"""The macros of ecrypt-portable.h against Python's own integers, wherever a compiler is found."""

import itertools
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import pytest

API: Final = Path(__file__).parents[3] / "src" / "assay" / "harness" / "api"
STRICT: Final = ("-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
SANITIZE: Final = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
WIDTHS: Final = (16, 32, 64)
ORDERS: Final[tuple[Literal["little", "big"], ...]] = ("little", "big")
MEMORY: Final = bytes((17 * i + 0x81) & 0xFF for i in range(24))

HEAD: Final = """
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "ecrypt-portable.h"

static const u8 memory[24] = { %(memory)s };
static u8 buffer[24];
static u8 *cursor;
static int failures;

static void check(int ok, const char *what)
{
  if (!ok) { printf("%%s\\n", what); ++failures; }
}

#define SAME(expression, expected) \\
  check((u64)(expression) == (expected), #expression)

/* what comes before and after the n bytes at offset i must stay 0xEE */
static int stored(const char *bytes, size_t i, size_t n)
{
  size_t k;
  for (k = 0; k < sizeof buffer; ++k)
    if (buffer[k] != (k - i < n ? (u8)bytes[k - i] : 0xEE)) return 0;
  return 1;
}

#define STORES(statement, bytes, i, n) \\
  memset(buffer, 0xEE, sizeof buffer); \\
  cursor = buffer; \\
  statement; \\
  check(stored(bytes, i, n), #statement)

static const u32 table[] = { %(table)s };
struct beside { char c; MAXT m; };

int main(void)
{
  u16 w16; u32 w32; u64 w64;
  ALIGN(u8, aligned, 3);
  w16 = 0; w32 = 0; w64 = 0; cursor = buffer;
"""

TAIL: Final = """
  check(sizeof aligned.b == 3, "ALIGN: number of elements");
  check((size_t)aligned.b % offsetof(struct beside, m) == 0, "ALIGN: address");
  printf("%d failures\\n", failures);
  return w16 == 0 && w32 == 0 && w64 == 0 && failures;
}
"""


@dataclass(frozen=True)
class Build:
    """How the self-checking program is compiled, and with what it is run."""

    compiler: str
    options: tuple[str, ...]
    emulator: str | None = None

    def __str__(self) -> str:
        """Name the build as the shell would: `gcc -ansi -O3`."""
        return " ".join((self.compiler, *self.options))


def builds() -> Iterator[Build]:
    """List native builds with known and unknown byte order, then other architectures."""
    levels = (("-O0",), ("-O3",), ("-O3", *SANITIZE), ("-m32", "-O3"))
    standards, orders = ("-ansi", "-std=c99"), ((), ("-DECRYPT_UNKNOWN",))
    for compiler in ("gcc", "clang"):
        for standard, level, order in itertools.product(standards, levels, orders):
            yield Build(compiler, (standard, *level, *order, *STRICT))
    for order in orders:
        yield Build("tcc", ("-Wall", "-Werror", *order))
        for triple, emulator in (
            ("mips-linux-gnu", "qemu-mips"),
            ("powerpc-linux-gnu", "qemu-ppc"),
            ("s390x-linux-gnu", "qemu-s390x"),
            ("arm-linux-gnueabi", "qemu-arm"),
            ("aarch64-linux-gnu", "qemu-aarch64"),
            ("riscv64-linux-gnu", "qemu-riscv64"),
        ):
            options = ("-ansi", "-O3", "-static", *order, *STRICT)
            yield Build(f"{triple}-gcc", options, emulator)


def literal(value: int, bits: int) -> str:
    """Write a value as the constant macro of its width."""
    return f"U{bits}C(0x{value:0{bits // 4}X})"


def rotated(value: int, count: int, bits: int) -> int:
    """Rotate to the left by moving characters of the binary numeral."""
    digits = f"{value:0{bits}b}"
    return int(digits[count % bits :] + digits[: count % bits], 2)


def rotation_checks(bits: int) -> Iterator[str]:
    """Rotate by every count, by 0 and the full width as well, and ignore what lies above."""
    value = int.from_bytes(MEMORY[: bits // 8], "big")
    dirty = literal(value, bits) if bits == 64 else f"(U64C(0xAB{value:0{bits // 4}X}))"
    for count in range(bits + 1):
        left, right = rotated(value, count, bits), rotated(value, bits - count, bits)
        yield f"SAME(ROTL{bits}({dirty}, {count}), {literal(left, 64)});"
        yield f"SAME(ROTR{bits}({dirty}, {count}), {literal(right, 64)});"


def word_checks(bits: int, order: Literal["little", "big"]) -> Iterator[str]:
    """Load and store at aligned and unaligned places, evaluating each argument once."""
    size, suffix = bits // 8, order.upper()
    for offset in range(9):
        piece = MEMORY[offset : offset + size]
        value = int.from_bytes(piece, order)
        shown = "".join(f"\\{byte:03o}" for byte in piece)
        yield f"SAME(U8TO{bits}_{suffix}(memory + {offset}), {literal(value, 64)});"
        yield (
            f'STORES(U{bits}TO8_{suffix}(buffer + {offset}, {literal(value, bits)}), "{shown}",'
            f" {offset}, {size});"
        )
    zeros = "\\0" * size
    yield f'STORES(U{bits}TO8_{suffix}(cursor++, w{bits}++), "{zeros}", 0, {size});'
    yield f'check(cursor == buffer + 1 && w{bits} == 1, "U{bits}TO8_{suffix} evaluates once");'
    yield f"(void)U8TO{bits}_{suffix}(cursor++); w{bits} = 0;"
    yield f'check(cursor == buffer + 2, "U8TO{bits}_{suffix} evaluates once");'


def conversion_checks(bits: int) -> Iterator[str]:
    """Reverse the bytes of words, and lay words out in memory in either order."""
    value = int.from_bytes(MEMORY[: bits // 8], "big")
    reverse = int.from_bytes(MEMORY[: bits // 8], "little")
    yield f"SAME(SWAP{bits}({literal(value, bits)}), {literal(reverse, 64)});"
    yield f"SAME(U{bits}V(~(u64)0), {literal(2**bits - 1, 64)});"
    for order in ORDERS:
        shown = "".join(f"\\{byte:03o}" for byte in value.to_bytes(bits // 8, order))
        yield f"w{bits} = (u{bits})U{bits}TO{bits}_{order.upper()}({literal(value, bits)});"
        yield f'check(!memcmp(&w{bits}, "{shown}", {bits // 8}), "U{bits}TO{bits} {order}");'
        yield f"w{bits} = 0;"


def program() -> str:
    """Return the C program; it prints each expression whose value is not the expected one."""
    value = int.from_bytes(MEMORY[:4], "big")
    table = ["ROTL32", "ROTR32"]
    head = HEAD % {
        "memory": ", ".join(map(str, MEMORY)),
        "table": ", ".join([f"SWAP32({value}U)", *(f"{name}({value}U, 5)" for name in table)]),
    }
    lines = [
        f"SAME(table[0], {literal(int.from_bytes(MEMORY[:4], 'little'), 64)});",
        f"SAME(table[1], {literal(rotated(value, 5, 32), 64)});",
        f"SAME(table[2], {literal(rotated(value, 27, 32), 64)});",
        f"SAME(U8V(0x123), {literal(0x23, 64)});",
        *(f"SAME(ROTL8(0x1A5, {n}), {literal(rotated(0xA5, n, 8), 64)});" for n in range(9)),
    ]
    for bits in WIDTHS:
        lines += rotation_checks(bits)
        lines += conversion_checks(bits)
        for order in ORDERS:
            lines += word_checks(bits, order)
    return head + "\n".join(lines) + TAIL


def compile_program(build: Build, source: str, folder: Path) -> Path:
    """Compile with our headers; skip if the compiler cannot even build an empty program."""
    for tool in (build.compiler, build.emulator):
        if tool is not None and shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    binary = folder / "program"
    for name, text in (("empty.c", "int main(void) { return 0; }\n"), ("check.c", source)):
        (folder / name).write_text(text, encoding="ascii")
        command = [build.compiler, *build.options, f"-I{API}", name, "-o", str(binary)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0 and name == "empty.c":
            pytest.skip(f"{build.compiler} lacks what {' '.join(build.options)} needs")
        assert (done.returncode, done.stderr) == (0, "")
    return binary


@pytest.mark.parametrize("build", list(builds()), ids=str)
def test_every_macro_gives_the_value_that_python_computes(build: Build, tmp_path: Path) -> None:
    """Types, rotations, byte order, alignment: one program checks all of them."""
    binary = compile_program(build, program(), tmp_path)
    command = [str(binary)] if build.emulator is None else [build.emulator, str(binary)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("0 failures\n", "", 0)


def test_the_program_notices_a_wrong_macro(tmp_path: Path) -> None:
    """A load that is off by one bit must be named, so that silence means something."""
    broken = program().replace(
        "static int failures;",
        "static int failures;\n#undef U8TO32_BIG\n"
        "#define U8TO32_BIG(p) (ECRYPT_load32_big(p) ^ 1)\n",
    )
    binary = compile_program(Build("gcc", ()), broken, tmp_path)
    done = subprocess.run([str(binary)], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert {"U8TO32_BIG(memory"} == {line.split(" ")[0] for line in done.stdout.splitlines()[:-1]}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads x86-64 assembly")
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O1", "-O2", "-Os"])
def test_a_load_of_a_word_is_a_single_instruction(
    compiler: str, level: str, tmp_path: Path
) -> None:
    """Portability must not cost speed: no shifts and no calls remain."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    source = tmp_path / "load.c"
    source.write_text(
        '#include "ecrypt-portable.h"\nu32 f(const u8 *p);\n'
        "u32 f(const u8 *p) { return U8TO32_LITTLE(p); }\n",
        encoding="ascii",
    )
    command = [compiler, level, "-fcf-protection=none", f"-I{API}", "-S", "-o", "-", str(source)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    code = [line.split()[0] for line in text.splitlines() if line.startswith("\t")]
    assert [{"retq": "ret"}.get(word, word) for word in code if not word.startswith(".")] == [
        "movl",
        "ret",
    ]
