/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha8, as the specification puts it.
 *
 * Specification: D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008).
 */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "ChaCha8"
#define ECRYPT_PROFILE "_____"

/* Sizes in bits. */
#define ECRYPT_MAXKEYSIZE 256
#define ECRYPT_KEYSIZE(i) (128 + (i) * 128)

#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 64)

#define CHACHA_ROUNDS 8

typedef struct {
    u32 input[16]; /* constants, key, number of the block, IV */
} ECRYPT_ctx;

/* Once per process, before anything else. */
void ECRYPT_init(void);

/* keysize and ivsize in bits, each one of the sizes above. */
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);

/* Starts a message: any number of times per key. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv);

/*
 * A message is any number of calls of *_blocks, then at most one call of *_bytes.
 * in == out is allowed; any other overlap is not.
 */

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#define ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
    ECRYPT_process_bytes(0, ctx, plaintext, ciphertext, msglen)
#define ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
    ECRYPT_process_bytes(1, ctx, ciphertext, plaintext, msglen)

/* action: 0 encrypts, 1 decrypts. */
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen);

#define ECRYPT_GENERATES_KEYSTREAM

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length);

/* A packet is a whole message: the framework makes it from ivsetup and process_bytes. */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#define ECRYPT_encrypt_packet(ctx, iv, plaintext, ciphertext, msglen) \
    ECRYPT_process_packet(0, ctx, iv, plaintext, ciphertext, msglen)
#define ECRYPT_decrypt_packet(ctx, iv, ciphertext, plaintext, msglen) \
    ECRYPT_process_packet(1, ctx, iv, ciphertext, plaintext, msglen)

void ECRYPT_process_packet(int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *input, u8 *output,
                           u32 msglen);

/* Bytes per block. */
#define ECRYPT_BLOCKLENGTH 64

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_keystream_blocks(ctx, keystream, blocks) \
    ECRYPT_keystream_bytes(ctx, keystream, (blocks) * ECRYPT_BLOCKLENGTH)

#define ECRYPT_MAXVARIANT 1

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if ECRYPT_VARIANT > ECRYPT_MAXVARIANT
#error this variant does not exist
#endif

#endif
