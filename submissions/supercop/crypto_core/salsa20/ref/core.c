/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The Salsa20 hash function with 20 rounds: 64 bytes from a 32-byte key, a 16-byte input
 * and a 16-byte constant.
 *
 * D. J. Bernstein, "Salsa20 specification" (2005): quarterround is section 3, rowround 4,
 * columnround 5, doubleround 6, littleendian 7, Salsa20 8, the order of the words 9.
 */

#include <stdint.h>
#include "crypto_core.h"

static uint32_t rotate(uint32_t u, int bits)
{
    return u << bits | u >> (32 - bits);
}

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = (unsigned char)(u >> 8 * i);
}

static void quarterround(uint32_t x[16], int a, int b, int c, int d)
{
    x[b] ^= rotate(x[a] + x[d], 7);
    x[c] ^= rotate(x[b] + x[a], 9);
    x[d] ^= rotate(x[c] + x[b], 13);
    x[a] ^= rotate(x[d] + x[c], 18);
}

static void doubleround(uint32_t x[16])
{
    quarterround(x, 0, 4, 8, 12);
    quarterround(x, 5, 9, 13, 1);
    quarterround(x, 10, 14, 2, 6);
    quarterround(x, 15, 3, 7, 11);

    quarterround(x, 0, 1, 2, 3);
    quarterround(x, 5, 6, 7, 4);
    quarterround(x, 10, 11, 8, 9);
    quarterround(x, 15, 12, 13, 14);
}

int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c)
{
    uint32_t start[16];
    uint32_t x[16];
    int i;

    for (i = 0; i < 4; ++i) {
        start[5 * i] = load(c + 4 * i);
        start[1 + i] = load(k + 4 * i);
        start[6 + i] = load(in + 4 * i);
        start[11 + i] = load(k + 16 + 4 * i);
    }
    for (i = 0; i < 16; ++i)
        x[i] = start[i];
    for (i = 0; i < 10; ++i)
        doubleround(x);
    for (i = 0; i < 16; ++i)
        store(out + 4 * i, x[i] + start[i]);
    return 0;
}
