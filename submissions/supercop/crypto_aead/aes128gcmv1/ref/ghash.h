/* SPDX-License-Identifier: CC0-1.0 */
#ifndef GHASH_H
#define GHASH_H

#include <stdint.h>

#define ghash_start CRYPTO_NAMESPACE(ghash_start)
#define ghash_padded CRYPTO_NAMESPACE(ghash_padded)
#define ghash_finish CRYPTO_NAMESPACE(ghash_finish)

/* The key and the sum so far; the first bit is the most significant one of word 0. */
typedef struct {
    uint64_t h[2];
    uint64_t y[2];
} ghash;

void ghash_start(ghash *g, const unsigned char key[16]);

/* Takes in `len` bytes and zeros up to a multiple of 16. */
void ghash_padded(ghash *g, const unsigned char *in, unsigned long long len);

void ghash_finish(unsigned char out[16], const ghash *g);

#endif
