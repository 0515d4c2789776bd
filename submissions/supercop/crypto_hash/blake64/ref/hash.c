/* SPDX-License-Identifier: CC0-1.0 */
/*
 * BLAKE-64, as in the second round of the SHA-3 competition: Aumasson, Henzen, Meier, Phan:
 * SHA-3 proposal BLAKE, version 1.3 (2009): constants are section 2.2.1, the compression
 * 2.2.2, the whole 2.2.3; the salt is zero.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 128
#define ROUNDS 14

static const uint64_t IV[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

/* The first digits of pi. */
static const uint64_t c[16] = {
    0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u,
    0x452821e638d01377u, 0xbe5466cf34e90c6cu, 0xc0ac29b7c97c50ddu, 0x3f84d5b5b5470917u,
    0x9216d5d98979fb1bu, 0xd1310ba698dfb5acu, 0x2ffd72dbd01adfb7u, 0xb8e1afed6a267e96u,
    0xba7c9045f12c7f99u, 0x24a19947b3916cf7u, 0x0801f2e2858efc16u, 0x636920d871574e69u,
};

static const unsigned char sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static uint64_t right(uint64_t u, int bits)
{
    return u >> bits | u << (64 - bits);
}

/* G number i of a round, whose permutation is s. */
static void G(uint64_t v[16], const uint64_t m[16], const unsigned char s[16], int i)
{
    const int x = s[2 * i], y = s[2 * i + 1];
    uint64_t *const A = &v[i % 4];
    uint64_t *const B = &v[4 + (i < 4 ? i : i + 1) % 4];
    uint64_t *const C = &v[8 + (i < 4 ? i : i + 2) % 4];
    uint64_t *const D = &v[12 + (i < 4 ? i : i + 3) % 4];

    *A += *B + (m[x] ^ c[y]);
    *D = right(*D ^ *A, 32);
    *C += *D;
    *B = right(*B ^ *C, 25);
    *A += *B + (m[y] ^ c[x]);
    *D = right(*D ^ *A, 16);
    *C += *D;
    *B = right(*B ^ *C, 11);
}

/* `t` bits of the message were taken, with this block. */
static void compress(uint64_t h[8], const unsigned char block[BLOCK], uint64_t t)
{
    uint64_t m[16] = {0};
    uint64_t v[16];
    int r, i;

    for (i = 0; i < BLOCK; ++i)
        m[i / 8] |= (uint64_t)block[i] << (56 - 8 * (i % 8));
    for (i = 0; i < 8; ++i) {
        v[i] = h[i];
        v[8 + i] = c[i];
    }
    v[12] ^= t; /* and its upper half, for v[14] and v[15], is 0 */
    v[13] ^= t;
    for (r = 0; r < ROUNDS; ++r)
        for (i = 0; i < 8; ++i)
            G(v, m, sigma[r % 10], i);
    for (i = 0; i < 8; ++i)
        h[i] ^= v[i] ^ v[8 + i];
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[2 * BLOCK] = {0};
    uint64_t h[8];
    uint64_t bits = 0;
    unsigned int size, i;

    for (i = 0; i < 8; ++i)
        h[i] = IV[i];
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in, bits += 8 * BLOCK);
    bits += 8 * inlen;
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < BLOCK - 16 ? BLOCK : 2 * BLOCK;
    last[size - 17] |= 0x01;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(bits >> 8 * i & 255);
    /* The counter is 0 with a block that has no bit of the message. */
    compress(h, last, inlen > 0 ? bits : 0);
    if (size > BLOCK)
        compress(h, last + BLOCK, 0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 8] >> (56 - 8 * (i % 8)) & 255);
    return 0;
}
