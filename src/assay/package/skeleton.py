# SPDX-License-Identifier: MIT
"""A package to fill in, for every API: it compiles, and its functions do nothing yet."""

import re
from importlib import resources
from pathlib import Path

from assay.errors import UsageError
from assay.model.operations import OPERATIONS
from assay.package.compact import API as COMPACT
from assay.package.makefile import makefile_text
from assay.package.skeleton_operation import operation_files

ECRYPT = ("ecrypt-sync", "ecrypt-sync-ae", "ecrypt-ssyn")
APIS = (*ECRYPT, COMPACT, *OPERATIONS)
STD = "-std=c99"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")

_COMMON = """\
#include "{api}.h"

/* [edit] All functions below. What must be remembered from call to call is in *ctx. */

void ECRYPT_init(void)
{{
}}
"""

_SYNC = """
/* Takes the key; keysize and ivsize are in bits. */
void ECRYPT_keysetup(ECRYPT_ctx* ctx, const u8* key, u32 keysize, u32 ivsize)
{
}

/* Begins a message: any number of times for one key. */
void ECRYPT_ivsetup(ECRYPT_ctx* ctx, const u8* iv)
{
}

/* action: 0 encrypts, 1 decrypts; whole blocks, or the rest that ends a message. */
void ECRYPT_process_bytes(int action, ECRYPT_ctx* ctx, const u8* input, u8* output, u32 msglen)
{
}

void ECRYPT_keystream_bytes(ECRYPT_ctx* ctx, u8* keystream, u32 length)
{
}
"""

_SYNC_AE = """
/* Takes the key; all sizes are in bits. */
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx* ctx, const u8* key, u32 keysize, u32 ivsize, u32 macsize)
{
}

/* Begins a message: any number of times for one key. */
void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx* ctx, const u8* iv)
{
}

/* action: 0 encrypts, 1 decrypts; whole blocks, or the rest that ends a message. */
void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx* ctx, const u8* input, u8* output,
                             u32 msglen)
{
}

/* Ends a message: writes the MAC, the same after encryption as after decryption. */
void ECRYPT_AE_finalize(ECRYPT_AE_ctx* ctx, u8* mac)
{
}
"""

_SSYN = """
/* Takes the key; keysize and ivsize are in bits. */
void ECRYPT_keysetup(ECRYPT_ctx* ctx, const u8* key, u32 keysize, u32 ivsize)
{
}

/* Begins a message; may write the ECRYPT_SYNCLENGTH bytes at previous. */
void ECRYPT_ivsetup(ECRYPT_ctx* ctx, u8* previous, const u8* iv)
{
}

/* previous: the last ECRYPT_SYNCLENGTH bytes of ciphertext before this call. */
void ECRYPT_encrypt_bytes(ECRYPT_ctx* ctx, const u8* previous, const u8* plaintext,
                          u8* ciphertext, u32 msglen)
{
}

void ECRYPT_decrypt_bytes(ECRYPT_ctx* ctx, const u8* previous, const u8* ciphertext,
                          u8* plaintext, u32 msglen)
{
}
"""

_ECRYPT_CODE = {"ecrypt-sync": _SYNC, "ecrypt-sync-ae": _SYNC_AE, "ecrypt-ssyn": _SSYN}

_HASH_HEADER = """\
#ifndef {name}_h__
#define {name}_h__

#include <stddef.h>

/* [edit] the digest sizes in bits that out_size may have */
#define {name}_SIZES 256

/* [edit] whatever must be remembered; it may be copied with memcpy at any time */
typedef struct {{
    unsigned state[8];
}} {name}_context;

/* Begins a message, whatever *cc held. */
void {name}_init({name}_context *cc, unsigned out_size);

/* Takes len further bytes, any number of times; data may be null if len is 0. */
void {name}({name}_context *cc, const void *data, size_t len);

/*
 * Takes the last n bits, 0 to 7, which are the upper ones of the byte ub, and writes
 * out_size / 8 bytes to dst.
 */
void {name}_close({name}_context *cc, unsigned ub, unsigned n, void *dst);

#endif
"""

_HASH_CODE = """\
#include "{name}.h"

/* [edit] All functions below. */

void {name}_init({name}_context *cc, unsigned out_size)
{{
}}

void {name}({name}_context *cc, const void *data, size_t len)
{{
}}

void {name}_close({name}_context *cc, unsigned ub, unsigned n, void *dst)
{{
}}
"""


def write_skeleton(folder: Path, api: str) -> Path:
    """Write a package to fill in and return its folder; UsageError if it cannot be made.

    That of an operation is `crypto_hash/NAME/ref` beside `folder`, as SUPERCOP has it, where
    `folder` is not in such a place already.
    """
    name = folder.name
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!a} cannot be a name in C", "Use letters, digits and underscores.")
    if api in OPERATIONS and api not in folder.absolute().parts:
        folder = folder.parent / api / name / "ref"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already", "Choose another name, or remove it.")
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in skeleton_files(name, api).items():
        (folder / file).write_text(text, "ascii")
    return folder


def skeleton_files(name: str, api: str) -> dict[str, str]:
    """Return the texts of a package's files by their names."""
    if api in OPERATIONS:
        return operation_files(OPERATIONS[api])
    if api == COMPACT:
        name = name.lower()
        header, code = (text.format(name=name) for text in (_HASH_HEADER, _HASH_CODE))
        return {f"{name}.h": header, f"{name}.c": code}
    header = resources.files("assay").joinpath("harness", "api", f"{api}.h").read_text("ascii")
    return {
        f"{api}.h": header.replace('"Cipher Name"', f'"{name}"'),
        f"{name}.c": _COMMON.format(api=api) + _ECRYPT_CODE[api],
        "Makefile": makefile_text(name, api.removeprefix("ecrypt-"), STD, ()),
    }
