# SPDX-License-Identifier: MIT
"""A small package, compilers, and a cache of its own for every session."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assay.compile.builder import Builder
from assay.compile.recipe import Recipe
from assay.execute.jail import strongest_jail
from assay.model import BrokenPackage, Compiler, Configuration, Package
from assay.package.discover import load_or_explain
from assay.toolchain.survey import examine

HEADER = """\
#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#include "ecrypt-portable.h"
#define ECRYPT_NAME "Toy"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 32)
#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 32)
typedef struct { u32 k, i; } ECRYPT_ctx;
void ECRYPT_init(void);
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv);
#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 len);
#define ECRYPT_encrypt_bytes(c, p, q, n) ECRYPT_process_bytes(0, c, p, q, n)
#define ECRYPT_decrypt_bytes(c, p, q, n) ECRYPT_process_bytes(1, c, p, q, n)
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION
void ECRYPT_process_packet(int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *in, u8 *out,
                           u32 len);
#define ECRYPT_encrypt_packet(c, v, p, q, n) ECRYPT_process_packet(0, c, v, p, q, n)
#define ECRYPT_decrypt_packet(c, v, p, q, n) ECRYPT_process_packet(1, c, v, p, q, n)
#define ECRYPT_BLOCKLENGTH 4
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ECRYPT_encrypt_blocks(c, p, q, n) ECRYPT_encrypt_bytes(c, p, q, (n) * 4)
#define ECRYPT_decrypt_blocks(c, p, q, n) ECRYPT_decrypt_bytes(c, p, q, (n) * 4)
#define ECRYPT_MAXVARIANT 1
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif
#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif
#endif
"""
SOURCE = """\
#include "ecrypt-sync.h"
void ECRYPT_init(void) { }
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    ctx->k = key[0] + 0x1234u;
}
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv) { ctx->i = iv[0]; }
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 len)
{
    while (len--) *out++ = (u8)(*in++ ^ (ctx->k + ctx->i++));
}
"""


@pytest.fixture(autouse=True)
def use_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the user's cache out of the tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


@pytest.fixture(scope="session")
def compiler() -> Callable[[str], Compiler]:
    """Give a function that finds a compiler, or skips."""
    known: dict[str, Compiler | str] = {}

    def find(command: str) -> Compiler:
        found = known.setdefault(command, "") or examine(command)
        known[command] = found
        if isinstance(found, str):
            pytest.skip(f"{command}: {found}")
        return found

    return find


@pytest.fixture
def write_package(tmp_path: Path) -> Callable[..., Package]:
    """Give a function that writes and loads a package; `files` are added or replaced."""

    def write(
        name: str = "toy", *, source: str = SOURCE, header: str = HEADER, std: str = "-std=c99",
        files: dict[str, str] | None = None,
    ) -> Package:  # fmt: skip
        folder = tmp_path / "tree" / "submissions" / name
        folder.mkdir(parents=True, exist_ok=True)
        texts = {
            "ecrypt-sync.h": header,
            "toy.c": source,
            "Makefile": f"name = toy\ntype = sync\nstd = {std}\n",
            **(files or {}),
        }
        for file, text in texts.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text)
        found = load_or_explain(folder, tmp_path / "tree", f"submissions/{name}")
        assert not isinstance(found, BrokenPackage), found.reason
        return found

    return write


@pytest.fixture
def builder(tmp_path: Path) -> Builder:
    """Give a builder in the jail."""
    return Builder(tmp_path / "agents", strongest_jail())


@pytest.fixture
def recipe(compiler: Callable[[str], Compiler]) -> Callable[..., Recipe]:
    """Give a function that makes recipes: a package under a compiler and options."""

    def make(package: Package, command: str = "gcc", opt: str = "-O2", arch: str = "",
             variant: int = 1) -> Recipe:  # fmt: skip
        found = compiler(command)
        name = f"{command}_{arch}_{opt}"
        configuration = Configuration(found.family, command, arch, opt, name, name)
        return Recipe(package, variant, configuration, found)

    return make


@pytest.fixture
def texts() -> tuple[str, str]:
    """Give the package's header and source, to be changed."""
    return HEADER, SOURCE
