/* SPDX-License-Identifier: MIT */
/* The honest self-synchronising cipher of the tests: AES-128 in CFB mode with 8-bit feedback. */
#ifndef ECRYPT_SSYN
#define ECRYPT_SSYN
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "AES-CFB8"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 128)
#define ECRYPT_MAXIVSIZE 128
#define ECRYPT_IVSIZE(i) (128 + (i) * 128)
#define ECRYPT_SYNCLENGTH 16

typedef struct {
    u8 round_keys[176];
} ECRYPT_ctx;

void ECRYPT_init(void);
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, u8 *previous, const u8 *iv);
void ECRYPT_encrypt_bytes(ECRYPT_ctx *ctx, const u8 *previous, const u8 *in, u8 *out, u32 length);
void ECRYPT_decrypt_bytes(ECRYPT_ctx *ctx, const u8 *previous, const u8 *in, u8 *out, u32 length);

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
void ECRYPT_encrypt_packet(ECRYPT_ctx *ctx, const u8 *iv, const u8 *in, u8 *out, u32 length);
void ECRYPT_decrypt_packet(ECRYPT_ctx *ctx, const u8 *iv, const u8 *in, u8 *out, u32 length);

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ECRYPT_encrypt_blocks(ctx, previous, in, out, blocks) \
    ECRYPT_encrypt_bytes(ctx, previous, in, out, (blocks) * ECRYPT_SYNCLENGTH)
#define ECRYPT_decrypt_blocks(ctx, previous, in, out, blocks) \
    ECRYPT_decrypt_bytes(ctx, previous, in, out, (blocks) * ECRYPT_SYNCLENGTH)

#define ECRYPT_MAXVARIANT 1
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#endif
