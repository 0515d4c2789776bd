/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Skein-512-512: Ferguson and others: The Skein hash function family, version 1.3 (2010):
 * Threefish is section 3.3, UBI 3.4, Skein 3.5; the constants are those of tables 3, 4 and 7.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define WORDS 8
#define BLOCK 64
#define ROUNDS 72

#define C240 UINT64_C(0x1bd11bdaa9fc1a22)

/* Section 3.5.1: types of blocks; then the flags of the tweak, section 3.4.1. */
#define CONFIGURATION ((uint64_t)4 << 56)
#define MESSAGE ((uint64_t)48 << 56)
#define OUTPUT ((uint64_t)63 << 56)
#define FIRST ((uint64_t)1 << 62)
#define FINAL ((uint64_t)1 << 63)

/* Table 3. */
static const unsigned char permutation[WORDS] = {2, 1, 4, 7, 6, 5, 0, 3};

/* Table 4. */
static const unsigned char rotations[8][WORDS / 2] = {
    {46, 36, 19, 37}, {33, 27, 14, 42}, {17, 49, 36, 39}, {44, 9, 54, 56},
    {39, 30, 34, 24}, {13, 50, 10, 17}, {25, 29, 39, 43}, {8, 35, 56, 22},
};

/* Section 3.3.2: add subkey number s; `key` and `tweak` hold their words of parity too. */
static void add_subkey(uint64_t v[WORDS], const uint64_t key[WORDS + 1], const uint64_t tweak[3],
                       unsigned int s)
{
    unsigned int i;

    for (i = 0; i < WORDS; ++i)
        v[i] += key[(s + i) % (WORDS + 1)];
    v[WORDS - 3] += tweak[s % 3];
    v[WORDS - 2] += tweak[(s + 1) % 3];
    v[WORDS - 1] += s;
}

/* Section 3.3.1: mix pairs of words, then permute. */
static void threefish_round(uint64_t v[WORDS], unsigned int d)
{
    uint64_t f[WORDS];
    int i, bits;

    for (i = 0; i < WORDS; i += 2) {
        bits = rotations[d % 8][i / 2];
        f[i] = v[i] + v[i + 1];
        f[i + 1] = (v[i + 1] << bits | v[i + 1] >> (64 - bits)) ^ f[i];
    }
    for (i = 0; i < WORDS; ++i)
        v[i] = f[permutation[i]];
}

/* Section 3.4: one block of UBI; `position` bytes have been taken with it. */
static void block(uint64_t g[WORDS], const unsigned char in[BLOCK], uint64_t position,
                  uint64_t flags)
{
    const uint64_t tweak[3] = {position, flags, position ^ flags};
    uint64_t key[WORDS + 1];
    uint64_t m[WORDS] = {0};
    uint64_t v[WORDS];
    unsigned int i;

    for (i = 0; i < BLOCK; ++i)
        m[i / 8] |= (uint64_t)in[i] << 8 * (i % 8);
    key[WORDS] = C240;
    for (i = 0; i < WORDS; ++i) {
        key[i] = g[i];
        key[WORDS] ^= g[i];
        v[i] = m[i];
    }
    for (i = 0; i < ROUNDS; ++i) {
        if (i % 4 == 0)
            add_subkey(v, key, tweak, i / 4);
        threefish_round(v, i);
    }
    add_subkey(v, key, tweak, ROUNDS / 4);
    for (i = 0; i < WORDS; ++i)
        g[i] = v[i] ^ m[i];
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
