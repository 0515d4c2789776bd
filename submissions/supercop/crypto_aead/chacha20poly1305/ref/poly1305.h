/* SPDX-License-Identifier: CC0-1.0 */
#ifndef POLY1305_H
#define POLY1305_H

#include <stdint.h>

#define poly1305_start CRYPTO_NAMESPACE(poly1305_start)
#define poly1305_padded CRYPTO_NAMESPACE(poly1305_padded)
#define poly1305_finish CRYPTO_NAMESPACE(poly1305_finish)

/* The sum so far and r, in limbs of 26 bits, and s. */
typedef struct {
    uint32_t h[5];
    uint32_t r[5];
    uint32_t s[4];
} poly1305;

void poly1305_start(poly1305 *p, const unsigned char key[32]);

/* Takes in `len` bytes and zeros up to a multiple of 16. */
void poly1305_padded(poly1305 *p, const unsigned char *in, unsigned long long len);

void poly1305_finish(unsigned char tag[16], poly1305 *p);

#endif
