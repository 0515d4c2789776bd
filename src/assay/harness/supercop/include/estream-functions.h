/* SPDX-License-Identifier: MIT */

/*
 * estream-functions.h - the functions of a synchronous stream cipher of eSTREAM.
 *
 * The cipher's own e/ecrypt-sync.h includes this at its end, having defined ECRYPT_ctx,
 * ECRYPT_BLOCKLENGTH and the ECRYPT_HAS_..., ECRYPT_USES_... and ECRYPT_GENERATES_KEYSTREAM
 * that apply. Every function gets the package's own name space. Sizes of keys and IVs are in
 * bits, lengths of messages in bytes.
 */

#ifndef ECRYPT_API
#define ECRYPT_API

#include "ecrypt-portable.h"

#define ECRYPT_init CRYPTO_NAMESPACE(ECRYPT_init)
#define ECRYPT_keysetup CRYPTO_NAMESPACE(ECRYPT_keysetup)
#define ECRYPT_ivsetup CRYPTO_NAMESPACE(ECRYPT_ivsetup)

extern void ECRYPT_init(void);
extern void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize);
extern void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv);

/* ------------------------------------------------------------------------- */
/* Bytes: one function with an action (0: encrypt, 1: decrypt), or one for each */

#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ECRYPT_process_bytes CRYPTO_NAMESPACE(ECRYPT_process_bytes)
#define ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, msglen) \
  ECRYPT_process_bytes(0, ctx, plaintext, ciphertext, msglen)
#define ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, msglen) \
  ECRYPT_process_bytes(1, ctx, ciphertext, plaintext, msglen)
extern void ECRYPT_process_bytes(
  int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen);
#else
#define ECRYPT_encrypt_bytes CRYPTO_NAMESPACE(ECRYPT_encrypt_bytes)
#define ECRYPT_decrypt_bytes CRYPTO_NAMESPACE(ECRYPT_decrypt_bytes)
extern void ECRYPT_encrypt_bytes(
  ECRYPT_ctx *ctx, const u8 *plaintext, u8 *ciphertext, u32 msglen);
extern void ECRYPT_decrypt_bytes(
  ECRYPT_ctx *ctx, const u8 *ciphertext, u8 *plaintext, u32 msglen);
#endif

#ifdef ECRYPT_GENERATES_KEYSTREAM
#define ECRYPT_keystream_bytes CRYPTO_NAMESPACE(ECRYPT_keystream_bytes)
extern void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length);
#endif

/* ------------------------------------------------------------------------- */
/* Packets */

#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ECRYPT_process_packet CRYPTO_NAMESPACE(ECRYPT_process_packet)
#define ECRYPT_encrypt_packet(ctx, iv, plaintext, ciphertext, msglen) \
  ECRYPT_process_packet(0, ctx, iv, plaintext, ciphertext, msglen)
#define ECRYPT_decrypt_packet(ctx, iv, ciphertext, plaintext, msglen) \
  ECRYPT_process_packet(1, ctx, iv, ciphertext, plaintext, msglen)
extern void ECRYPT_process_packet(
  int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *input, u8 *output, u32 msglen);
#else
#define ECRYPT_encrypt_packet CRYPTO_NAMESPACE(ECRYPT_encrypt_packet)
#define ECRYPT_decrypt_packet CRYPTO_NAMESPACE(ECRYPT_decrypt_packet)
extern void ECRYPT_encrypt_packet(
  ECRYPT_ctx *ctx, const u8 *iv, const u8 *plaintext, u8 *ciphertext, u32 msglen);
extern void ECRYPT_decrypt_packet(
  ECRYPT_ctx *ctx, const u8 *iv, const u8 *ciphertext, u8 *plaintext, u32 msglen);
#endif

/* ------------------------------------------------------------------------- */
/* Blocks: macros over bytes, or functions of the cipher's own */

#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS

#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
  ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, (blocks) * ECRYPT_BLOCKLENGTH)
#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
  ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, (blocks) * ECRYPT_BLOCKLENGTH)
#ifdef ECRYPT_GENERATES_KEYSTREAM
#define ECRYPT_keystream_blocks(ctx, keystream, blocks) \
  ECRYPT_keystream_bytes(ctx, keystream, (blocks) * ECRYPT_BLOCKLENGTH)
#endif

#else

/* here always one function with an action, unlike in eSTREAM's own header */
#define ECRYPT_HAS_SINGLE_BLOCK_FUNCTION
#define ECRYPT_process_blocks CRYPTO_NAMESPACE(ECRYPT_process_blocks)
#define ECRYPT_encrypt_blocks(ctx, plaintext, ciphertext, blocks) \
  ECRYPT_process_blocks(0, ctx, plaintext, ciphertext, blocks)
#define ECRYPT_decrypt_blocks(ctx, ciphertext, plaintext, blocks) \
  ECRYPT_process_blocks(1, ctx, ciphertext, plaintext, blocks)
extern void ECRYPT_process_blocks(
  int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 blocks);
#ifdef ECRYPT_GENERATES_KEYSTREAM
#define ECRYPT_keystream_blocks CRYPTO_NAMESPACE(ECRYPT_keystream_blocks)
extern void ECRYPT_keystream_blocks(ECRYPT_ctx *ctx, u8 *keystream, u32 blocks);
#endif

#endif

#if (ECRYPT_VARIANT > ECRYPT_MAXVARIANT)
#error this variant does not exist
#endif

#endif
