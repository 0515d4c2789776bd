/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Salsa20/12, with AVX-512, AVX2 or SSE2 where the compiler may use them.
 * Specification: D. J. Bernstein, "Salsa20 specification" (2005); "The Salsa20
 * family of stream ciphers" (2008).
 */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

/* ------------------------------------------------------------------------- */
/* Parameters */

#define ECRYPT_NAME "Salsa20/12"
#define ECRYPT_PROFILE "S3___"

#define SALSA20_ROUNDS 12

/* Sizes in bits. */
#define ECRYPT_MAXKEYSIZE 256
#define ECRYPT_KEYSIZE(i) (128 + (i)*128)

#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i)*64)

/* ------------------------------------------------------------------------- */
/* State */

/* Words 0, 5, 10, 15: constants; 1-4, 11-14: key; 6, 7: IV; 8, 9: block number. */
typedef struct
{
    u32 input[16];
} ECRYPT_ctx;

/* ------------------------------------------------------------------------- */
/* Set-up */

/* Fills tables that all contexts share; called once, before all others. */
void ECRYPT_init(void);

/*
 * Takes the key. keysize and ivsize are one of the enumerated pairs and stay
 * valid until the next call.
 */
void ECRYPT_keysetup(
    ECRYPT_ctx* ctx,
    const u8* key,
    u32 keysize,
    u32 ivsize);

/*
 * Takes an IV and returns to the first byte of its stream. Any number of calls
 * may follow one ECRYPT_keysetup; none depends on those before.
 */
void ECRYPT_ivsetup(
    ECRYPT_ctx* ctx,
    const u8* iv);

/* ------------------------------------------------------------------------- */
/* Streams of bytes */

/*
 * After ECRYPT_ivsetup: any number of calls of the *_blocks functions, and
 * then at most one of the *_bytes functions. Input and output are the same
 * buffer or do not overlap.
 */

#define ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#define ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
    ECRYPT_process_bytes(0, ctx, plaintext, ciphertext, msglen)

#define ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
    ECRYPT_process_bytes(1, ctx, ciphertext, plaintext, msglen)

void ECRYPT_process_bytes(
    int action,                 /* 0: encrypt, 1: decrypt */
    ECRYPT_ctx* ctx,
    const u8* input,
    u8* output,
    u32 msglen);

#else

void ECRYPT_encrypt_bytes(
    ECRYPT_ctx* ctx,
    const u8* plaintext,
    u8* ciphertext,
    u32 msglen);

void ECRYPT_decrypt_bytes(
    ECRYPT_ctx* ctx,
    const u8* ciphertext,
    u8* plaintext,
    u32 msglen);

#endif

#define ECRYPT_GENERATES_KEYSTREAM

#ifdef ECRYPT_GENERATES_KEYSTREAM

void ECRYPT_keystream_bytes(
    ECRYPT_ctx* ctx,
    u8* keystream,
    u32 length);

#endif

/* ------------------------------------------------------------------------- */
/* Whole packets */

/* One call: ECRYPT_ivsetup, then the *_bytes function on the whole message. */

#define ECRYPT_USES_DEFAULT_ALL_IN_ONE

#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#define ECRYPT_encrypt_packet(ctx, iv, plaintext, ciphertext, msglen) \
    ECRYPT_process_packet(0, ctx, iv, plaintext, ciphertext, msglen)

#define ECRYPT_decrypt_packet(ctx, iv, ciphertext, plaintext, msglen) \
    ECRYPT_process_packet(1, ctx, iv, ciphertext, plaintext, msglen)

void ECRYPT_process_packet(
    int action,                 /* 0: encrypt, 1: decrypt */
    ECRYPT_ctx* ctx,
    const u8* iv,
    const u8* input,
    u8* output,
    u32 msglen);

#else

void ECRYPT_encrypt_packet(
    ECRYPT_ctx* ctx,
    const u8* iv,
    const u8* plaintext,
    u8* ciphertext,
    u32 msglen);

void ECRYPT_decrypt_packet(
    ECRYPT_ctx* ctx,
    const u8* iv,
    const u8* ciphertext,
    u8* plaintext,
    u32 msglen);

#endif

/* ------------------------------------------------------------------------- */
/* Streams of blocks */

#define ECRYPT_BLOCKLENGTH 64

#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, \
        (blocks) * ECRYPT_BLOCKLENGTH)

#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, \
        (blocks) * ECRYPT_BLOCKLENGTH)

#ifdef ECRYPT_GENERATES_KEYSTREAM

#define ECRYPT_keystream_blocks(ctx, keystream, blocks) \
    ECRYPT_keystream_bytes(ctx, keystream, (blocks) * ECRYPT_BLOCKLENGTH)

#endif

#else

#define ECRYPT_HAS_SINGLE_BLOCK_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_BLOCK_FUNCTION

#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
    ECRYPT_process_blocks(0, ctx, plaintext, ciphertext, blocks)

#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
    ECRYPT_process_blocks(1, ctx, ciphertext, plaintext, blocks)

void ECRYPT_process_blocks(
    int action,                 /* 0: encrypt, 1: decrypt */
    ECRYPT_ctx* ctx,
    const u8* input,
    u8* output,
    u32 blocks);

#else

void ECRYPT_encrypt_blocks(
    ECRYPT_ctx* ctx,
    const u8* plaintext,
    u8* ciphertext,
    u32 blocks);

void ECRYPT_decrypt_blocks(
    ECRYPT_ctx* ctx,
    const u8* ciphertext,
    u8* plaintext,
    u32 blocks);

#endif

#ifdef ECRYPT_GENERATES_KEYSTREAM

void ECRYPT_keystream_blocks(
    ECRYPT_ctx* ctx,
    u8* keystream,
    u32 blocks);

#endif

#endif

/* ------------------------------------------------------------------------- */
/* Variants */

#define ECRYPT_MAXVARIANT 1

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if (ECRYPT_VARIANT > ECRYPT_MAXVARIANT)
#error this variant does not exist
#endif

#endif
