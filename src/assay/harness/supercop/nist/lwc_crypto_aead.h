/* SPDX-License-Identifier: MIT */

/*
 * lwc_crypto_aead.h - how NIST's lightweight benchmark calls a cipher: through a table that
 * the implementation fills.
 */

#ifndef lwc_crypto_aead_h
#define lwc_crypto_aead_h

#include "crypto_aead.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*fn_aead_encrypt)(
  unsigned char *c, unsigned long long *clen,
  const unsigned char *m, unsigned long long mlen,
  const unsigned char *ad, unsigned long long adlen,
  const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);

typedef int (*fn_aead_decrypt)(
  unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
  const unsigned char *c, unsigned long long clen,
  const unsigned char *ad, unsigned long long adlen,
  const unsigned char *npub, const unsigned char *k);

typedef struct {
  const char *variant_name;
  const char *impl_name;
  int KeyBytes;
  int NonceBytes;
  int ABytes;
  fn_aead_encrypt encrypt;
  fn_aead_decrypt decrypt;
} aead_ctx;

extern aead_ctx lwc_aead_cipher;

/* The package may have a crypto_aead.h of its own that declares nothing. */
int crypto_aead_encrypt(
  unsigned char *c, unsigned long long *clen,
  const unsigned char *m, unsigned long long mlen,
  const unsigned char *ad, unsigned long long adlen,
  const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);
int crypto_aead_decrypt(
  unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
  const unsigned char *c, unsigned long long clen,
  const unsigned char *ad, unsigned long long adlen,
  const unsigned char *npub, const unsigned char *k);

#ifdef __cplusplus
}
#endif

#endif
