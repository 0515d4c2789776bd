/* SPDX-License-Identifier: MIT */

/*
 * estream-convert-api.h - crypto_stream() and crypto_stream_xor() of a cipher of eSTREAM.
 *
 * One file of the package includes this, and gets the two functions' code in terms of the
 * cipher that its e/ecrypt-sync.h declares, and the all-in-one functions where the cipher
 * leaves them to the framework.
 */

#include "crypto_stream.h"
#include "e/ecrypt-sync.h"

#ifdef ECRYPT_USES_DEFAULT_ALL_IN_ONE
#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION

void ECRYPT_process_packet(
  int action, ECRYPT_ctx *ctx, const u8 *iv, const u8 *input, u8 *output, u32 msglen)
{
  ECRYPT_ivsetup(ctx, iv);
#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
  ECRYPT_process_bytes(action, ctx, input, output, msglen);
#else
  if (action)
    ECRYPT_decrypt_bytes(ctx, input, output, msglen);
  else
    ECRYPT_encrypt_bytes(ctx, input, output, msglen);
#endif
}

#else

void ECRYPT_encrypt_packet(
  ECRYPT_ctx *ctx, const u8 *iv, const u8 *plaintext, u8 *ciphertext, u32 msglen)
{
  ECRYPT_ivsetup(ctx, iv);
  ECRYPT_encrypt_bytes(ctx, plaintext, ciphertext, msglen);
}

void ECRYPT_decrypt_packet(
  ECRYPT_ctx *ctx, const u8 *iv, const u8 *ciphertext, u8 *plaintext, u32 msglen)
{
  ECRYPT_ivsetup(ctx, iv);
  ECRYPT_decrypt_bytes(ctx, ciphertext, plaintext, msglen);
}

#endif
#endif

/* ECRYPT lengths have 32 bits; pieces of this size are whole blocks of any cipher */
#define ESTREAM_PIECE_BYTES 65536

static void estream_begin(ECRYPT_ctx *ctx, const unsigned char *n, const unsigned char *k)
{
  static int initialised = 0;
  if (!initialised) {
    ECRYPT_init();
    initialised = 1;
  }
  ECRYPT_keysetup(ctx, k, crypto_stream_KEYBYTES * 8, crypto_stream_NONCEBYTES * 8);
  ECRYPT_ivsetup(ctx, n);
}

static void estream_encrypt(
  ECRYPT_ctx *ctx, const unsigned char *m, unsigned char *c, unsigned long long bytes)
{
  for (; bytes > ESTREAM_PIECE_BYTES; bytes -= ESTREAM_PIECE_BYTES) {
    ECRYPT_encrypt_bytes(ctx, m, c, ESTREAM_PIECE_BYTES);
    m += ESTREAM_PIECE_BYTES;
    c += ESTREAM_PIECE_BYTES;
  }
  ECRYPT_encrypt_bytes(ctx, m, c, (u32)bytes);
}

int crypto_stream_xor(
  unsigned char *c, const unsigned char *m, unsigned long long mlen,
  const unsigned char *n, const unsigned char *k)
{
  ECRYPT_ctx ctx;
  estream_begin(&ctx, n, k);
  estream_encrypt(&ctx, m, c, mlen);
  return 0;
}

int crypto_stream(
  unsigned char *c, unsigned long long clen, const unsigned char *n, const unsigned char *k)
{
  ECRYPT_ctx ctx;
#ifndef ECRYPT_GENERATES_KEYSTREAM
  unsigned long long i;
#endif
  estream_begin(&ctx, n, k);
#ifdef ECRYPT_GENERATES_KEYSTREAM
  for (; clen > ESTREAM_PIECE_BYTES; clen -= ESTREAM_PIECE_BYTES) {
    ECRYPT_keystream_bytes(&ctx, c, ESTREAM_PIECE_BYTES);
    c += ESTREAM_PIECE_BYTES;
  }
  ECRYPT_keystream_bytes(&ctx, c, (u32)clen);
#else
  for (i = 0; i < clen; ++i) c[i] = 0;
  estream_encrypt(&ctx, c, c, clen);
#endif
  return 0;
}
