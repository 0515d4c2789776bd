/* SPDX-License-Identifier: CC0-1.0 */
/*
 * F-FCSR-H, in words of 64 bits that stay in machine registers.
 *
 * Specification: Francois Arnault and Thierry P. Berger, "F-FCSR: design of a new class of stream
 * ciphers", FSE 2005, and with Cedric Lauradoux, "Update on F-FCSR stream cipher", eSTREAM (2006).
 */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "F-FCSR-H"
#define ECRYPT_PROFILE "___H3"

/*
 * Sizes in bits. The authors' test vectors have 128 bits of key and of IV; the cipher takes the
 * first 80 of each and ignores the others.
 */
#define ECRYPT_ASSAY_USED_BITS 80
#define ECRYPT_MAXKEYSIZE 128
#define ECRYPT_KEYSIZE(i) (128 + (i) * 8)

#define ECRYPT_MAXIVSIZE 128
#define ECRYPT_IVSIZE(i) (128 + (i) * 8)

/* A register of 160 bits, bit 0 in bit 0 of w[0]. */
typedef struct {
    u64 w[3];
} FCSR_register;

typedef struct {
    u8 key[10];
    FCSR_register m; /* main register */
    FCSR_register c; /* carries */
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
#define ECRYPT_BLOCKLENGTH 8

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
