# SPDX-License-Identifier: MIT
"""A function of SHA-256 as a library of one file has it, to be wrapped."""

from pathlib import Path

SHA256 = Path(__file__).parents[3] / "submissions/supercop/crypto_hash/sha256/small/hash.c"
SIGNATURE = "void digest(const uint8_t *input, size_t length, uint8_t output[32])"


def write_digest() -> None:
    """Write digest.c into the current folder, and a file in C++ beside it."""
    text = SHA256.read_text().replace('#include "crypto_hash.h"', "#include <stddef.h>")
    head, _, body = text.partition("int crypto_hash(")
    inside = body.partition("{")[2].replace("return 0;", "")
    names = inside.replace("inlen", "length").replace("out[", "output[")
    names = names.replace("padded(in,", "padded(input,")
    Path("digest.c").write_text(f"{head}{SIGNATURE}\n{{{names}")
    Path("more.cpp").touch()
