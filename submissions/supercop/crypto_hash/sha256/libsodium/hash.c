/* SPDX-License-Identifier: CC0-1.0 */
/* SHA-256 of libsodium; its code is the same before and after sodium_init(). */

#include <sodium/crypto_hash_sha256.h>

static int of_libsodium(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    return crypto_hash_sha256(out, in, inlen);
}

/* The same names, with another meaning, are in the next header. */
#undef crypto_hash_sha256_H
#undef crypto_hash_sha256_BYTES
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    return of_libsodium(out, in, inlen);
}
