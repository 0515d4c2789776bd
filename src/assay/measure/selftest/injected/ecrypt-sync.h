/* SPDX-License-Identifier: MIT */
/*
 * A cipher for the selftest only, of no cryptographic worth: nearly all of its time goes
 * into a loop of known length. Variant 2 has 1 % more rounds than variant 1, variant 3
 * has 2 % more.
 */
#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC

#include "ecrypt-portable.h"

#define ECRYPT_NAME "Injected"
#define ECRYPT_PROFILE "_____"
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 32)
#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 32)

typedef struct {
    u32 key[4], word[4];
} ECRYPT_ctx;

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

#define ECRYPT_BLOCKLENGTH 64
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ECRYPT_encrypt_blocks(c, p, q, n) ECRYPT_encrypt_bytes(c, p, q, (n) * 64)
#define ECRYPT_decrypt_blocks(c, p, q, n) ECRYPT_decrypt_bytes(c, p, q, (n) * 64)

#define ECRYPT_MAXVARIANT 3
#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif
#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif

#endif
