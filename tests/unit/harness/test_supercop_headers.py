# SPDX-License-Identifier: MIT
"""What packages of the SUPERCOP API, of NIST's and of PQClean's layout include."""

import ctypes
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

SUPERCOP: Final = Path(__file__).parents[3] / "src/assay/harness/supercop"
STRICT: Final = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
SEED: Final = bytes(range(32))
DIVERSIFIER: Final = bytes(range(100, 108))
HEADERS: Final = sorted(
    path.name
    for path in (SUPERCOP / "include").glob("*.h")
    if not path.name.startswith(("estream-", "cryptoint"))
)

# A toy that fills in what a cipher of eSTREAM declares: output = input ^ (key + iv + position).
SYNC: Final = """
#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_VARIANT 1
#define ECRYPT_MAXVARIANT 1
#define ECRYPT_BLOCKLENGTH 4
#include "ecrypt-portable.h"
typedef struct { u8 key, iv, position; u32 inits; } ECRYPT_ctx;
%s
#endif
#include "estream-functions.h"
"""
CIPHER: Final = """
#include "e/ecrypt-sync.h"
static u32 inits;
void ECRYPT_init(void) { ++inits; }
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
  ctx->key = (u8)(key[0] + keysize / 8 + ivsize / 8);
}
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
  ctx->iv = iv[0];
  ctx->position = 0;
  ctx->inits = inits;
}
static void toy(ECRYPT_ctx *ctx, const u8 *from, u8 *to, u32 length)
{
  while (length--)
    *to++ = (u8)(*from++ ^ ((u32)ctx->key + ctx->iv + ctx->position++ + ctx->inits));
}
#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
  (void)action;
  toy(ctx, input, output, msglen);
}
#else
void ECRYPT_encrypt_bytes(ECRYPT_ctx *ctx, const u8 *plaintext, u8 *ciphertext, u32 msglen)
{
  toy(ctx, plaintext, ciphertext, msglen);
}
void ECRYPT_decrypt_bytes(ECRYPT_ctx *ctx, const u8 *ciphertext, u8 *plaintext, u32 msglen)
{
  toy(ctx, ciphertext, plaintext, msglen);
}
#endif
#ifdef ECRYPT_GENERATES_KEYSTREAM
void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
  u32 i;
  for (i = 0; i < length; ++i) keystream[i] = 0;
  toy(ctx, keystream, keystream, length);
}
#endif
"""
STREAM: Final = """
#define crypto_stream_KEYBYTES 16
#define crypto_stream_NONCEBYTES 8
int crypto_stream(
  unsigned char *, unsigned long long, const unsigned char *, const unsigned char *);
int crypto_stream_xor(unsigned char *, const unsigned char *, unsigned long long,
  const unsigned char *, const unsigned char *);
"""
WAYS: Final = (
    "",
    "#define ECRYPT_USES_DEFAULT_ALL_IN_ONE\n#define ECRYPT_GENERATES_KEYSTREAM",
    """
#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
""",
)


@pytest.mark.parametrize("compiler", ["gcc", "clang", "tcc", "g++", "clang++"])
def test_every_header_stands_alone_and_may_come_twice(compiler: str, tmp_path: Path) -> None:
    """No header needs another one before it, in C or in C++."""
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    for header in HEADERS:
        source = tmp_path / ("user.cc" if "++" in compiler else "user.c")
        source.write_text(f'#include "{header}"\n' * 2 + "int nothing(void) { return 0; }\n")
        line = [compiler, "-Wall", "-Werror", f"-I{SUPERCOP}/include", "-c", str(source)]
        done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), header


def library(sources: list[Path], includes: list[Path], to: Path) -> ctypes.CDLL:
    """Compile a shared library and load it."""
    options = [f"-I{folder}" for folder in includes]
    options += ["-DCRYPTO_NAMESPACE(name)=toy_##name", "-DSUPERCOP"]
    line = ["gcc", "-O2", "-shared", "-fPIC", *STRICT, *options, *map(str, sources)]
    subprocess.run([*line, "-o", str(to)], check=True)
    return ctypes.CDLL(str(to))


@pytest.mark.parametrize("way", WAYS)
def test_a_cipher_of_estream_becomes_a_crypto_stream(way: str, tmp_path: Path) -> None:
    """Messages longer than a piece, and of no bytes, with the cipher set up once."""
    (tmp_path / "e").mkdir()
    (tmp_path / "e/ecrypt-sync.h").write_text(SYNC % way)
    (tmp_path / "crypto_stream.h").write_text(STREAM)
    (tmp_path / "api.c").write_text('#include "estream-convert-api.h"\n')
    (tmp_path / "cipher.c").write_text(CIPHER)
    sources = [tmp_path / "api.c", tmp_path / "cipher.c"]
    toy = library(sources, [tmp_path, SUPERCOP / "include"], tmp_path / "toy.so")

    for length in (0, 1, 65536, 65537, 200000):
        stream = bytes((3 + 16 + 8 + 5 + 1 + i) % 256 for i in range(length))
        message = bytes(i * 7 % 256 for i in range(length))
        key, nonce = bytes([3] * 16), bytes([5] * 8)
        out = ctypes.create_string_buffer(length + 1)
        size = ctypes.c_ulonglong(length)
        assert toy.crypto_stream(out, size, nonce, key) == 0
        assert out.raw == stream + b"\0"
        assert toy.crypto_stream_xor(out, message, size, nonce, key) == 0
        assert out.raw[:length] == bytes(a ^ b for a, b in zip(stream, message, strict=True))


def expander(folder: Path) -> ctypes.CDLL:
    """Compile the seed expander."""
    return library([SUPERCOP / "nist/rng.c"], [SUPERCOP / "nist"], folder / "rng.so")


def test_the_seed_expander_is_aes_in_counter_mode(tmp_path: Path) -> None:
    """Odd lengths, one after the other, and a counter that carries."""
    rng = expander(tmp_path)
    context, most = ctypes.create_string_buffer(256), 100_000
    assert rng.seedexpander_init(context, SEED, DIVERSIFIER, ctypes.c_ulong(most)) == 0
    drawn = b""
    for length in (0, 1, 15, 16, 17, 70_000):
        out = ctypes.create_string_buffer(length + 1)
        assert rng.seedexpander(context, out, ctypes.c_ulong(length)) == 0
        drawn += out.raw[:length]

    counter = DIVERSIFIER + most.to_bytes(4, "big") + bytes(4)
    aes = Cipher(algorithms.AES(SEED), modes.CTR(counter)).encryptor()
    assert drawn == aes.update(bytes(len(drawn)))


def test_the_seed_expander_refuses_what_it_cannot_give(tmp_path: Path) -> None:
    """More than was agreed on, nowhere to write to, more than 32 bits of length."""
    rng = expander(tmp_path)
    context, out = ctypes.create_string_buffer(256), ctypes.create_string_buffer(16)
    assert rng.seedexpander_init(context, SEED, DIVERSIFIER, ctypes.c_ulong(1 << 32)) == -1
    assert rng.seedexpander_init(context, SEED, DIVERSIFIER, ctypes.c_ulong(16)) == 0
    assert rng.seedexpander(context, None, ctypes.c_ulong(1)) == -2
    assert rng.seedexpander(context, out, ctypes.c_ulong(16)) == -3
    assert rng.seedexpander(context, out, ctypes.c_ulong(15)) == 0


def test_pqclean_gets_the_bytes_of_the_harness(tmp_path: Path) -> None:
    """Its name and its types lead to the same function, and it succeeds."""
    (tmp_path / "harness.c").write_text(
        "extern int randombytes(unsigned char *, unsigned long long);\n"
        "int randombytes(unsigned char *to, unsigned long long bytes)\n"
        "{ while (bytes) to[--bytes] = 42; return 0; }\n"
    )
    (tmp_path / "user.c").write_text(
        '#include "randombytes.h"\nextern int draw(unsigned char *to);\n'
        "int draw(unsigned char *to) { return randombytes(to, 3); }\n"
    )
    sources = [tmp_path / "harness.c", tmp_path / "user.c"]
    user = library(sources, [SUPERCOP / "pqclean"], tmp_path / "user.so")
    out = ctypes.create_string_buffer(4)
    assert user.draw(out) == 0
    assert out.raw == b"***\0"
