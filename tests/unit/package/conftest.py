# SPDX-License-Identifier: MIT
"""A small stream cipher package, made to measure."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.cli.calling import Assay, calling

HEADER = """\
#ifndef {guard}
#define {guard}
#include "ecrypt-portable.h"
#define ECRYPT_NAME "Toy"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 32)
#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 32)
typedef struct {{ u32 k; }} {prefix}ctx;
void ECRYPT_init(void);
void {prefix}keysetup({prefix}ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);
void {prefix}ivsetup({prefix}ctx *ctx, const u8 *iv);
void {prefix}encrypt_bytes({prefix}ctx *ctx, const u8 *in, u8 *out, u32 len);
void {prefix}decrypt_bytes({prefix}ctx *ctx, const u8 *in, u8 *out, u32 len);
#undef ECRYPT_GENERATES_KEYSTREAM
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_BLOCKLENGTH 4
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define {prefix}encrypt_blocks(c, p, q, n) {prefix}encrypt_bytes(c, p, q, (n) * 4)
#define ECRYPT_MAXVARIANT {variants}
#endif
"""

SOURCE = """\
#include "{header}"
void ECRYPT_init(void) {{}}
void {prefix}keysetup({prefix}ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{{
    ctx->k = key[0] + ECRYPT_VARIANT;
}}
void {prefix}ivsetup({prefix}ctx *ctx, const u8 *iv) {{ ctx->k += iv[0]; }}
void {prefix}encrypt_bytes({prefix}ctx *ctx, const u8 *in, u8 *out, u32 len)
{{
    while (len--) *out++ = *in++ ^ (u8)ctx->k++;
}}
"""

MakePackage = Callable[..., Path]


def header_text(api_type: str = "sync", variants: object = 1) -> str:
    """Write an API header."""
    guard = "ECRYPT_" + api_type.upper().replace("-", "_")
    prefix = "ECRYPT_AE_" if api_type.endswith("-ae") else "ECRYPT_"
    return HEADER.format(guard=guard, prefix=prefix, variants=variants)


def source_text(api_type: str = "sync") -> str:
    """Write the cipher."""
    prefix = "ECRYPT_AE_" if api_type.endswith("-ae") else "ECRYPT_"
    return SOURCE.format(header=f"ecrypt-{api_type}.h", prefix=prefix)


def write_package(folder: Path, api_type: str = "sync", variants: object = 1) -> Path:
    """Write a package without any quirk and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"ecrypt-{api_type}.h").write_text(header_text(api_type, variants))
    (folder / "toy.c").write_text(source_text(api_type))
    (folder / "Makefile").write_text(f"name = toy\ntype = {api_type}\nstd = -ansi\n")
    (folder / "verified.test-vectors").write_text("\n")
    return folder


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Give a package without any quirk."""
    return write_package(tmp_path / "toy")


@pytest.fixture
def make_package() -> MakePackage:
    """Give the function that writes packages."""
    return write_package


@pytest.fixture
def make_header() -> Callable[..., str]:
    """Give the function that writes API headers."""
    return header_text


@pytest.fixture
def make_source() -> Callable[..., str]:
    """Give the function that writes the cipher's source."""
    return source_text


@pytest.fixture
def assay(
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Assay:
    """Give a function that calls the command line in a folder of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.chdir(tmp_path)
    return calling(monkeypatch, capsys)
