/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-ssyn.h - the interface of a self-synchronising stream cipher.
 *
 * Copy this file into the folder of your implementation and edit the places
 * marked [edit]. Everything else must stay as it is.
 *
 * The keystream of such a cipher depends on the key and on a number of
 * ciphertext bits just before: a receiver that missed something decrypts
 * correctly again as soon as it has seen that many. Ciphers that need much
 * ciphertext for this are better served by ecrypt-sync.h.
 *
 * Sizes of keys and IVs are in bits, lengths of messages in bytes. No function
 * reports an error; callers keep to what is stated here.
 */

#ifndef ECRYPT_SSYN
#define ECRYPT_SSYN

/*
 * This header states more than the original's: output may stand where its input
 * is, and a context keeps no pointer to a key or an IV. Assay fails what breaks
 * these rules where this line is, and notes it elsewhere.
 */
#define ECRYPT_ASSAY_RULES 1

#include "ecrypt-portable.h"

/* ------------------------------------------------------------------------- */
/* Parameters */

/* [edit] the name of the cipher, and its profile: "SW", "HW", "___H3" ... */
#define ECRYPT_NAME "Cipher Name"
#define ECRYPT_PROFILE "_____"

/*
 * [edit] The sizes in use are KEYSIZE(0), KEYSIZE(1) ... as long as they do not
 * exceed MAXKEYSIZE, strictly increasing; the same for the IV.
 */
#define ECRYPT_MAXKEYSIZE 256
#define ECRYPT_KEYSIZE(i) (128 + (i)*32)

#define ECRYPT_MAXIVSIZE 64
#define ECRYPT_IVSIZE(i) (64 + (i)*64)

/*
 * [edit] After this many bytes of ciphertext that came through unharmed, in
 * their places or not, decryption gives plaintext again. It is also the block
 * of the *_blocks functions.
 */
#define ECRYPT_SYNCLENGTH 16

/* ------------------------------------------------------------------------- */
/* State */

/*
 * [edit] All that a key and a position in a message consist of. A context may
 * be copied or moved as plain memory at any time, so it holds no pointer into
 * itself. Results depend on the context and the arguments alone: no variable
 * outside of it changes after ECRYPT_init.
 */
typedef struct
{
  u32 state[16];
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
