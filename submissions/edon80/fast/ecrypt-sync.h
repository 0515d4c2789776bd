/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Edon80, one step of all 80 e-transformers at once, a bit of two words for each.
 *
 * Specification: Danilo Gligoroski, Smile Markovski, Ljupco Kocarev and Marjan Gusev, "Edon80",
 * eSTREAM (2005), and "The Stream Cipher Edon80", eSTREAM phase 3.
 */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

#define ECRYPT_NAME "Edon80"
#define ECRYPT_PROFILE "___H3"

/* Sizes in bits. */
#define ECRYPT_MAXKEYSIZE 80
#define ECRYPT_KEYSIZE(i) (80 + (i) * 8)

#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i) * 8)

/* A bit for each e-transformer: the first is bit 0 of low, the last is bit 15 of high. */
typedef struct {
    u64 low;
    u64 high;
} row;

/* The coefficients of x * y as polynomials over bits, see edon80.c. */
typedef struct {
    row of_0[8];
    row of_1[9];
} product;

typedef struct {
    product forwards;  /* transformer i with letter i mod 40 of the key */
    product backwards; /* the other way round, for IVSetup mode */
    row a[2];          /* the states: low bits of the letters, high bits */
    u8 key[40];
    u8 letter;         /* the next one of the periodic input 0, 1, 2, 3, 0, ... */
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
#define ECRYPT_BLOCKLENGTH 1

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
