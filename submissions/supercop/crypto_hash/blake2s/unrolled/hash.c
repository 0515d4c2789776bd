/* SPDX-License-Identifier: CC0-1.0 */
/*
 * BLAKE2s with 32 bytes of output and no key, unrolled: the schedule is in the code.
 *
 * RFC 7693: constants are section 2.6, the message schedule 2.7, mixing 3.1, compression
 * 3.2, the whole 3.3.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64

/* Section 2.6. */
static const uint32_t IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (32 - (bits)))

#define MIX(A, B, C, D, x, y)                                                                     \
    do {                                                                                          \
        A += B + m[x];                                                                            \
        D = RIGHT(D ^ A, 16);                                                                     \
        C += D;                                                                                   \
        B = RIGHT(B ^ C, 12);                                                                     \
        A += B + m[y];                                                                            \
        D = RIGHT(D ^ A, 8);                                                                      \
        C += D;                                                                                   \
        B = RIGHT(B ^ C, 7);                                                                      \
    } while (0)

#define ROUND(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15)               \
    do {                                                                                          \
        MIX(v0, v4, v8, v12, s0, s1);                                                             \
        MIX(v1, v5, v9, v13, s2, s3);                                                             \
        MIX(v2, v6, v10, v14, s4, s5);                                                            \
        MIX(v3, v7, v11, v15, s6, s7);                                                            \
        MIX(v0, v5, v10, v15, s8, s9);                                                            \
        MIX(v1, v6, v11, v12, s10, s11);                                                          \
        MIX(v2, v7, v8, v13, s12, s13);                                                           \
        MIX(v3, v4, v9, v14, s14, s15);                                                           \
    } while (0)

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

/* `total` bytes were taken, with this block; `final` is all ones for the last block, or 0. */
static void compress(uint32_t h[8], const unsigned char block[BLOCK], uint64_t total,
                     uint32_t final)
{
    uint32_t m[16];
    uint32_t v0 = h[0];
    uint32_t v1 = h[1];
    uint32_t v2 = h[2];
    uint32_t v3 = h[3];
    uint32_t v4 = h[4];
    uint32_t v5 = h[5];
    uint32_t v6 = h[6];
    uint32_t v7 = h[7];
    uint32_t v8 = IV[0];
    uint32_t v9 = IV[1];
    uint32_t v10 = IV[2];
    uint32_t v11 = IV[3];
    uint32_t v12 = IV[4] ^ (uint32_t)total;
    uint32_t v13 = IV[5] ^ (uint32_t)(total >> 32);
    uint32_t v14 = IV[6] ^ final;
    uint32_t v15 = IV[7];
    int i;

    for (i = 0; i < 16; ++i)
        m[i] = load(block + 4 * i);
    ROUND(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    ROUND(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3);
    ROUND(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4);
    ROUND(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8);
    ROUND(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13);
    ROUND(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9);
    ROUND(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11);
    ROUND(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10);
    ROUND(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5);
    ROUND(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0);
    h[0] ^= v0 ^ v8;
    h[1] ^= v1 ^ v9;
    h[2] ^= v2 ^ v10;
    h[3] ^= v3 ^ v11;
    h[4] ^= v4 ^ v12;
    h[5] ^= v5 ^ v13;
    h[6] ^= v6 ^ v14;
    h[7] ^= v7 ^ v15;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[BLOCK] = {0};
    uint32_t h[8];
    uint64_t total = 0;
    unsigned int i;

    for (i = 0; i < 8; ++i)
        h[i] = IV[i];
    h[0] ^= 0x01010000 ^ crypto_hash_BYTES; /* no key, no tree */
    for (; inlen > BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in, total += BLOCK, 0);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    compress(h, last, total + inlen, ~(uint32_t)0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
