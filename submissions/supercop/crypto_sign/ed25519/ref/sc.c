/* SPDX-License-Identifier: CC0-1.0 */
/* Scalars: one step of Horner's rule modulo L does everything. */
#include <stdint.h>

#include "sc.h"

static const uint32_t order[8] = {0x5cf5d3ed, 0x5812631a, 0xa2f79cd6, 0x14def9de,
                                  0,          0,          0,          0x10000000};

/*
 * r = m r + d a mod L, for r < L, a < 2^256, m <= 256, d <= 255. With w = m r + d a < 2^265 and
 * q = floor(w / 2^252) < 2^13: w - q L lies in -2^138 ... 2^252, so at most one L is missing.
 */
static void horner(uint32_t r[8], uint32_t m, uint32_t d, const uint32_t a[8])
{
    uint32_t w[9], q, missing;
    uint64_t sum = 0;
    int64_t difference = 0;

    for (int i = 0; i < 8; ++i) {
        sum += (uint64_t)m * r[i] + (uint64_t)d * a[i];
        w[i] = (uint32_t)sum;
        sum >>= 32;
    }
    w[8] = (uint32_t)sum;
    q = w[8] << 4 | w[7] >> 28;

    for (int i = 0; i < 8; ++i) {
        difference += (int64_t)w[i] - (int64_t)((uint64_t)q * order[i]);
        r[i] = (uint32_t)difference;
        difference >>= 32;
    }
    missing = (uint32_t)(difference + w[8]); /* 0, or -1 if negative */

    sum = 0;
    for (int i = 0; i < 8; ++i) {
        sum += (uint64_t)r[i] + (order[i] & missing);
        r[i] = (uint32_t)sum;
        sum >>= 32;
    }
}

static void load(uint32_t w[8], const unsigned char s[32])
{
    for (int i = 0; i < 8; ++i, s += 4)
        w[i] = s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 | (uint32_t)s[3] << 24;
}

static void store(unsigned char s[32], const uint32_t w[8])
{
    for (int i = 0; i < 32; ++i)
        s[i] = (unsigned char)(w[i / 4] >> (8 * (i % 4)));
}

void sc_reduce(unsigned char r[32], const unsigned char *s, int bytes)
{
    static const uint32_t one[8] = {1};
    uint32_t w[8] = {0};

    for (int i = bytes - 1; i >= 0; --i)
        horner(w, 256, s[i], one);
    store(r, w);
}

void sc_multiply_add(unsigned char r[32], const unsigned char a[32], const unsigned char b[32],
                     const unsigned char c[32])
{
    uint32_t w[8] = {0}, factor[8], summand[8];

    load(factor, b);
    load(summand, c);
    for (int i = 31; i >= 0; --i)
        horner(w, 256, a[i], factor);
    horner(w, 1, 1, summand);
    store(r, w);
}
