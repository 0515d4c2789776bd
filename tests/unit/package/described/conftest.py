# SPDX-License-Identifier: MIT
"""A tree with a build of its own: sources apart from headers, macros, alternatives."""

from pathlib import Path

import pytest

HEADER = """\
/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#ifndef FNV_BITS
#error "FNV_BITS is for the build to define"
#endif
#ifdef SUPERCOP
#error "this is not SUPERCOP"
#endif
#define FNV_BYTES (FNV_BITS / 8)
void fnv_digest(const unsigned char *in, size_t *inlen, unsigned char *out, int variant);
"""
DIGEST = """\
/* SPDX-License-Identifier: MIT */
#ifdef SUPERCOP
#include <libkeccak.a.headers/KeccakHash.h>
#endif
#include "fnv.h"
#include "step.h"

void fnv_digest(const unsigned char *in, size_t *inlen, unsigned char *out, int variant)
{
    fnv_word h = FNV_OFFSET;
    size_t i;

    (void)variant;
    for (i = 0; i < *inlen; i++)
        h = fnv_step(h, in[i]);
    for (i = 0; i < FNV_BYTES; i++)
        out[i] = (unsigned char)(h >> 8 * i);
}
"""
STEP = """\
/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#if FNV_BITS == 64
typedef uint64_t fnv_word;
#define FNV_OFFSET 14695981039346656037U
#define FNV_PRIME 1099511628211U
#else
typedef uint32_t fnv_word;
#define FNV_OFFSET 2166136261U
#define FNV_PRIME 16777619U
#endif
fnv_word fnv_step(fnv_word h, unsigned char byte);
"""
PLAIN = """\
/* SPDX-License-Identifier: MIT */
#include "fnv.h"
#include "step.h"

fnv_word fnv_step(fnv_word h, unsigned char byte)
{
    return (h ^ byte) * FNV_PRIME;
}
"""
DESCRIPTION = """\
# SPDX-License-Identifier: MIT
operation = "crypto_hash"
header = "include/fnv.h"
include = ["include"]
sources = ["src/*.c"]
defines = ["FNV_BITS={bits}"]
answers = ["kat/fnv{bits}_HASH_KAT.txt"]

[constants]
BYTES = "FNV_BYTES"

[functions]
crypto_hash = "(fnv_digest(in, &(size_t){inlen}, out, 0), 0)"

[set.fnv64]
words = { bits = "64" }

[set.fnv32]
words = { bits = "32" }

[implementation.plain]
sources = ["src/plain/*.c"]

[implementation.other]
sources = ["src/other/*.c"]
sets = ["fnv64"]
"""
PRIMES = {64: (14695981039346656037, 1099511628211), 32: (2166136261, 16777619)}
MESSAGES = (b"", b"abc", bytes(range(200)))


def fnv(message: bytes, bits: int) -> bytes:
    """Return FNV-1a as its authors define it, in little-endian bytes."""
    h, prime = PRIMES[bits]
    for byte in message:
        h = (h ^ byte) * prime % (1 << bits)
    return h.to_bytes(bits // 8, "little")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Write the tree, with known answers and without a description."""
    root = tmp_path / "fnv"
    files = {
        "include/fnv.h": HEADER,
        "include/step.h": STEP,
        "src/digest.c": DIGEST,
        "src/plain/step.c": PLAIN,
        "src/other/step.c": PLAIN.replace("(h ^ byte)", "(byte ^ h)"),
        "src/main/unused.c": "#error not for you\n",
    }
    for bits in PRIMES:
        blocks = (
            f"Count = {number}\nMsg = {one.hex()}\nMD = {fnv(one, bits).hex()}\n"
            for number, one in enumerate(MESSAGES, 1)
        )
        files[f"kat/fnv{bits}_HASH_KAT.txt"] = "\n".join(blocks)
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root
