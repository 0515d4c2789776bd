/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Integers modulo p = 2^255 - 19 in five unsigned limbs of 51 bits, for machines with
 * 64 x 64 -> 128 bit products (Bernstein, Duif, Lange, Schwabe, Yang, "High-speed high-security
 * signatures", CHES 2011, section 3).
 *
 * Bounds: fe_mul, fe_scale and fe_frombytes give limbs below 2^51 + 2^18. fe_add gives the sum,
 * fe_sub takes a subtrahend below 2^52 and adds 4p. fe_mul takes limbs below 2^54. Results may
 * be operands.
 */
#ifndef FE_H
#define FE_H

#include <stdint.h>

#ifndef __SIZEOF_INT128__
#error "limbs51 needs unsigned __int128, which this target has not: use ref"
#endif

typedef struct {
    uint64_t v[5];
} fe;

typedef unsigned __int128 fe_product;

#define FE_MASK (((uint64_t)1 << 51) - 1)

static inline void fe_add(fe *r, const fe *a, const fe *b)
{
    for (int i = 0; i < 5; ++i)
        r->v[i] = a->v[i] + b->v[i];
}

static inline void fe_sub(fe *r, const fe *a, const fe *b)
{
    r->v[0] = a->v[0] + 4 * (FE_MASK - 18) - b->v[0];
    for (int i = 1; i < 5; ++i)
        r->v[i] = a->v[i] + 4 * FE_MASK - b->v[i];
}

/* Exchange a and b if swap is 1, nothing if it is 0. */
static inline void fe_swap(fe *a, fe *b, unsigned int swap)
{
    const uint64_t mask = -(uint64_t)swap;

    for (int i = 0; i < 5; ++i) {
        const uint64_t t = mask & (a->v[i] ^ b->v[i]);
        a->v[i] ^= t;
        b->v[i] ^= t;
    }
}

/* Bring five sums, each below 2^115, into limbs. */
static inline void fe_carry(fe *r, const fe_product h[5])
{
    fe_product c = 0;

    for (int i = 0; i < 5; ++i) {
        c += h[i];
        r->v[i] = (uint64_t)c & FE_MASK;
        c >>= 51;
    }
    c = c * 19 + r->v[0]; /* 2^255 = 19 */
    r->v[0] = (uint64_t)c & FE_MASK;
    r->v[1] += (uint64_t)(c >> 51);
}

/* Limbs below 2^54: h[i] < 5 * 19 * 2^108 < 2^115. */
static inline void fe_mul(fe *r, const fe *a, const fe *b)
{
    fe_product h[5] = {0};

    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 5; ++j)
            h[(i + j) % 5] += (fe_product)a->v[i] * (b->v[j] * (i + j < 5 ? 1 : 19));
    fe_carry(r, h);
}

/* r = a * factor, 0 <= factor < 2^17. */
static inline void fe_scale(fe *r, const fe *a, uint64_t factor)
{
    fe_product h[5];

    for (int i = 0; i < 5; ++i)
        h[i] = (fe_product)a->v[i] * factor;
    fe_carry(r, h);
}

/* 32 bytes, little-endian; the top bit is ignored. */
static inline void fe_frombytes(fe *r, const unsigned char s[32])
{
    uint64_t w[4] = {0};

    for (int i = 0; i < 32; ++i)
        w[i / 8] |= (uint64_t)s[i] << (8 * (i % 8));
    r->v[0] = w[0] & FE_MASK;
    r->v[1] = (w[0] >> 51 | w[1] << 13) & FE_MASK;
    r->v[2] = (w[1] >> 38 | w[2] << 26) & FE_MASK;
    r->v[3] = (w[2] >> 25 | w[3] << 39) & FE_MASK;
    r->v[4] = (w[3] >> 12) & FE_MASK;
}

/* The one representative in 0 ... p-1. */
static inline void fe_tobytes(unsigned char s[32], const fe *a)
{
    uint64_t h[5], w[4], c = 19;

    /* a < 2^255 + 2^70 < 2p: q = floor((a + 19) / 2^255) is 0 for a < p, 1 for a >= p. */
    for (int i = 0; i < 5; ++i)
        c = (a->v[i] + c) >> 51;
    c *= 19; /* a - q p = a + 19 q - 2^255 q; the last mask drops 2^255 q */
    for (int i = 0; i < 5; ++i) {
        c += a->v[i];
        h[i] = c & FE_MASK;
        c >>= 51;
    }
    w[0] = h[0] | h[1] << 51;
    w[1] = h[1] >> 13 | h[2] << 38;
    w[2] = h[2] >> 26 | h[3] << 25;
    w[3] = h[3] >> 39 | h[4] << 12;
    for (int i = 0; i < 32; ++i)
        s[i] = (unsigned char)(w[i / 8] >> (8 * (i % 8)));
}

#endif
