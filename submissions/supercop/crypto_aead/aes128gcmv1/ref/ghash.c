/* SPDX-License-Identifier: CC0-1.0 */
/* GHASH: SP 800-38D, sections 6.3 and 6.4, bit by bit, whatever the bits are. */

#include "ghash.h"

/* y = y h: algorithm 1. */
static void multiply(uint64_t y[2], const uint64_t h[2])
{
    uint64_t z[2] = {0, 0}, v[2], bit;
    int i;

    v[0] = h[0];
    v[1] = h[1];
    for (i = 0; i < 128; ++i) {
        bit = 0 - (y[i / 64] >> (63 - i % 64) & 1);
        z[0] ^= v[0] & bit;
        z[1] ^= v[1] & bit;
        bit = 0 - (v[1] & 1);
        v[1] = v[1] >> 1 | v[0] << 63;
        v[0] = v[0] >> 1 ^ (bit & 0xe100000000000000);
    }
    y[0] = z[0];
    y[1] = z[1];
}

void ghash_start(ghash *g, const unsigned char key[16])
{
    int i;

    g->h[0] = g->h[1] = g->y[0] = g->y[1] = 0;
    for (i = 0; i < 16; ++i)
        g->h[i / 8] = g->h[i / 8] << 8 | key[i];
}

/* Algorithm 2. */
void ghash_padded(ghash *g, const unsigned char *in, unsigned long long len)
{
    unsigned long long i;

    for (i = 0; i < len; ++i) {
        g->y[i / 8 % 2] ^= (uint64_t)in[i] << (56 - 8 * (i % 8));
        if (i % 16 == 15)
            multiply(g->y, g->h);
    }
    if (len % 16 != 0)
        multiply(g->y, g->h);
}

void ghash_finish(unsigned char out[16], const ghash *g)
{
    int i;

    for (i = 0; i < 16; ++i)
        out[i] = (unsigned char)(g->y[i / 8] >> (56 - 8 * (i % 8)) & 255);
}
