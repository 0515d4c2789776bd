# SPDX-License-Identifier: MIT
"""Database lines of many machines, as SUPERCOP 20260330 writes them: how long an import takes.

`python -m tests.unit.imported.many_lines 1000000 > data` writes that many.
"""

import random
import sys
from collections.abc import Iterator
from itertools import count, islice

VERSION = "20260330"
COMPILERS = (
    ("gcc_-march=native_-mtune=native_-O3_-fwrapv_-fPIC_-fPIE_-gdwarf-4_-Wall", "gcc_12.2.0"),
    ("clang_-march=native_-O3_-fwrapv_-Qunused-arguments_-fPIC_-fPIE_-gdwarf-4_-Wall", "14.0.6"),
)
LENGTHS = (*range(1025), *range(1040, 4097, 16))
HEADING = (
    "implementation {about} -",
    "outputbytes 32",
    "cpuid GenuineIntel-000806f8-bfebfbff",
    "cpucycles_persecond 2100000000",
    "cpucycles_implementation amd64-pmc",
)


def lines(seed: int = 1) -> Iterator[str]:
    """Yield lines without end: tries, compiler messages, sizes, and then what was measured."""
    dice = random.Random(seed)
    for number in count():
        machine, primitive = f"machine{number % 20}", f"hash{number // 20}"
        head = f"{VERSION} {machine} amd64 20260401 crypto_hash {primitive}/constbranchindex"
        for implementation in ("ref", "opt", "avx2"):
            about = f"crypto_hash/{primitive}/{implementation}"
            for compiler, _ in COMPILERS:
                yield from (f"{head} {one}" for one in _tried(about, compiler, dice))
        about = f"crypto_hash/{primitive}/avx2"
        compiler, version = COMPILERS[0]
        yield from (f"{head} {one.format(about=about)}" for one in HEADING)
        yield f"{head} compiler {compiler} {version}"
        for size in LENGTHS:
            yield f"{head} cycles {size} {300 + size * 6} {_off(16, dice)}"


def _tried(about: str, compiler: str, dice: random.Random) -> Iterator[str]:
    """Yield what one try leaves behind."""
    yield f"fromcompiler {about} {compiler} hash.c hash.c:7:12: warning: unused variable 'x'"
    yield f"namespace {about} {compiler} hash.o helper T"
    yield f"try {'0a' * 32}/{'0b' * 32} ok {_score(dice)} 12177412 2596124000 {about} {compiler} {_off(64, dice)}"  # noqa: E501
    yield f"objsize {about} {compiler} 4096 16 0 try"
    yield f"objsize {about} {compiler} 1208 0 0 hash.o"
    yield f"timecop_pass {about} {compiler}"


def _score(dice: random.Random) -> int:
    return dice.randrange(2000, 9000)


def _off(timings: int, dice: random.Random) -> str:
    """Write deviations whose stabilised middle is 0: as many above as below."""
    half = [dice.randrange(60) for _ in range(timings // 2)]
    both = [*half, *(-one for one in half)]
    dice.shuffle(both)
    return "".join(f"{one:+d}" for one in both)


if __name__ == "__main__":
    for each in islice(lines(), int(sys.argv[1])):
        sys.stdout.write(f"{each}\n")
