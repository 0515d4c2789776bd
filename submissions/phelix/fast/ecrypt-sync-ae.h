/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Phelix, eight words at a time.
 *
 * Specification: Doug Whiting, Bruce Schneier, Stefan Lucks and Frederic Muller,
 * "Phelix: Fast Encryption and Authentication in a Single Cryptographic Primitive",
 * eSTREAM submission (2005).
 */

#ifndef ECRYPT_SYNC_AE
#define ECRYPT_SYNC_AE
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#undef ECRYPT_SUPPORTS_UAE

#define ECRYPT_NAME "Phelix"
#define ECRYPT_PROFILE "S!_H!"

/* Sizes in bits. */
#define ECRYPT_MAXKEYSIZE 256
#define ECRYPT_KEYSIZE(i) (128 + (i) * 128)

#define ECRYPT_MAXIVSIZE 128
#define ECRYPT_IVSIZE(i) (128 + (i) * 32)

#define ECRYPT_MAXMACSIZE 128
#define ECRYPT_MACSIZE(i) (64 + (i) * 32)

typedef struct {
    u32 key[8];     /* working key */
    u32 bump;       /* what the sizes of key and MAC add to X_1 when the block is 1 mod 4 */
    u32 macsize;    /* bits */
    u32 x1[8];      /* X_1 without its block number, by block number modulo 8 */
    u32 z[5];       /* state */
    u32 old[4];     /* Z_4 after each of the last four blocks, by block number modulo 4 */
    u64 step;       /* block number + 8 */
    u64 aadlen;     /* bytes of additional data so far */
    u32 aadword;    /* the last aadlen % 4 bytes of them */
    u32 in_aad;     /* 1 until the message begins */
    u32 msgtail;    /* message length modulo 4 */
} ECRYPT_AE_ctx;

/* Once per process, before anything else. */
void ECRYPT_init(void);

/* keysize, ivsize and macsize in bits, each one of the sizes above. */
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize);

/* Starts a message: any number of times per key. */
void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv);

/* Ends a message: writes the MAC, the same after encryption as after decryption. */
void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac);

/* Additional data: before the message, in any number of pieces of any length. */
#define ECRYPT_SUPPORTS_AAD
#define ECRYPT_SUPPORTS_INCREMENTAL_AAD

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 aadlen);

/*
 * A message is any number of calls of *_blocks, then at most one call of *_bytes.
 * in == out is allowed; any other overlap is not.
 */

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#define ECRYPT_AE_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
    ECRYPT_AE_process_bytes(0, ctx, plaintext, ciphertext, msglen)
#define ECRYPT_AE_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
    ECRYPT_AE_process_bytes(1, ctx, ciphertext, plaintext, msglen)

/* action: 0 encrypts, 1 decrypts. */
void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output,
                             u32 msglen);

/* A packet is a whole message: the framework makes it from the functions above. */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#define ECRYPT_AE_encrypt_packet(ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac) \
    ECRYPT_AE_process_packet(0, ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac)
#define ECRYPT_AE_decrypt_packet(ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac) \
    ECRYPT_AE_process_packet(1, ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac)

void ECRYPT_AE_process_packet(int action, ECRYPT_AE_ctx *ctx, const u8 *iv, const u8 *aad,
                              u32 aadlen, const u8 *input, u8 *output, u32 msglen, u8 *mac);

/* Bytes per block. */
#define ECRYPT_BLOCKLENGTH 32

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_AE_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_AE_encrypt_bytes(ctx, plaintext, ciphertext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_AE_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_AE_decrypt_bytes(ctx, ciphertext, plaintext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_AE_authenticate_blocks(ctx, aad, blocks) \
    ECRYPT_AE_authenticate_bytes(ctx, aad, (blocks) * ECRYPT_BLOCKLENGTH)

#define ECRYPT_MAXVARIANT 1

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif

#endif
