/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Integers modulo p = 2^255 - 19 in ten signed limbs of 26, 25, 26, 25, ... bits: limb i has
 * the weight 2^ceil(25.5 i) (Bernstein, "Curve25519", PKC 2006, section 4).
 *
 * Bounds, for even and odd limbs: fe_mul, fe_scale and fe_frombytes give at most
 * 1.01 * 2^25 and 1.01 * 2^24. fe_mul takes sums and differences of up to four of these.
 * Right shifts of negative numbers are arithmetic, as in every compiler SUPERCOP uses.
 * Results may be operands.
 */
#ifndef FE_H
#define FE_H

#include <stdint.h>

typedef struct {
    int32_t v[10];
} fe;

static inline void fe_add(fe *r, const fe *a, const fe *b)
{
    for (int i = 0; i < 10; ++i)
        r->v[i] = a->v[i] + b->v[i];
}

static inline void fe_sub(fe *r, const fe *a, const fe *b)
{
    for (int i = 0; i < 10; ++i)
        r->v[i] = a->v[i] - b->v[i];
}

/* Exchange a and b if swap is 1, nothing if it is 0. */
static inline void fe_swap(fe *a, fe *b, unsigned int swap)
{
    const int32_t mask = -(int32_t)swap;

    for (int i = 0; i < 10; ++i) {
        const int32_t t = mask & (a->v[i] ^ b->v[i]);
        a->v[i] ^= t;
        b->v[i] ^= t;
    }
}

/* Bring ten sums, each below 2^62, into limbs. */
static inline void fe_carry(fe *r, int64_t h[10])
{
    int64_t c;

    for (int i = 0; i < 10; ++i) {
        const int bits = 26 - (i & 1);
        c = (h[i] + ((int64_t)1 << (bits - 1))) >> bits;
        h[i] -= c * ((int64_t)1 << bits);
        if (i < 9)
            h[i + 1] += c;
    }
    h[0] += 19 * c; /* 2^255 = 19 */
    c = (h[0] + ((int64_t)1 << 25)) >> 26;
    h[0] -= c * ((int64_t)1 << 26);
    h[1] += c;
    for (int i = 0; i < 10; ++i)
        r->v[i] = (int32_t)h[i];
}

/*
 * Odd limb times odd limb: the weights give one power of 2 more than that of limb i + j.
 * The largest sum is h[0]: 1 + 4 * 19 products of even limbs and 5 * 19 of odd ones, doubled:
 * (77 + 190/4) (2.02 * 2^26)^2 < 2^61.1.
 */
static inline void fe_mul(fe *r, const fe *a, const fe *b)
{
    int64_t h[19] = {0};

    for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j)
            h[i + j] += (int64_t)a->v[i] * (b->v[j] * (1 + (i & j & 1)));
    for (int i = 0; i < 9; ++i)
        h[i] += 19 * h[i + 10];
    fe_carry(r, h);
}

/* r = a * factor, 0 <= factor < 2^17. */
static inline void fe_scale(fe *r, const fe *a, int32_t factor)
{
    int64_t h[10];

    for (int i = 0; i < 10; ++i)
        h[i] = (int64_t)a->v[i] * factor;
    fe_carry(r, h);
}

/* 32 bytes, little-endian; the top bit is ignored. */
static inline void fe_frombytes(fe *r, const unsigned char s[32])
{
    int64_t h[10];

    for (int i = 0; i < 10; ++i) {
        const int from = (51 * i + 1) / 2;
        const unsigned char *t = s + from / 8;
        const uint32_t word =
            t[0] | (uint32_t)t[1] << 8 | (uint32_t)t[2] << 16 | (uint32_t)t[3] << 24;
        h[i] = (word >> (from % 8)) & (((uint32_t)1 << (26 - (i & 1))) - 1);
    }
    fe_carry(r, h);
}

/* The one representative in 0 ... p-1. */
static inline void fe_tobytes(unsigned char s[32], const fe *a)
{
    int32_t h[10];
    int32_t q = (19 * a->v[9] + ((int32_t)1 << 24)) >> 25;
    uint64_t sum = 0;
    int have = 0;

    for (int i = 0; i < 10; ++i) { /* q = floor(a / p) */
        h[i] = a->v[i];
        q = (h[i] + q) >> (26 - (i & 1));
    }
    h[0] += 19 * q; /* a - q p = a + 19 q - 2^255 q; the last carry drops 2^255 q */
    for (int i = 0; i < 10; ++i) {
        const int bits = 26 - (i & 1);
        const int32_t c = h[i] >> bits;
        h[i] -= c * ((int32_t)1 << bits);
        if (i < 9)
            h[i + 1] += c;
        sum |= (uint64_t)h[i] << have;
        for (have += bits; have >= 8; have -= 8, sum >>= 8)
            *s++ = (unsigned char)sum;
    }
    *s = (unsigned char)sum; /* 255 bits: seven are left */
}

#endif
