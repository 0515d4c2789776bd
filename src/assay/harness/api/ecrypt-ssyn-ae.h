/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-ssyn-ae.h - the interface of a self-synchronising stream cipher that
 * also authenticates.
 *
 * Copy this file into the folder of your implementation and edit the places
 * marked [edit]. Everything else must stay as it is.
 *
 * Sizes of keys, IVs and MACs are in bits, lengths of messages and of
 * additional data in bytes. No function reports an error; it is the caller who
 * compares MACs.
 */

#ifndef ECRYPT_SSYN_AE
#define ECRYPT_SSYN_AE

/*
 * This header states more than the original's: output may stand where its input
 * is, and a context keeps no pointer to a key or an IV. Assay fails what breaks
 * these rules where this line is, and notes it elsewhere.
 */
#define ECRYPT_ASSAY_RULES 1

#include "ecrypt-portable.h"

/* ------------------------------------------------------------------------- */
/* Parameters */

/*
 * [edit] define if the cipher can also be used without authentication, and
 * provide ecrypt-ssyn.h beside this file
 */
#undef ECRYPT_SUPPORTS_UAE

#ifdef ECRYPT_SUPPORTS_UAE

/* name, profile, sizes, ECRYPT_SYNCLENGTH and variants are those of that file */
#include "ecrypt-ssyn.h"

#else

/* [edit] the name of the cipher, and its profile: "SW", "HW", "S3___" ... */
#define ECRYPT_NAME "Cipher Name"
#define ECRYPT_PROFILE "_____"

/*
 * [edit] The sizes in use are KEYSIZE(0), KEYSIZE(1) ... as long as they do not
 * exceed MAXKEYSIZE, strictly increasing; the same for the IV and the MAC.
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

#endif

#define ECRYPT_MAXMACSIZE 128
#define ECRYPT_MACSIZE(i) (32 + (i)*32)

/* ------------------------------------------------------------------------- */
/* State */

/*
 * [edit] All that a key, a position in its stream and an unfinished MAC consist
 * of. A context may be copied or moved as plain memory at any time, so it holds
 * no pointer into itself. Results depend on the context and the arguments
 * alone: no variable outside of it changes after ECRYPT_init.
 */
#ifdef ECRYPT_SUPPORTS_UAE

typedef struct
{
  u32 mac[4];
} ECRYPT_macctx;

typedef struct
{
  ECRYPT_ctx ctx;
  ECRYPT_macctx macctx;
} ECRYPT_AE_ctx;

#else

typedef struct
{
  u32 state[16];
} ECRYPT_AE_ctx;

#endif

/* ------------------------------------------------------------------------- */
/* Set-up and end */

/* Fills tables that all contexts share; called once, before all others. */
void ECRYPT_init(void);

/*
 * Takes the key. The sizes are one of the enumerated triples and stay valid
 * until the next call.
 */
void ECRYPT_AE_keysetup(
  ECRYPT_AE_ctx* ctx,
  const u8* key,
  u32 keysize,
  u32 ivsize,
  u32 macsize);

/*
 * Takes an IV and returns to the first byte of a message. Any number of calls
 * may follow one ECRYPT_AE_keysetup; none depends on those before. May write the
 * ECRYPT_SYNCLENGTH bytes at previous, which are given to the first call that
 * follows.
 */
void ECRYPT_AE_ivsetup(
  ECRYPT_AE_ctx* ctx,
  u8* previous,
  const u8* iv);

/*
 * Writes the MAC of all that was authenticated, encrypted or decrypted since
 * the last ECRYPT_AE_ivsetup; nothing but set-up may follow. Encryption of a
 * message and decryption of the result end with the same MAC.
 */
void ECRYPT_AE_finalize(
  ECRYPT_AE_ctx* ctx,
  u8* mac);

/* ------------------------------------------------------------------------- */
/* Additional authenticated data */

/* [edit] define if there can be data that is authenticated, not encrypted */
#undef ECRYPT_SUPPORTS_AAD

/* [edit] define if additional data may come in pieces */
#undef ECRYPT_SUPPORTS_INCREMENTAL_AAD

#ifdef ECRYPT_SUPPORTS_AAD

/*
 * After ECRYPT_AE_ivsetup and before the message; aad may be NULL if empty. With
 * ECRYPT_SUPPORTS_INCREMENTAL_AAD the data may come in any number of pieces, of
 * which all but the last are whole blocks (ECRYPT_AE_authenticate_blocks).
 * previous is what ECRYPT_AE_ivsetup wrote, and may be written again.
 */
void ECRYPT_AE_authenticate_bytes(
  ECRYPT_AE_ctx* ctx,
  u8* previous,
  const u8* aad,
  u32 aadlen);

#endif

/* ------------------------------------------------------------------------- */
/* Streams of bytes */

/*
 * After ECRYPT_AE_ivsetup: any number of calls of the *_blocks functions, and
 * then at most one of the *_bytes functions. previous points to the last
 * ECRYPT_SYNCLENGTH bytes of ciphertext before this call, or to what was written
 * before the first; a cipher that keeps them in its context need not look. They
 * overlap neither input nor output. Input and output are the same buffer or do
 * not overlap.
 */

/* [edit] define if encryption and decryption are one function */
#undef ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION

#define ECRYPT_AE_encrypt_bytes(ctx, previous, plaintext, ciphertext, msglen) \
  ECRYPT_AE_process_bytes(0, ctx, previous, plaintext, ciphertext, msglen)

#define ECRYPT_AE_decrypt_bytes(ctx, previous, ciphertext, plaintext, msglen) \
  ECRYPT_AE_process_bytes(1, ctx, previous, ciphertext, plaintext, msglen)

void ECRYPT_AE_process_bytes(
  int action,                 /* 0: encrypt, 1: decrypt */
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* input,
  u8* output,
  u32 msglen);

#else

void ECRYPT_AE_encrypt_bytes(
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* plaintext,
  u8* ciphertext,
  u32 msglen);

void ECRYPT_AE_decrypt_bytes(
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* ciphertext,
  u8* plaintext,
  u32 msglen);

#endif

/* ------------------------------------------------------------------------- */
/* Whole packets */

/* One call: set-up of the IV, additional data, message and MAC. */

/* [edit] undefine to supply these functions; else ecrypt-ssyn-ae.c does */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE

/* [edit] undefine if encryption and decryption are two functions */
#define ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION

#define ECRYPT_AE_encrypt_packet( \
    ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac) \
  ECRYPT_AE_process_packet( \
    0, ctx, iv, aad, aadlen, plaintext, ciphertext, msglen, mac)

#define ECRYPT_AE_decrypt_packet( \
    ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac) \
  ECRYPT_AE_process_packet( \
    1, ctx, iv, aad, aadlen, ciphertext, plaintext, msglen, mac)

void ECRYPT_AE_process_packet(
  int action,                 /* 0: encrypt, 1: decrypt */
  ECRYPT_AE_ctx* ctx,
  const u8* iv,
  const u8* aad,
  u32 aadlen,
  const u8* input,
  u8* output,
  u32 msglen,
  u8* mac);

#else

void ECRYPT_AE_encrypt_packet(
  ECRYPT_AE_ctx* ctx,
  const u8* iv,
  const u8* aad,
  u32 aadlen,
  const u8* plaintext,
  u8* ciphertext,
  u32 msglen,
  u8* mac);

void ECRYPT_AE_decrypt_packet(
  ECRYPT_AE_ctx* ctx,
  const u8* iv,
  const u8* aad,
  u32 aadlen,
  const u8* ciphertext,
  u8* plaintext,
  u32 msglen,
  u8* mac);

#endif

/* ------------------------------------------------------------------------- */
/* Streams of blocks */

/* [edit] undefine to supply functions that gain from whole blocks */
#define ECRYPT_USES_DEFAULT_BLOCK_MACROS

#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_AE_encrypt_blocks(ctx, previous, plaintext, ciphertext, blocks) \
  ECRYPT_AE_encrypt_bytes(ctx, previous, plaintext, ciphertext, \
    (blocks) * ECRYPT_SYNCLENGTH)

#define ECRYPT_AE_decrypt_blocks(ctx, previous, ciphertext, plaintext, blocks) \
  ECRYPT_AE_decrypt_bytes(ctx, previous, ciphertext, plaintext, \
    (blocks) * ECRYPT_SYNCLENGTH)

#ifdef ECRYPT_SUPPORTS_INCREMENTAL_AAD

#define ECRYPT_AE_authenticate_blocks(ctx, previous, aad, blocks) \
  ECRYPT_AE_authenticate_bytes(ctx, previous, aad, \
    (blocks) * ECRYPT_SYNCLENGTH)

#endif

#else

/* [edit] undefine if encryption and decryption are two functions */
#define ECRYPT_HAS_SINGLE_BLOCK_FUNCTION

#ifdef ECRYPT_HAS_SINGLE_BLOCK_FUNCTION

#define ECRYPT_AE_encrypt_blocks(ctx, previous, plaintext, ciphertext, blocks) \
  ECRYPT_AE_process_blocks(0, ctx, previous, plaintext, ciphertext, blocks)

#define ECRYPT_AE_decrypt_blocks(ctx, previous, ciphertext, plaintext, blocks) \
  ECRYPT_AE_process_blocks(1, ctx, previous, ciphertext, plaintext, blocks)

void ECRYPT_AE_process_blocks(
  int action,                 /* 0: encrypt, 1: decrypt */
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* input,
  u8* output,
  u32 blocks);

#else

void ECRYPT_AE_encrypt_blocks(
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* plaintext,
  u8* ciphertext,
  u32 blocks);

void ECRYPT_AE_decrypt_blocks(
  ECRYPT_AE_ctx* ctx,
  const u8* previous,
  const u8* ciphertext,
  u8* plaintext,
  u32 blocks);

#endif

#ifdef ECRYPT_SUPPORTS_INCREMENTAL_AAD

void ECRYPT_AE_authenticate_blocks(
  ECRYPT_AE_ctx* ctx,
  u8* previous,
  const u8* aad,
  u32 blocks);

#endif

#endif

/* ------------------------------------------------------------------------- */
/* Variants */

#ifndef ECRYPT_SUPPORTS_UAE

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

#endif
