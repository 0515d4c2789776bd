/* SPDX-License-Identifier: MIT */

/*
 * lwc_crypto_hash.h - how NIST's lightweight benchmark calls a hash: through a table that the
 * implementation fills.
 */

#ifndef lwc_crypto_hash_h
#define lwc_crypto_hash_h

#include "crypto_hash.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*fn_hash)(unsigned char *out, const unsigned char *in, unsigned long long inlen);

typedef struct {
  const char *variant_name;
  const char *impl_name;
  int DigestSize;
  fn_hash hash;
} hash_ctx;

extern hash_ctx lwc_hash_ctx;

/* The package may have a crypto_hash.h of its own that declares nothing. */
int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen);

#ifdef __cplusplus
}
#endif

#endif
