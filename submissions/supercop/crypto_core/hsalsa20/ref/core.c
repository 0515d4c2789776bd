/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HSalsa20: 32 bytes from a 32-byte key, a 16-byte input and a 16-byte constant.
 *
 * D. J. Bernstein, "Extending the Salsa20 nonce" (2011), section 2: ten double rounds as in
 * Salsa20, no addition of the starting words, and the eight words of the output are those
 * at the places of the constant and of the input.
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
    uint32_t x[16];
    int i;

    for (i = 0; i < 4; ++i) {
        x[5 * i] = load(c + 4 * i);
        x[1 + i] = load(k + 4 * i);
        x[6 + i] = load(in + 4 * i);
        x[11 + i] = load(k + 16 + 4 * i);
    }
    for (i = 0; i < 10; ++i)
        doubleround(x);
    for (i = 0; i < 4; ++i) {
        store(out + 4 * i, x[5 * i]);
        store(out + 16 + 4 * i, x[6 + i]);
    }
    return 0;
}
