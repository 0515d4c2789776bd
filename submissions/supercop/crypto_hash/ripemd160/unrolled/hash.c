/* SPDX-License-Identifier: CC0-1.0 */
/*
 * RIPEMD-160, unrolled, both lines side by side: Dobbertin, Bosselaers, Preneel:
 * RIPEMD-160, a strengthened version of RIPEMD (1996), appendix A: its functions,
 * constants, selections of words and rotations.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64

static const uint32_t first_state[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};

#define LEFT(u, bits) ((u) << (bits) | (u) >> (32 - (bits)))

/* The functions of the five rounds. */
#define F0(x, y, z) ((x) ^ (y) ^ (z))
#define F1(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define F2(x, y, z) (((x) | ~(y)) ^ (z))
#define F3(x, y, z) ((((x) ^ (y)) & (z)) ^ (y))
#define F4(x, y, z) ((x) ^ ((y) | ~(z)))

#define STEP(f, a, b, c, d, e, word, bits, K)                                                     \
    do {                                                                                          \
        a += f(b, c, d) + X[word] + K;                                                            \
        a = LEFT(a, bits) + e;                                                                    \
        c = LEFT(c, 10);                                                                          \
    } while (0)

#define LEFT_0(a, b, c, d, e, word, bits) STEP(F0, a, b, c, d, e, word, bits, 0)
#define RIGHT_0(a, b, c, d, e, word, bits) STEP(F4, a, b, c, d, e, word, bits, 0x50a28be6)
#define LEFT_1(a, b, c, d, e, word, bits) STEP(F1, a, b, c, d, e, word, bits, 0x5a827999)
#define RIGHT_1(a, b, c, d, e, word, bits) STEP(F3, a, b, c, d, e, word, bits, 0x5c4dd124)
#define LEFT_2(a, b, c, d, e, word, bits) STEP(F2, a, b, c, d, e, word, bits, 0x6ed9eba1)
#define RIGHT_2(a, b, c, d, e, word, bits) STEP(F2, a, b, c, d, e, word, bits, 0x6d703ef3)
#define LEFT_3(a, b, c, d, e, word, bits) STEP(F3, a, b, c, d, e, word, bits, 0x8f1bbcdc)
#define RIGHT_3(a, b, c, d, e, word, bits) STEP(F1, a, b, c, d, e, word, bits, 0x7a6d76e9)
#define LEFT_4(a, b, c, d, e, word, bits) STEP(F4, a, b, c, d, e, word, bits, 0xa953fd4e)
#define RIGHT_4(a, b, c, d, e, word, bits) STEP(F0, a, b, c, d, e, word, bits, 0)

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void compress(uint32_t h[5], const unsigned char block[BLOCK])
{
    uint32_t X[16];
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    uint32_t v = a, w = b, x = c, y = d, z = e;
    int i;

    for (i = 0; i < 16; ++i)
        X[i] = load(block + 4 * i);
    LEFT_0(a, b, c, d, e, 0, 11);
    RIGHT_0(v, w, x, y, z, 5, 8);
    LEFT_0(e, a, b, c, d, 1, 14);
    RIGHT_0(z, v, w, x, y, 14, 9);
    LEFT_0(d, e, a, b, c, 2, 15);
    RIGHT_0(y, z, v, w, x, 7, 9);
    LEFT_0(c, d, e, a, b, 3, 12);
    RIGHT_0(x, y, z, v, w, 0, 11);
    LEFT_0(b, c, d, e, a, 4, 5);
    RIGHT_0(w, x, y, z, v, 9, 13);
    LEFT_0(a, b, c, d, e, 5, 8);
    RIGHT_0(v, w, x, y, z, 2, 15);
    LEFT_0(e, a, b, c, d, 6, 7);
    RIGHT_0(z, v, w, x, y, 11, 15);
    LEFT_0(d, e, a, b, c, 7, 9);
    RIGHT_0(y, z, v, w, x, 4, 5);
    LEFT_0(c, d, e, a, b, 8, 11);
    RIGHT_0(x, y, z, v, w, 13, 7);
    LEFT_0(b, c, d, e, a, 9, 13);
    RIGHT_0(w, x, y, z, v, 6, 7);
    LEFT_0(a, b, c, d, e, 10, 14);
    RIGHT_0(v, w, x, y, z, 15, 8);
    LEFT_0(e, a, b, c, d, 11, 15);
    RIGHT_0(z, v, w, x, y, 8, 11);
    LEFT_0(d, e, a, b, c, 12, 6);
    RIGHT_0(y, z, v, w, x, 1, 14);
    LEFT_0(c, d, e, a, b, 13, 7);
    RIGHT_0(x, y, z, v, w, 10, 14);
    LEFT_0(b, c, d, e, a, 14, 9);
    RIGHT_0(w, x, y, z, v, 3, 12);
    LEFT_0(a, b, c, d, e, 15, 8);
    RIGHT_0(v, w, x, y, z, 12, 6);
    LEFT_1(e, a, b, c, d, 7, 7);
    RIGHT_1(z, v, w, x, y, 6, 9);
    LEFT_1(d, e, a, b, c, 4, 6);
    RIGHT_1(y, z, v, w, x, 11, 13);
    LEFT_1(c, d, e, a, b, 13, 8);
    RIGHT_1(x, y, z, v, w, 3, 15);
    LEFT_1(b, c, d, e, a, 1, 13);
    RIGHT_1(w, x, y, z, v, 7, 7);
    LEFT_1(a, b, c, d, e, 10, 11);
    RIGHT_1(v, w, x, y, z, 0, 12);
    LEFT_1(e, a, b, c, d, 6, 9);
    RIGHT_1(z, v, w, x, y, 13, 8);
    LEFT_1(d, e, a, b, c, 15, 7);
    RIGHT_1(y, z, v, w, x, 5, 9);
    LEFT_1(c, d, e, a, b, 3, 15);
    RIGHT_1(x, y, z, v, w, 10, 11);
    LEFT_1(b, c, d, e, a, 12, 7);
    RIGHT_1(w, x, y, z, v, 14, 7);
    LEFT_1(a, b, c, d, e, 0, 12);
    RIGHT_1(v, w, x, y, z, 15, 7);
    LEFT_1(e, a, b, c, d, 9, 15);
    RIGHT_1(z, v, w, x, y, 8, 12);
    LEFT_1(d, e, a, b, c, 5, 9);
    RIGHT_1(y, z, v, w, x, 12, 7);
    LEFT_1(c, d, e, a, b, 2, 11);
    RIGHT_1(x, y, z, v, w, 4, 6);
    LEFT_1(b, c, d, e, a, 14, 7);
    RIGHT_1(w, x, y, z, v, 9, 15);
    LEFT_1(a, b, c, d, e, 11, 13);
    RIGHT_1(v, w, x, y, z, 1, 13);
    LEFT_1(e, a, b, c, d, 8, 12);
    RIGHT_1(z, v, w, x, y, 2, 11);
    LEFT_2(d, e, a, b, c, 3, 11);
    RIGHT_2(y, z, v, w, x, 15, 9);
    LEFT_2(c, d, e, a, b, 10, 13);
    RIGHT_2(x, y, z, v, w, 5, 7);
    LEFT_2(b, c, d, e, a, 14, 6);
    RIGHT_2(w, x, y, z, v, 1, 15);
    LEFT_2(a, b, c, d, e, 4, 7);
    RIGHT_2(v, w, x, y, z, 3, 11);
    LEFT_2(e, a, b, c, d, 9, 14);
    RIGHT_2(z, v, w, x, y, 7, 8);
    LEFT_2(d, e, a, b, c, 15, 9);
    RIGHT_2(y, z, v, w, x, 14, 6);
    LEFT_2(c, d, e, a, b, 8, 13);
    RIGHT_2(x, y, z, v, w, 6, 6);
    LEFT_2(b, c, d, e, a, 1, 15);
    RIGHT_2(w, x, y, z, v, 9, 14);
    LEFT_2(a, b, c, d, e, 2, 14);
    RIGHT_2(v, w, x, y, z, 11, 12);
    LEFT_2(e, a, b, c, d, 7, 8);
    RIGHT_2(z, v, w, x, y, 8, 13);
    LEFT_2(d, e, a, b, c, 0, 13);
    RIGHT_2(y, z, v, w, x, 12, 5);
    LEFT_2(c, d, e, a, b, 6, 6);
    RIGHT_2(x, y, z, v, w, 2, 14);
    LEFT_2(b, c, d, e, a, 13, 5);
    RIGHT_2(w, x, y, z, v, 10, 13);
    LEFT_2(a, b, c, d, e, 11, 12);
    RIGHT_2(v, w, x, y, z, 0, 13);
    LEFT_2(e, a, b, c, d, 5, 7);
    RIGHT_2(z, v, w, x, y, 4, 7);
    LEFT_2(d, e, a, b, c, 12, 5);
    RIGHT_2(y, z, v, w, x, 13, 5);
    LEFT_3(c, d, e, a, b, 1, 11);
    RIGHT_3(x, y, z, v, w, 8, 15);
    LEFT_3(b, c, d, e, a, 9, 12);
    RIGHT_3(w, x, y, z, v, 6, 5);
    LEFT_3(a, b, c, d, e, 11, 14);
    RIGHT_3(v, w, x, y, z, 4, 8);
    LEFT_3(e, a, b, c, d, 10, 15);
    RIGHT_3(z, v, w, x, y, 1, 11);
    LEFT_3(d, e, a, b, c, 0, 14);
    RIGHT_3(y, z, v, w, x, 3, 14);
    LEFT_3(c, d, e, a, b, 8, 15);
    RIGHT_3(x, y, z, v, w, 11, 14);
    LEFT_3(b, c, d, e, a, 12, 9);
    RIGHT_3(w, x, y, z, v, 15, 6);
    LEFT_3(a, b, c, d, e, 4, 8);
    RIGHT_3(v, w, x, y, z, 0, 14);
    LEFT_3(e, a, b, c, d, 13, 9);
    RIGHT_3(z, v, w, x, y, 5, 6);
    LEFT_3(d, e, a, b, c, 3, 14);
    RIGHT_3(y, z, v, w, x, 12, 9);
    LEFT_3(c, d, e, a, b, 7, 5);
    RIGHT_3(x, y, z, v, w, 2, 12);
    LEFT_3(b, c, d, e, a, 15, 6);
    RIGHT_3(w, x, y, z, v, 13, 9);
    LEFT_3(a, b, c, d, e, 14, 8);
    RIGHT_3(v, w, x, y, z, 9, 12);
    LEFT_3(e, a, b, c, d, 5, 6);
    RIGHT_3(z, v, w, x, y, 7, 5);
    LEFT_3(d, e, a, b, c, 6, 5);
    RIGHT_3(y, z, v, w, x, 10, 15);
    LEFT_3(c, d, e, a, b, 2, 12);
    RIGHT_3(x, y, z, v, w, 14, 8);
    LEFT_4(b, c, d, e, a, 4, 9);
    RIGHT_4(w, x, y, z, v, 12, 8);
    LEFT_4(a, b, c, d, e, 0, 15);
    RIGHT_4(v, w, x, y, z, 15, 5);
    LEFT_4(e, a, b, c, d, 5, 5);
    RIGHT_4(z, v, w, x, y, 10, 12);
    LEFT_4(d, e, a, b, c, 9, 11);
    RIGHT_4(y, z, v, w, x, 4, 9);
    LEFT_4(c, d, e, a, b, 7, 6);
    RIGHT_4(x, y, z, v, w, 1, 12);
    LEFT_4(b, c, d, e, a, 12, 8);
    RIGHT_4(w, x, y, z, v, 5, 5);
    LEFT_4(a, b, c, d, e, 2, 13);
    RIGHT_4(v, w, x, y, z, 8, 14);
    LEFT_4(e, a, b, c, d, 10, 12);
    RIGHT_4(z, v, w, x, y, 7, 6);
    LEFT_4(d, e, a, b, c, 14, 5);
    RIGHT_4(y, z, v, w, x, 6, 8);
    LEFT_4(c, d, e, a, b, 1, 12);
    RIGHT_4(x, y, z, v, w, 2, 13);
    LEFT_4(b, c, d, e, a, 3, 13);
    RIGHT_4(w, x, y, z, v, 13, 6);
    LEFT_4(a, b, c, d, e, 8, 14);
    RIGHT_4(v, w, x, y, z, 14, 5);
    LEFT_4(e, a, b, c, d, 11, 11);
    RIGHT_4(z, v, w, x, y, 0, 15);
    LEFT_4(d, e, a, b, c, 6, 8);
    RIGHT_4(y, z, v, w, x, 3, 13);
    LEFT_4(c, d, e, a, b, 15, 5);
    RIGHT_4(x, y, z, v, w, 9, 11);
    LEFT_4(b, c, d, e, a, 13, 6);
    RIGHT_4(w, x, y, z, v, 11, 11);
    y += c + h[1];
    h[1] = h[2] + d + z;
    h[2] = h[3] + e + v;
    h[3] = h[4] + a + w;
    h[4] = h[0] + b + x;
    h[0] = y;
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
