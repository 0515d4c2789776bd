/* SPDX-License-Identifier: MIT */
/* The honest toy stream cipher of the tests: a counter, a key and an IV, stirred. */
#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "Toy"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (64 + (i) * 64)
#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 64)

typedef struct {
    u32 key[4];
    u32 iv[2];
    u32 counter;
    u32 carries;
    u32 unused; /* the size is no power of two, so that the context wants no alignment */
} ECRYPT_ctx;

void ECRYPT_init(void);
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv);

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ECRYPT_encrypt_bytes(ctx, in, out, length) ECRYPT_process_bytes(0, ctx, in, out, length)
#define ECRYPT_decrypt_bytes(ctx, in, out, length) ECRYPT_process_bytes(1, ctx, in, out, length)
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 length);

#define ECRYPT_GENERATES_KEYSTREAM
void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *out, u32 length);

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ECRYPT_encrypt_packet(ctx, iv, in, out, length) \
    ECRYPT_process_packet(0, ctx, iv, in, out, length)
#define ECRYPT_decrypt_packet(ctx, iv, in, out, length) \
    ECRYPT_process_packet(1, ctx, iv, in, out, length)
void ECRYPT_process_packet(int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *in, u8 *out,
                           u32 length);

#define ECRYPT_BLOCKLENGTH 16
#define ECRYPT_HAS_SINGLE_BLOCK_FUNCTION
#define ECRYPT_encrypt_blocks(ctx, in, out, blocks) ECRYPT_process_blocks(0, ctx, in, out, blocks)
#define ECRYPT_decrypt_blocks(ctx, in, out, blocks) ECRYPT_process_blocks(1, ctx, in, out, blocks)
void ECRYPT_process_blocks(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 blocks);
void ECRYPT_keystream_blocks(ECRYPT_ctx *ctx, u8 *out, u32 blocks);

#define ECRYPT_MAXVARIANT 1
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#endif
