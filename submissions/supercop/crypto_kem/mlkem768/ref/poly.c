/* SPDX-License-Identifier: CC0-1.0 */
/* Polynomials of ML-KEM: FIPS 203, sections 4.2 and 4.3. */
#include "poly.h"

#include "keccak.h"

/* 17^BitRev7(i) mod q (appendix A) */
static const uint16_t zetas[128] = {
    1,    1729, 2580, 3289, 2642, 630,  1897, 848,  1062, 1919, 193,  797,  2786, 3260, 569,
    1746, 296,  2447, 1339, 1476, 3046, 56,   2240, 1333, 1426, 2094, 535,  2882, 2393, 2879,
    1974, 821,  289,  331,  3253, 1756, 1197, 2304, 2277, 2055, 650,  1977, 2513, 632,  2865,
    33,   1320, 1915, 2319, 1435, 807,  452,  1438, 2868, 1534, 2402, 2647, 2617, 1481, 648,
    2474, 3110, 1227, 910,  17,   2761, 583,  2649, 1637, 723,  2288, 1100, 1409, 2662, 3281,
    233,  756,  2156, 3015, 3050, 1703, 1651, 2789, 1789, 1847, 952,  1461, 2687, 939,  2308,
    2437, 2388, 733,  2337, 268,  641,  1584, 2298, 2037, 3220, 375,  2549, 2090, 1645, 1063,
    319,  2773, 757,  2099, 561,  2466, 2594, 2804, 1092, 403,  1026, 1143, 2150, 2775, 886,
    1722, 1212, 1874, 1029, 2110, 2935, 885,  2154};

/*
 * floor(x / q), exact for x < 41522341, without a division, which may take a time that depends
 * on x: 20642679 q = 2^36 + 1655, so the error of the quotient is below 1/q while
 * 1655 x < 2^36.
 */
static inline uint32_t quotient(uint32_t x)
{
    return (uint32_t)((uint64_t)x * 20642679 >> 36);
}

/* x mod q, for the same x: two products of coefficients and a coefficient are allowed. */
static inline uint16_t reduce(uint32_t x)
{
    return (uint16_t)(x - Q * quotient(x));
}

/* x mod q for x < 2q */
static inline uint16_t reduce_once(uint32_t x)
{
    const uint32_t t = x - Q;

    return (uint16_t)(t + (Q & (0u - (t >> 31))));
}

void poly_uniform(poly *r, const unsigned char rho[32], unsigned char i, unsigned char j)
{
    const unsigned char place[2] = {j, i};
    unsigned char b[3];
    keccak k;
    int n = 0;

    keccak_start(&k, SHAKE128_RATE);
    keccak_absorb(&k, rho, 32);
    keccak_absorb(&k, place, 2);
    keccak_finish(&k, SHAKE_SUFFIX);
    while (n < 256) {
        keccak_squeeze(&k, b, 3);
        const int d1 = b[0] + 256 * (b[1] % 16), d2 = b[1] / 16 + 16 * b[2];
        if (d1 < Q)
            r->c[n++] = (uint16_t)d1;
        if (d2 < Q && n < 256)
            r->c[n++] = (uint16_t)d2;
    }
}

void poly_noise(poly *r, const unsigned char seed[32], unsigned char n)
{
    unsigned char bytes[128];
    keccak k;

    keccak_start(&k, SHAKE256_RATE);
    keccak_absorb(&k, seed, 32);
    keccak_absorb(&k, &n, 1);
    keccak_finish(&k, SHAKE_SUFFIX);
    keccak_squeeze(&k, bytes, sizeof bytes);
    for (int i = 0; i < 256; ++i) {
        const uint32_t b = bytes[i / 2] >> (4 * (i & 1));
        r->c[i] = reduce_once(Q + (b & 1) + (b >> 1 & 1) - (b >> 2 & 1) - (b >> 3 & 1));
    }
}

void poly_ntt(poly *f)
{
    int i = 1;

    for (int length = 128; length >= 2; length /= 2)
        for (int start = 0; start < 256; start += 2 * length) {
            const uint32_t zeta = zetas[i++];
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = reduce(zeta * f->c[j + length]);
                f->c[j + length] = reduce_once(f->c[j] + Q - t);
                f->c[j] = reduce_once(f->c[j] + t);
            }
        }
}

void poly_inverse_ntt(poly *f)
{
    int i = 127;

    for (int length = 2; length <= 128; length *= 2)
        for (int start = 0; start < 256; start += 2 * length) {
            const uint32_t zeta = zetas[i--];
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = f->c[j];
                f->c[j] = reduce_once(t + f->c[j + length]);
                f->c[j + length] = reduce(zeta * (f->c[j + length] + Q - t));
            }
        }
    for (int j = 0; j < 256; ++j)
        f->c[j] = reduce(f->c[j] * 3303u); /* 1/128 */
}

void poly_add(poly *r, const poly *a)
{
    for (int i = 0; i < 256; ++i)
        r->c[i] = reduce_once((uint32_t)r->c[i] + a->c[i]);
}

void poly_subtract(poly *r, const poly *a)
{
    for (int i = 0; i < 256; ++i)
        r->c[i] = reduce_once((uint32_t)r->c[i] + Q - a->c[i]);
}

/* gamma = 17^(2 BitRev7(i) + 1) is zetas[64 + i/2] for even i and its negative for odd i. */
void poly_add_product(poly *r, const poly *a, const poly *b)
{
    for (int i = 0; i < 128; ++i) {
        const uint32_t gamma = (i & 1) ? (uint32_t)Q - zetas[64 + i / 2] : zetas[64 + i / 2];
        const uint32_t a0 = a->c[2 * i], a1 = a->c[2 * i + 1];
        const uint32_t b0 = b->c[2 * i], b1 = b->c[2 * i + 1];

        r->c[2 * i] = reduce(r->c[2 * i] + a0 * b0 + reduce(a1 * b1) * gamma);
        r->c[2 * i + 1] = reduce(r->c[2 * i + 1] + a0 * b1 + a1 * b0);
    }
}

/* (2^d x + 1664) / q, rounded down, is 2^d x / q, rounded to the nearest: q is odd. */
void poly_compress(poly *f, int d)
{
    for (int i = 0; i < 256; ++i)
        f->c[i] = (uint16_t)(quotient(((uint32_t)f->c[i] << d) + Q / 2) & ((1u << d) - 1));
}

void poly_decompress(poly *f, int d)
{
    for (int i = 0; i < 256; ++i)
        f->c[i] = (uint16_t)(((uint32_t)f->c[i] * Q + (1u << (d - 1))) >> d);
}

void poly_encode(unsigned char *out, const poly *f, int d)
{
    uint32_t bits = 0;
    int have = 0;

    for (int i = 0; i < 256; ++i) {
        bits |= (uint32_t)f->c[i] << have;
        for (have += d; have >= 8; have -= 8, bits >>= 8)
            *out++ = (unsigned char)bits;
    }
}

void poly_decode(poly *f, const unsigned char *in, int d)
{
    uint32_t bits = 0;
    int have = 0;

    for (int i = 0; i < 256; ++i) {
        for (; have < d; have += 8)
            bits |= (uint32_t)*in++ << have;
        f->c[i] = (uint16_t)(bits & ((1u << d) - 1));
        bits >>= d;
        have -= d;
    }
}
