/* SPDX-License-Identifier: MIT */
/* The honest toy cipher with a MAC: it absorbs ciphertext byte by byte. */
#ifndef ECRYPT_SYNC_AE
#define ECRYPT_SYNC_AE
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "Toy AE"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 64)
#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 64)
#define ECRYPT_MAXMACSIZE 128
#define ECRYPT_MACSIZE(i) (64 + (i) * 64)

typedef struct {
    u32 key[4];
    u32 iv[2];
    u32 counter;
    u32 sum[4];
    u32 mac_words;
    u32 aad_bytes, bytes;
} ECRYPT_AE_ctx;

void ECRYPT_init(void);
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize);
void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv);
void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac);

#define ECRYPT_SUPPORTS_AAD
#define ECRYPT_SUPPORTS_INCREMENTAL_AAD
void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 length);

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ECRYPT_AE_encrypt_bytes(ctx, in, out, length) \
    ECRYPT_AE_process_bytes(0, ctx, in, out, length)
#define ECRYPT_AE_decrypt_bytes(ctx, in, out, length) \
    ECRYPT_AE_process_bytes(1, ctx, in, out, length)
void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *in, u8 *out, u32 length);

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ECRYPT_AE_encrypt_packet(ctx, iv, aad, aadlen, in, out, length, mac) \
    ECRYPT_AE_process_packet(0, ctx, iv, aad, aadlen, in, out, length, mac)
#define ECRYPT_AE_decrypt_packet(ctx, iv, aad, aadlen, in, out, length, mac) \
    ECRYPT_AE_process_packet(1, ctx, iv, aad, aadlen, in, out, length, mac)
void ECRYPT_AE_process_packet(int action, ECRYPT_AE_ctx *ctx, const u8 *iv, const u8 *aad,
                              u32 aadlen, const u8 *in, u8 *out, u32 length, u8 *mac);

#define ECRYPT_BLOCKLENGTH 16
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ECRYPT_AE_encrypt_blocks(ctx, in, out, blocks) \
    ECRYPT_AE_encrypt_bytes(ctx, in, out, (blocks) * 16)
#define ECRYPT_AE_decrypt_blocks(ctx, in, out, blocks) \
    ECRYPT_AE_decrypt_bytes(ctx, in, out, (blocks) * 16)
#define ECRYPT_AE_authenticate_blocks(ctx, aad, blocks) \
    ECRYPT_AE_authenticate_bytes(ctx, aad, (blocks) * 16)

#define ECRYPT_MAXVARIANT 1
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#endif
