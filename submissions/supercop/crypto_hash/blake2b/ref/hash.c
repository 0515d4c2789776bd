/* SPDX-License-Identifier: CC0-1.0 */
/*
 * BLAKE2b with 64 bytes of output and no key.
 *
 * RFC 7693: constants are section 2.6, the message schedule 2.7, mixing 3.1, compression
 * 3.2, the whole 3.3.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 128

/* Section 2.6. */
static const uint64_t IV[8] = {
    0x6a09e667f3bcc908u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu, 0xa54ff53a5f1d36f1u,
    0x510e527fade682d1u, 0x9b05688c2b3e6c1fu, 0x1f83d9abfb41bd6bu, 0x5be0cd19137e2179u,
};

/* Section 2.7; rounds 10 and 11 use the first two lines again. */
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

static void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = right(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = right(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = right(v[b] ^ v[c], 63);
}

/* `total` bytes were taken, with this block; `final` is all ones for the last block, or 0. */
static void compress(uint64_t h[8], const unsigned char block[BLOCK], uint64_t total,
                     uint64_t final)
{
    uint64_t m[16] = {0};
    uint64_t v[16];
    const unsigned char *s;
    int i;

    for (i = 0; i < BLOCK; ++i)
        m[i / 8] |= (uint64_t)block[i] << 8 * (i % 8);
    for (i = 0; i < 8; ++i) {
        v[i] = h[i];
        v[8 + i] = IV[i];
    }
    v[12] ^= total;
    v[14] ^= final;
    for (i = 0; i < 12; ++i) {
        s = sigma[i % 10];
        mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (i = 0; i < 8; ++i)
        h[i] ^= v[i] ^ v[8 + i];
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[BLOCK] = {0};
    uint64_t h[8];
    uint64_t total = 0;
    unsigned int i;

    for (i = 0; i < 8; ++i)
        h[i] = IV[i];
    h[0] ^= 0x01010000 ^ crypto_hash_BYTES; /* no key, no tree */
    for (; inlen > BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in, total += BLOCK, 0);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    compress(h, last, total + inlen, ~(uint64_t)0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 8] >> 8 * (i % 8) & 255);
    return 0;
}
