/* SPDX-License-Identifier: CC0-1.0 */
/* Moustique in the API for self-synchronising stream ciphers. */
#ifndef ECRYPT_SSYN
#define ECRYPT_SSYN
#define ECRYPT_ASSAY_RULES 1 /* in place, and no pointer to the key is kept */

#include "ecrypt-portable.h"

/* ------------------------------------------------------------------------- */
/* Parameters */

/* [edit] the name of the cipher, and its profile: "SW", "HW", "___H3" ... */
#define ECRYPT_NAME "MOUSTIQUE"
#define ECRYPT_PROFILE "___H3"

/*
 * [edit] The sizes in use are KEYSIZE(0), KEYSIZE(1) ... as long as they do not
 * exceed MAXKEYSIZE, strictly increasing; the same for the IV.
 */
#define ECRYPT_MAXKEYSIZE 96
#define ECRYPT_KEYSIZE(i) (96 + (i)*8)

#define ECRYPT_MAXIVSIZE 104
#define ECRYPT_IVSIZE(i) (0 + (i)*8)

/*
 * [edit] After this many bytes of ciphertext that came through unharmed, in
 * their places or not, decryption gives plaintext again. It is also the block
 * of the *_blocks functions.
 */
#define ECRYPT_SYNCLENGTH 14 /* 105 bits */

/* ------------------------------------------------------------------------- */
/* State */

/* A cell of the register becomes g_kind of four bits. */
typedef struct
{
  u8 kind, cell, from[4];
} gate;

/* One bit in each byte, in the order and with the numbers of the specification. */
typedef struct
{
  u32 ivbytes;
  gate wiring[128]; /* from the end of the register to its beginning */
  u8 a0[226];       /* the ciphertext bit, cells 1 to 128, a zero, and the key */
  u8 a[6][56];      /* stages 1 to 5 of 53 bits in a[1] to a[5], and three zeros */
  u8 a6[12];
  u8 a7[3];
  u8 a8;
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
 * Takes an IV and returns to the first byte of a message. May write the
 * ECRYPT_SYNCLENGTH bytes at previous, which are given to the first call that
 * follows.
 */
void ECRYPT_ivsetup(
  ECRYPT_ctx* ctx,
  u8* previous,
  const u8* iv);

/* ------------------------------------------------------------------------- */
/* Streams of bytes */

/*
 * After ECRYPT_ivsetup: any number of calls of the *_blocks functions, and
 * then at most one of the *_bytes functions. previous points to the last
 * ECRYPT_SYNCLENGTH bytes of ciphertext before this call, or to what
 * ECRYPT_ivsetup wrote; a cipher that keeps them in its context need not look.
 * They overlap neither input nor output. Input and output are the same buffer
 * or do not overlap.
 */

void ECRYPT_encrypt_bytes(
  ECRYPT_ctx* ctx,
  const u8* previous,
  const u8* plaintext,
  u8* ciphertext,
  u32 msglen);

void ECRYPT_decrypt_bytes(
  ECRYPT_ctx* ctx,
  const u8* previous,
  const u8* ciphertext,
  u8* plaintext,
  u32 msglen);

/* ------------------------------------------------------------------------- */
/* Whole packets */

/* One call: ECRYPT_ivsetup, then the *_bytes function on the whole message. */

/* [edit] undefine to supply these functions; else ecrypt-ssyn.c does */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE

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

/* ------------------------------------------------------------------------- */
/* Streams of blocks */

/* [edit] undefine to supply functions that gain from whole blocks */
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_encrypt_blocks(ctx, previous, plaintext, ciphertext, blocks) \
  ECRYPT_encrypt_bytes(ctx, previous, plaintext, ciphertext, \
    (blocks) * ECRYPT_SYNCLENGTH)

#define ECRYPT_decrypt_blocks(ctx, previous, ciphertext, plaintext, blocks) \
  ECRYPT_decrypt_bytes(ctx, previous, ciphertext, plaintext, \
    (blocks) * ECRYPT_SYNCLENGTH)

#else

void ECRYPT_encrypt_blocks(
  ECRYPT_ctx* ctx,
  const u8* previous,
  const u8* plaintext,
  u8* ciphertext,
  u32 blocks);

void ECRYPT_decrypt_blocks(
  ECRYPT_ctx* ctx,
  const u8* previous,
  const u8* ciphertext,
  u8* plaintext,
  u32 blocks);

#endif

/* ------------------------------------------------------------------------- */
/* Variants */

/*
 * [edit] An implementation may contain up to 10 variants of its code (unrolled
 * or not, big tables or small), all with the same results. ECRYPT_VARIANT
 * selects one of 1 .. ECRYPT_MAXVARIANT at compile time.
 */
#define ECRYPT_MAXVARIANT 1

#ifndef ECRYPT_VARIANT
#define ECRYPT_VARIANT 1
#endif

#if (ECRYPT_VARIANT > ECRYPT_MAXVARIANT)
#error this variant does not exist
#endif

#endif
