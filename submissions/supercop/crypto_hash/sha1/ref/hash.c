/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA-1: FIPS 180-4 (2015): functions are section 4.1.1, constants 4.2.1, padding 5.1.1, the
 * first state 5.3.1, the rest 6.1.2. SHA-1 is broken: it is here to be compared with.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64

static const uint32_t first_state[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};

static const uint32_t K[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};

static uint32_t left(uint32_t u, int bits)
{
    return u << bits | u >> (32 - bits);
}

static uint32_t f(int t, uint32_t x, uint32_t y, uint32_t z)
{
    if (t < 20)
        return (x & y) ^ (~x & z); /* Ch */
    if (t >= 40 && t < 60)
        return (x & y) ^ (x & z) ^ (y & z); /* Maj */
    return x ^ y ^ z; /* Parity */
}

static void compress(uint32_t h[5], const unsigned char block[BLOCK])
{
    uint32_t W[80] = {0};
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    uint32_t T;
    int t;

    for (t = 0; t < BLOCK; ++t)
        W[t / 4] |= (uint32_t)block[t] << (24 - 8 * (t % 4));
    for (t = 16; t < 80; ++t)
        W[t] = left(W[t - 3] ^ W[t - 8] ^ W[t - 14] ^ W[t - 16], 1);
    for (t = 0; t < 80; ++t) {
        T = left(a, 5) + f(t, b, c, d) + e + K[t / 20] + W[t];
        e = d;
        d = c;
        c = left(b, 30);
        b = a;
        a = T;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    const unsigned long long total = inlen;
    unsigned char last[2 * BLOCK] = {0};
    unsigned int size, i;
    uint32_t h[5];

    for (i = 0; i < 5; ++i)
        h[i] = first_state[i];
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < 56 ? BLOCK : 2 * BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(total << 3 >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(h, last + i);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)) & 255);
    return 0;
}
