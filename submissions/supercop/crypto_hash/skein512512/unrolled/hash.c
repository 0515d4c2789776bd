/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Skein-512-512, unrolled: Ferguson and others: The Skein hash function family, version 1.3
 * (2010): Threefish is section 3.3, UBI 3.4, Skein 3.5; the constants are those of tables 3, 4
 * and 7.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define WORDS 8
#define BLOCK 64

#define C240 UINT64_C(0x1bd11bdaa9fc1a22)

/* Section 3.5.1: types of blocks; then the flags of the tweak, section 3.4.1. */
#define CONFIGURATION ((uint64_t)4 << 56)
#define MESSAGE ((uint64_t)48 << 56)
#define OUTPUT ((uint64_t)63 << 56)
#define FIRST ((uint64_t)1 << 62)
#define FINAL ((uint64_t)1 << 63)

/* Section 3.3.1, with table 4; words are not moved, the next round takes others. */
#define MIX(a, b, bits)                                                                           \
    do {                                                                                          \
        a += b;                                                                                   \
        b = (b << (bits) | b >> (64 - (bits))) ^ a;                                               \
    } while (0)

#define ROUND(a, b, c, d, e, f, g, h, r0, r1, r2, r3)                                             \
    do {                                                                                          \
        MIX(a, b, r0);                                                                            \
        MIX(c, d, r1);                                                                            \
        MIX(e, f, r2);                                                                            \
        MIX(g, h, r3);                                                                            \
    } while (0)

/* Section 3.3.2. */
#define ADD_SUBKEY(s)                                                                             \
    do {                                                                                          \
        v0 += key[((s) + 0) % 9];                                                                 \
        v1 += key[((s) + 1) % 9];                                                                 \
        v2 += key[((s) + 2) % 9];                                                                 \
        v3 += key[((s) + 3) % 9];                                                                 \
        v4 += key[((s) + 4) % 9];                                                                 \
        v5 += key[((s) + 5) % 9] + tweak[(s) % 3];                                                \
        v6 += key[((s) + 6) % 9] + tweak[((s) + 1) % 3];                                          \
        v7 += key[((s) + 7) % 9] + (s);                                                           \
    } while (0)

#define EIGHT_ROUNDS(s)                                                                           \
    do {                                                                                          \
        ADD_SUBKEY(s);                                                                            \
        ROUND(v0, v1, v2, v3, v4, v5, v6, v7, 46, 36, 19, 37);                                    \
        ROUND(v2, v1, v4, v7, v6, v5, v0, v3, 33, 27, 14, 42);                                    \
        ROUND(v4, v1, v6, v3, v0, v5, v2, v7, 17, 49, 36, 39);                                    \
        ROUND(v6, v1, v0, v7, v2, v5, v4, v3, 44, 9, 54, 56);                                     \
        ADD_SUBKEY((s) + 1);                                                                      \
        ROUND(v0, v1, v2, v3, v4, v5, v6, v7, 39, 30, 34, 24);                                    \
        ROUND(v2, v1, v4, v7, v6, v5, v0, v3, 13, 50, 10, 17);                                    \
        ROUND(v4, v1, v6, v3, v0, v5, v2, v7, 25, 29, 39, 43);                                    \
        ROUND(v6, v1, v0, v7, v2, v5, v4, v3, 8, 35, 56, 22);                                     \
    } while (0)

static uint64_t load(const unsigned char *x)
{
    return (uint64_t)x[0] | (uint64_t)x[1] << 8 | (uint64_t)x[2] << 16 | (uint64_t)x[3] << 24 |
           (uint64_t)x[4] << 32 | (uint64_t)x[5] << 40 | (uint64_t)x[6] << 48 |
           (uint64_t)x[7] << 56;
}

/* Section 3.4: one block of UBI; `position` bytes have been taken with it. */
static void block(uint64_t g[WORDS], const unsigned char in[BLOCK], uint64_t position,
                  uint64_t flags)
{
    const uint64_t tweak[3] = {position, flags, position ^ flags};
    uint64_t key[WORDS + 1], m[WORDS];
    uint64_t v0, v1, v2, v3, v4, v5, v6, v7;
    unsigned int i;

    key[WORDS] = C240;
    for (i = 0; i < WORDS; ++i) {
        m[i] = load(in + 8 * i);
        key[i] = g[i];
        key[WORDS] ^= g[i];
    }
    v0 = m[0];
    v1 = m[1];
    v2 = m[2];
    v3 = m[3];
    v4 = m[4];
    v5 = m[5];
    v6 = m[6];
    v7 = m[7];
    EIGHT_ROUNDS(0);
    EIGHT_ROUNDS(2);
    EIGHT_ROUNDS(4);
    EIGHT_ROUNDS(6);
    EIGHT_ROUNDS(8);
    EIGHT_ROUNDS(10);
    EIGHT_ROUNDS(12);
    EIGHT_ROUNDS(14);
    EIGHT_ROUNDS(16);
    ADD_SUBKEY(18);
    g[0] = v0 ^ m[0];
    g[1] = v1 ^ m[1];
    g[2] = v2 ^ m[2];
    g[3] = v3 ^ m[3];
    g[4] = v4 ^ m[4];
    g[5] = v5 ^ m[5];
    g[6] = v6 ^ m[6];
    g[7] = v7 ^ m[7];
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    /* Table 7: "SHA3", version 1, bits of output; no tree. */
    const unsigned char configuration[BLOCK] = {'S', 'H', 'A', '3', 1, 0, 0, 0, 0, 2};
    const unsigned char counter[BLOCK] = {0};
    unsigned char last[BLOCK] = {0};
    uint64_t g[WORDS] = {0};
    uint64_t position = 0;
    uint64_t first = FIRST;
    unsigned int i;

    block(g, configuration, 32, CONFIGURATION | FIRST | FINAL);
    for (; inlen > BLOCK; in += BLOCK, inlen -= BLOCK) {
        block(g, in, position += BLOCK, MESSAGE | first);
        first = 0;
    }
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    block(g, last, position + inlen, MESSAGE | first | FINAL);
    block(g, counter, 8, OUTPUT | FIRST | FINAL);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(g[i / 8] >> 8 * (i % 8) & 255);
    return 0;
}
