/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-sync.h - the interface of a synchronous stream cipher.
 *
 * Copy this file into the folder of your implementation and edit the places
 * marked [edit]. Everything else must stay as it is.
 *
 * Sizes of keys and IVs are in bits, lengths of messages in bytes. No function
 * reports an error; callers keep to what is stated here.
 */

#ifndef ECRYPT_SYNC
#define ECRYPT_SYNC

/*
 * This header states more than the original's: output may stand where its input
 * is, and a context keeps no pointer to a key or an IV. Assay fails what breaks
 * these rules where this line is, and notes it elsewhere.
 */
#define ECRYPT_ASSAY_RULES 1

#include "ecrypt-portable.h"

/* ------------------------------------------------------------------------- */
/* Parameters */

/* [edit] the name of the cipher, and its profile: "SW", "HW", "S3___" ... */
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

/* ------------------------------------------------------------------------- */
/* State */

/*
 * [edit] All that a key and a position in its stream consist of. A context may
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

/* [edit] undefine if encryption and decryption are two functions */
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

/*
 * [edit] undefine if ciphertext is anything but plaintext xor keystream, or if
 * the function is not provided
 */
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

/* [edit] undefine to supply these functions; else ecrypt-sync.c does */
#define ECRYPT_USES_DEFAULT_ALL_IN_ONE

/* [edit] undefine if encryption and decryption are two functions */
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

/* [edit] the block, in bytes, that the cipher processes most efficiently */
#define ECRYPT_BLOCKLENGTH 4

/* [edit] undefine to supply functions that gain from whole blocks */
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

/* [edit] undefine if encryption and decryption are two functions */
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
