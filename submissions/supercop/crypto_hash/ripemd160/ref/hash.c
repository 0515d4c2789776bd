/* SPDX-License-Identifier: CC0-1.0 */
/*
 * RIPEMD-160: Dobbertin, Bosselaers, Preneel: RIPEMD-160, a strengthened version of RIPEMD
 * (1996), appendix A: its functions, constants, selections of words and rotations.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64

static const uint32_t first_state[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};

/* Left line, then right line: added constants, words of the message, rotations. */
static const uint32_t K[2][5] = {
    {0x00000000, 0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xa953fd4e},
    {0x50a28be6, 0x5c4dd124, 0x6d703ef3, 0x7a6d76e9, 0x00000000},
};

static const unsigned char r[2][80] = {
    {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
        7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8,
        3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12,
        1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2,
        4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13,
    },
    {
        5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12,
        6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2,
        15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13,
        8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14,
        12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11,
    },
};

static const unsigned char s[2][80] = {
    {
        11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8,
        7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12,
        11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5,
        11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12,
        9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6,
    },
    {
        8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6,
        9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11,
        9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5,
        15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8,
        8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11,
    },
};

static uint32_t left(uint32_t u, int bits)
{
    return u << bits | u >> (32 - bits);
}

static uint32_t f(int round, uint32_t x, uint32_t y, uint32_t z)
{
    switch (round) {
    case 0:
        return x ^ y ^ z;
    case 1:
        return (x & y) | (~x & z);
    case 2:
        return (x | ~y) ^ z;
    case 3:
        return (x & z) | (y & ~z);
    default:
        return x ^ (y | ~z);
    }
}

/* One of the two lines; the right one has the functions in reverse order. */
static void line(uint32_t v[5], const uint32_t X[16], int right)
{
    uint32_t T;
    int j;

    for (j = 0; j < 80; ++j) {
        T = v[0] + f(right ? 4 - j / 16 : j / 16, v[1], v[2], v[3]) + X[r[right][j]];
        T = left(T + K[right][j / 16], s[right][j]) + v[4];
        v[0] = v[4];
        v[4] = v[3];
        v[3] = left(v[2], 10);
        v[2] = v[1];
        v[1] = T;
    }
}

static void compress(uint32_t h[5], const unsigned char block[BLOCK])
{
    uint32_t X[16] = {0};
    uint32_t v[2][5];
    uint32_t T;
    int i;

    for (i = 0; i < BLOCK; ++i)
        X[i / 4] |= (uint32_t)block[i] << 8 * (i % 4);
    for (i = 0; i < 5; ++i)
        v[0][i] = v[1][i] = h[i];
    line(v[0], X, 0);
    line(v[1], X, 1);
    T = h[1] + v[0][2] + v[1][3];
    h[1] = h[2] + v[0][3] + v[1][4];
    h[2] = h[3] + v[0][4] + v[1][0];
    h[3] = h[4] + v[0][0] + v[1][1];
    h[4] = h[0] + v[0][1] + v[1][2];
    h[0] = T;
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
        last[size - 8 + i] = (unsigned char)(total << 3 >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(h, last + i);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
