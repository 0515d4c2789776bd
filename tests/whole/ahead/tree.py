# SPDX-License-Identifier: MIT
"""A tree in SUPERCOP's layout that presents shipped ciphers as `crypto_stream`."""

import shutil
from pathlib import Path

from tests.whole.ahead.contests import Contest

ROOT = Path(__file__).parents[3]
OPERATION = "crypto_stream"
OURS = "assay-"
SLOW = frozenset({"ref"})  # meant to be read
BESIDE = ("checksumsmall", "checksumbig", "description", "designers")
"""What SUPERCOP keeps beside the implementations of a primitive."""

API = "#define CRYPTO_KEYBYTES {}\n#define CRYPTO_NONCEBYTES {}\n"
STREAM = """\
#include "crypto_stream.h"
#include "ecrypt-sync.h"

/* more may only follow whole blocks, and a length is an u32 */
#define PIECE (((unsigned long long)1 << 20) * ECRYPT_BLOCKLENGTH)

static void begin(ECRYPT_ctx *ctx, const unsigned char *n, const unsigned char *k)
{
    ECRYPT_init();
    ECRYPT_keysetup(ctx, k, crypto_stream_KEYBYTES * 8, crypto_stream_NONCEBYTES * 8);
    ECRYPT_ivsetup(ctx, n);
}

int crypto_stream(unsigned char *c, unsigned long long clen, const unsigned char *n,
                  const unsigned char *k)
{
    ECRYPT_ctx ctx;

    begin(&ctx, n, k);
    for (; clen > PIECE; clen -= PIECE, c += PIECE)
        ECRYPT_keystream_bytes(&ctx, c, (u32)PIECE);
    ECRYPT_keystream_bytes(&ctx, c, (u32)clen);
    return 0;
}

int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                      const unsigned char *n, const unsigned char *k)
{
    ECRYPT_ctx ctx;

    begin(&ctx, n, k);
    for (; mlen > PIECE; mlen -= PIECE, m += PIECE, c += PIECE)
        ECRYPT_encrypt_bytes(&ctx, m, c, (u32)PIECE);
    ECRYPT_encrypt_bytes(&ctx, m, c, (u32)mlen);
    return 0;
}
"""
"""What SUPERCOP's own folders do for the designers' code: key, IV and message in one call."""


def present(contest: Contest, supercop: Path, made: Path) -> tuple[str, ...]:
    """Put the fast implementations of a cipher into `made`; return their selectors.

    Checksums are copied from the tree of SUPERCOP, of which nothing else is.
    """
    primitive = made / OPERATION / contest.primitive
    primitive.mkdir(parents=True)
    for name in BESIDE:
        beside = supercop / OPERATION / contest.primitive / name
        if beside.is_file():
            shutil.copy(beside, primitive)
    names = []
    for source in sorted((ROOT / contest.folder).iterdir()):
        if source.is_dir() and source.name not in SLOW:
            _wrap(contest, source, primitive / f"{OURS}{source.name}")
            names.append(f"{OPERATION}/{contest.primitive}/{OURS}{source.name}")
    return tuple(names)


def _wrap(contest: Contest, source: Path, folder: Path) -> None:
    """Copy the code of one implementation and write two functions beside it."""
    folder.mkdir()
    for file in sorted([*source.glob("*.c"), *source.glob("*.h")]):
        shutil.copy(file, folder)
    (folder / "api.h").write_text(API.format(contest.key_bytes, contest.nonce_bytes))
    (folder / "stream.c").write_text(STREAM)
