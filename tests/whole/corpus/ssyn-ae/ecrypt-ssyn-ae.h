/* SPDX-License-Identifier: MIT */
/* The honest self-synchronising cipher with a MAC of the tests: AES-128 in CFB mode with 8-bit
 * feedback, and a CBC-MAC of IV, additional data, ciphertext and their lengths. */
#ifndef ECRYPT_SSYN_AE
#define ECRYPT_SSYN_AE
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "AES-CFB8-MAC"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 128)
#define ECRYPT_MAXIVSIZE 128
#define ECRYPT_IVSIZE(i) (128 + (i) * 128)
#define ECRYPT_MAXMACSIZE 128
#define ECRYPT_MACSIZE(i) (64 + (i) * 64)
#define ECRYPT_SYNCLENGTH 16

#undef ECRYPT_HAS_SINGLE_BYTE_FUNCTION

typedef struct {
    u8 round_keys[176], mac[16];
    u32 fill, mac_bytes, aad_bytes, text_bytes;
} ECRYPT_AE_ctx;

void ECRYPT_init(void);
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize);
void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, u8 *previous, const u8 *iv);
void ECRYPT_AE_encrypt_bytes(ECRYPT_AE_ctx *ctx, const u8 *previous, const u8 *in, u8 *out,
                             u32 length);
void ECRYPT_AE_decrypt_bytes(ECRYPT_AE_ctx *ctx, const u8 *previous, const u8 *in, u8 *out,
                             u32 length);
void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac);

#define ECRYPT_SUPPORTS_AAD
#define ECRYPT_SUPPORTS_INCREMENTAL_AAD
void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, u8 *previous, const u8 *aad, u32 aadlen);

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#undef ECRYPT_HAS_SINGLE_PACKET_FUNCTION
void ECRYPT_AE_encrypt_packet(ECRYPT_AE_ctx *ctx, const u8 *iv, const u8 *aad, u32 aadlen,
                              const u8 *in, u8 *out, u32 length, u8 *mac);
void ECRYPT_AE_decrypt_packet(ECRYPT_AE_ctx *ctx, const u8 *iv, const u8 *aad, u32 aadlen,
                              const u8 *in, u8 *out, u32 length, u8 *mac);

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ECRYPT_AE_encrypt_blocks(ctx, previous, in, out, blocks) \
    ECRYPT_AE_encrypt_bytes(ctx, previous, in, out, (blocks) * ECRYPT_SYNCLENGTH)
#define ECRYPT_AE_decrypt_blocks(ctx, previous, in, out, blocks) \
    ECRYPT_AE_decrypt_bytes(ctx, previous, in, out, (blocks) * ECRYPT_SYNCLENGTH)
#define ECRYPT_AE_authenticate_blocks(ctx, previous, aad, blocks) \
    ECRYPT_AE_authenticate_bytes(ctx, previous, aad, (blocks) * ECRYPT_SYNCLENGTH)

#define ECRYPT_MAXVARIANT 1
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#endif
