/* SPDX-License-Identifier: MIT */

/* ecrypt-sync.h: no cipher, but leaks that engines must find (variant 1), and honest code of the
 * same shape, in which they must find nothing (variant 2). */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

/* Cipher parameters. */

#define ECRYPT_NAME "Planted leaks"
#define ECRYPT_PROFILE "bench"

#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 128)

#define ECRYPT_MAXIVSIZE 0
#define ECRYPT_IVSIZE(i) (0 + (i) * 32)

/* Cipher data. */

typedef struct {
    u8 key[16];
    u8 mixed;
} ECRYPT_ctx;

/* Set-up: init once per process, keysetup once per key, ivsetup before every message. */

void ECRYPT_init(void);

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv);

/* Streams: any number of *_blocks calls, then at most one *_bytes call, then ivsetup.
 * Input and output are the same buffer or do not overlap. Encryption is decryption. */

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen);

#define ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
    ECRYPT_process_bytes(0, ctx, plaintext, ciphertext, msglen)

#define ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
    ECRYPT_process_bytes(1, ctx, ciphertext, plaintext, msglen)

#define ECRYPT_GENERATES_KEYSTREAM

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length);

/* Packets: the framework's ecrypt-sync.c defines this one from the functions above. */

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

void ECRYPT_process_packet(int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *input, u8 *output,
                           u32 msglen);

#define ECRYPT_encrypt_packet(ctx, iv, plaintext, ciphertext, msglen) \
    ECRYPT_process_packet(0, ctx, iv, plaintext, ciphertext, msglen)

#define ECRYPT_decrypt_packet(ctx, iv, ciphertext, plaintext, msglen) \
    ECRYPT_process_packet(1, ctx, iv, ciphertext, plaintext, msglen)

/* Blocks. */

#define ECRYPT_BLOCKLENGTH 1 /* bytes: the state advances byte by byte */

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, (blocks)*ECRYPT_BLOCKLENGTH)

#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, (blocks)*ECRYPT_BLOCKLENGTH)

#define ECRYPT_keystream_blocks(ctx, keystream, blocks) \
    ECRYPT_keystream_bytes(ctx, keystream, (blocks)*ECRYPT_BLOCKLENGTH)

/* Variants. */

#define ECRYPT_MAXVARIANT 2

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif

#endif
