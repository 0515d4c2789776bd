# SPDX-License-Identifier: MIT
"""The crypto_int and crypto_uint functions of every width against Python's own integers."""

import platform
import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

import pytest

INCLUDE: Final = Path(__file__).parents[3] / "src/assay/harness/supercop/include"
STRICT: Final = ("-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
SANITIZE: Final = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
BUILDS: Final = (
    ("gcc", "-std=c99", "-O3", *STRICT),
    ("gcc", "-O0", *SANITIZE, *STRICT),
    ("gcc", "-O2", "-DCRYPTOINT_PORTABLE", *SANITIZE, *STRICT),
    ("gcc", "-O3", "-m32", *STRICT),
    ("clang", "-std=c99", "-O3", *STRICT),
    ("clang", "-O3", "-DCRYPTOINT_PORTABLE", *STRICT),
    ("tcc",),
    ("g++", "-O2", *STRICT),
    ("clang++", "-O2", *STRICT),
)
TYPES: Final = tuple(f"{sign}{bits}" for bits in (8, 16, 32, 64) for sign in ("int", "uint"))

Model: TypeAlias = Callable[[int, int, int], int]
# Truths about x and y for a width; as `_01` they are 1 or 0, as `_mask` -1 or 0.
TRUTHS: Final[dict[str, Model]] = {
    "topbit": lambda x, _, bits: x >> (bits - 1) & 1,
    "bottombit": lambda x, _y, _b: x & 1,
    "nonzero": lambda x, _y, _b: x != 0,
    "zero": lambda x, _y, _b: x == 0,
    "unequal": lambda x, y, _: x != y,
    "equal": lambda x, y, _: x == y,
    "smaller": lambda x, y, _: x < y,
    "leq": lambda x, y, _: x <= y,
    "bitmod": lambda x, y, bits: x >> (y % bits) & 1,
}
SIGNED_TRUTHS: Final[dict[str, Model]] = {
    "negative": lambda x, _y, _b: x < 0,
    "positive": lambda x, _y, _b: x > 0,
}
NUMBERS: Final[dict[str, Model]] = {
    "min": lambda x, y, _: min(x, y),
    "max": lambda x, y, _: max(x, y),
    "shlmod": lambda x, y, bits: x << (y % bits),
    "shrmod": lambda x, y, bits: x >> (y % bits),
    "ones_num": lambda x, _, bits: (x % (1 << bits)).bit_count(),
    "bottomzeros_num": lambda x, _, bits: (x & -x).bit_length() - 1 if x else bits,
}
OF_TWO: Final = {"unequal", "equal", "smaller", "leq", "bitmod", "min", "max", "shlmod", "shrmod"}

HEAD: Final = """
#include <stdio.h>
%(includes)s
static void show(long long value) { printf(" %%lld", value); }
static int same(const unsigned char *a, const unsigned char *b, unsigned n)
{
  while (n--) if (*a++ != *b++) return 0;
  return 1;
}
"""
BODY: Final = """
static void of_crypto_%(type)s(unsigned long long a, unsigned long long b)
{
  crypto_%(type)s x = (crypto_%(type)s)a, y = (crypto_%(type)s)b, low = x, high = y;
  unsigned char little[%(bytes)d + 2] = {0}, big[%(bytes)d + 2] = {0};
  unsigned char reversed[%(bytes)d + 2] = {0};
  unsigned i;
%(calls)s
  crypto_%(type)s_minmax(&low, &high);
  show((long long)low), show((long long)high);
  crypto_%(type)s_store(little + 1, x), crypto_%(type)s_store_bigendian(big + 1, x);
  for (i = 0; i < %(bytes)d; ++i) {
    show(little[i + 1]);
    reversed[i + 1] = little[%(bytes)d - i];
  }
  show(same(big, reversed, sizeof big));
  show((long long)crypto_%(type)s_load(little + 1));
  show((long long)crypto_%(type)s_load_bigendian(big + 1));
  printf("\\n");
}
"""
MAIN: Final = """
int main(void)
{
  unsigned long long x, y;
  while (scanf("%llu %llu", &x, &y) == 2) { CALLS }
  return 0;
}
"""


def functions(kind: str) -> dict[str, Model]:
    """Give every function of a type that returns one number, with its model."""
    truths = TRUTHS | (SIGNED_TRUTHS if kind.startswith("int") else {})
    masks = {f"{name}_mask": negated(model) for name, model in truths.items()}
    return {f"{name}_01": model for name, model in truths.items()} | masks | NUMBERS


def negated(model: Model) -> Model:
    """Make the mask of a truth."""
    return lambda x, y, bits: -int(model(x, y, bits))


def fitted(value: int, kind: str) -> int:
    """Reduce a value to a type, as printed through long long."""
    bits = width(kind)
    value %= 1 << bits
    high = value >> (bits - 1) and (kind.startswith("int") or bits == 64)
    return value - (1 << bits) if high else value


def width(kind: str) -> int:
    """Give a type's number of bits."""
    return int(kind.lstrip("uint"))


def as_given(value: int, kind: str) -> int:
    """Give the number of a type that has these lowest bits."""
    bits = width(kind)
    value %= 1 << bits
    return value - (1 << bits) if kind.startswith("int") and value >> (bits - 1) else value


def expected(kind: str, a: int, b: int) -> list[int]:
    """Give one line of the driver's output."""
    x, y, bits = as_given(a, kind), as_given(b, kind), width(kind)
    values = [model(x, y, bits) for model in functions(kind).values()]
    values += [min(x, y), max(x, y)]
    little = (x % (1 << bits)).to_bytes(bits // 8, "little")
    return [fitted(each, kind) for each in values] + [*little, 1] + [fitted(x, kind)] * 2


def driver() -> str:
    """Write the program that reads pairs and prints what every function makes of them."""
    text = HEAD % {"includes": "\n".join(f'#include "crypto_{kind}.h"' for kind in TYPES)}
    for kind in TYPES:
        calls = "\n".join(
            f"  show((long long)crypto_{kind}_{name}({'x' if one(name) else 'x, y'}));"
            for name in functions(kind)
        )
        text += BODY % {"type": kind, "bytes": width(kind) // 8, "calls": calls}
    calls = " ".join(f"of_crypto_{kind}(x, y);" for kind in TYPES)
    return text + MAIN.replace("CALLS", calls)


def one(name: str) -> bool:
    """Whether a function takes one argument."""
    return re.sub("_(01|mask)$", "", name) not in OF_TWO


def inputs() -> list[tuple[int, int]]:
    """Pairs of all edges of all widths, and of random numbers of random lengths."""
    near = {0} | {1 << bits for bits in (1, 3, 7, 8, 15, 16, 31, 32, 63, 64)}
    edges = sorted({(at + by) % (1 << 64) for at in near for by in (-2, -1, 0, 1, 2)})
    source = random.Random(20250414)
    drawn = [source.getrandbits(source.randint(1, 64)) for _ in range(2000)]
    return [(x, y) for x in edges for y in edges] + list(zip(drawn, reversed(drawn), strict=True))


@pytest.mark.parametrize("command", BUILDS, ids=" ".join)
def test_every_function_computes_what_its_name_says(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    """Edge values and random ones, with sanitizers where the compiler has them."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    source = tmp_path / ("driver.cc" if "++" in command[0] else "driver.c")
    source.write_text(driver())
    line = [*command, f"-I{INCLUDE}", str(source), "-o", str(tmp_path / "driver")]
    built = subprocess.run(line, capture_output=True, text=True, check=False)
    if "-m32" in command and "gnu/stubs-32.h" in built.stderr:
        pytest.skip("the C library for 32 bits is not installed")
    assert built.stderr == ""

    pairs = inputs()
    given = "\n".join(f"{x} {y}" for x, y in pairs)
    program = [tmp_path / "driver"]
    run = subprocess.run(program, input=given, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    lines = iter(run.stdout.splitlines())
    for x, y in pairs:
        for kind in TYPES:
            assert [int(word) for word in next(lines).split()] == expected(kind, x, y), (
                kind,
                x,
                y,
            )


@pytest.mark.parametrize("kind", TYPES)
def test_macros_named_like_short_variables_do_no_harm(kind: str, tmp_path: Path) -> None:
    """Packages define p and q as numbers before they include this."""
    letters = "\n".join(f"#define {letter} 761" for letter in "abcdefghijklmnopqrstuvwxyz")
    includes = f'#include <inttypes.h>\n{letters}\n#include "crypto_{kind}.h"\n'
    (tmp_path / "user.c").write_text(
        f'{includes}#include "crypto_{kind}.h"\nint main(void) {{ return 0; }}\n'
    )
    line = ["gcc", *STRICT, f"-I{INCLUDE}", "-c", "user.c"]
    assert subprocess.run(line, cwd=tmp_path, capture_output=True, check=False).stderr == b""


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("portable", ["-DCRYPTOINT_PORTABLE", "-DCRYPTOINT_FAST"])
def test_no_choice_by_a_truth_becomes_a_branch(
    compiler: str, portable: str, tmp_path: Path
) -> None:
    """A value that is needed only where a mask is set invites optimisers to jump over it."""
    assert jumps(compiler, portable, INCLUDE, tmp_path) == []


def test_the_search_for_branches_finds_those_of_a_header_that_hides_nothing(
    tmp_path: Path,
) -> None:
    """Without the empty instruction clang does branch, so that silence means something."""
    for header in INCLUDE.glob("crypto*.h"):
        bare = header.read_text().replace('__asm__("" : "+r"(ci_x)); ', "")
        (tmp_path / header.name).write_text(bare)
    assert jumps("clang", "-DCRYPTOINT_PORTABLE", tmp_path, tmp_path) != []


def jumps(compiler: str, portable: str, include: Path, folder: Path) -> list[str]:
    """Give the conditional jumps of functions that choose by each truth."""
    if shutil.which(compiler) is None or platform.machine() != "x86_64":
        pytest.skip(f"needs {compiler} and an x86-64")
    (folder / "user.c").write_text(selections())
    line = [compiler, "-O3", portable, f"-I{include}", "-c", "user.c"]
    subprocess.run(line, cwd=folder, check=True)
    dump = subprocess.run(
        ["objdump", "-d", "user.o"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    assert "select_int32_smaller" in dump
    return re.findall(r"\tj(?!mp)\w+ .*", dump)


def selections() -> str:
    """Write functions that choose between two expensive quotients by a truth."""
    text = "\n".join(f'#include "crypto_{kind}.h"' for kind in TYPES)
    for kind in TYPES:
        truths = TRUTHS | (SIGNED_TRUTHS if kind.startswith("int") else {})
        for name in sorted(truths.keys() - {"bitmod"}):
            given = "x, y" if name in OF_TWO else "x"
            text += (
                f"\nunsigned select_{kind}_{name}(crypto_{kind} x, crypto_{kind} y)"
                f"{{ unsigned m = (unsigned)crypto_{kind}_{name}_mask({given});"
                " return (m & (unsigned)x / 3) | (~m & (unsigned)y / 7); }"
            )
    return text + "\n"
