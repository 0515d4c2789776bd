/* SPDX-License-Identifier: CC0-1.0 */
/* Polynomials of ML-DSA-44: FIPS 204, section 7. */
#include "poly.h"

#include "crypto_declassify.h"
#include "keccak.h"

#include <string.h>

/* 1753^BitRev8(i) mod q (appendix B) */
static const uint32_t zetas[N] = {
    1, 4808194, 3765607, 3761513, 5178923, 5496691, 5234739, 5178987, 7778734, 3542485, 2682288,
    2129892, 3764867, 7375178, 557458, 7159240, 5010068, 4317364, 2663378, 6705802, 4855975,
    7946292, 676590, 7044481, 5152541, 1714295, 2453983, 1460718, 7737789, 4795319, 2815639,
    2283733, 3602218, 3182878, 2740543, 4793971, 5269599, 2101410, 3704823, 1159875, 394148,
    928749, 1095468, 4874037, 2071829, 4361428, 3241972, 2156050, 3415069, 1759347, 7562881,
    4805951, 3756790, 6444618, 6663429, 4430364, 5483103, 3192354, 556856, 3870317, 2917338,
    1853806, 3345963, 1858416, 3073009, 1277625, 5744944, 3852015, 4183372, 5157610, 5258977,
    8106357, 2508980, 2028118, 1937570, 4564692, 2811291, 5396636, 7270901, 4158088, 1528066,
    482649, 1148858, 5418153, 7814814, 169688, 2462444, 5046034, 4213992, 4892034, 1987814,
    5183169, 1736313, 235407, 5130263, 3258457, 5801164, 1787943, 5989328, 6125690, 3482206,
    4197502, 7080401, 6018354, 7062739, 2461387, 3035980, 621164, 3901472, 7153756, 2925816,
    3374250, 1356448, 5604662, 2683270, 5601629, 4912752, 2312838, 7727142, 7921254, 348812,
    8052569, 1011223, 6026202, 4561790, 6458164, 6143691, 1744507, 1753, 6444997, 5720892,
    6924527, 2660408, 6600190, 8321269, 2772600, 1182243, 87208, 636927, 4415111, 4423672,
    6084020, 5095502, 4663471, 8352605, 822541, 1009365, 5926272, 6400920, 1596822, 4423473,
    4620952, 6695264, 4969849, 2678278, 4611469, 4829411, 635956, 8129971, 5925040, 4234153,
    6607829, 2192938, 6653329, 2387513, 4768667, 8111961, 5199961, 3747250, 2296099, 1239911,
    4541938, 3195676, 2642980, 1254190, 8368000, 2998219, 141835, 8291116, 2513018, 7025525,
    613238, 7070156, 6161950, 7921677, 6458423, 4040196, 4908348, 2039144, 6500539, 7561656,
    6201452, 6757063, 2105286, 6006015, 6346610, 586241, 7200804, 527981, 5637006, 6903432,
    1994046, 2491325, 6987258, 507927, 7192532, 7655613, 6545891, 5346675, 8041997, 2647994,
    3009748, 5767564, 4148469, 749577, 4357667, 3980599, 2569011, 6764887, 1723229, 1665318,
    2028038, 1163598, 5011144, 3994671, 8368538, 7009900, 3020393, 3363542, 214880, 545376,
    7609976, 3105558, 7277073, 508145, 7826699, 860144, 3430436, 140244, 6866265, 6195333,
    3123762, 2358373, 6187330, 5365997, 6663603, 2926054, 7987710, 8077412, 3531229, 4405932,
    4606686, 1900052, 7598542, 1054478, 7648983};

/* x mod q for x < 2q */
static uint32_t reduce_once(uint32_t x)
{
    const uint32_t t = x - Q;

    return t + (Q & (0u - (t >> 31)));
}

/*
 * a b mod q for a, b < q, without a division, which may take a time that depends on x. As
 * q = 2^23 - 2^13 + 1, what is above bit 23 counts 2^13 - 1 times: x < 2^46 becomes less than
 * 2^37, then less than 2^28, then less than 2q.
 */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint64_t x = (uint64_t)a * b;
    uint32_t y;

    x = (x >> 23) * 8191 + (x & 0x7fffff);
    y = (uint32_t)(x >> 23) * 8191 + (uint32_t)(x & 0x7fffff);
    y = (y >> 23) * 8191 + (y & 0x7fffff);
    return reduce_once(y);
}

void poly_ntt(poly *f)
{
    int i = 1;

    for (int length = 128; length >= 1; length /= 2)
        for (int start = 0; start < N; start += 2 * length) {
            const uint32_t zeta = zetas[i++];
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = multiply(zeta, f->c[j + length]);
                f->c[j + length] = reduce_once(f->c[j] + Q - t);
                f->c[j] = reduce_once(f->c[j] + t);
            }
        }
}

void poly_inverse_ntt(poly *f)
{
    int i = 255;

    for (int length = 1; length <= 128; length *= 2)
        for (int start = 0; start < N; start += 2 * length) {
            const uint32_t zeta = zetas[i--];
            for (int j = start; j < start + length; ++j) {
                const uint32_t t = f->c[j];
                f->c[j] = reduce_once(t + f->c[j + length]);
                f->c[j + length] = multiply(zeta, reduce_once(f->c[j + length] + Q - t));
            }
        }
    for (int j = 0; j < N; ++j)
        f->c[j] = multiply(f->c[j], 8347681); /* 1/256 */
}

void poly_add(poly *r, const poly *a)
{
    for (int i = 0; i < N; ++i)
        r->c[i] = reduce_once(r->c[i] + a->c[i]);
}

void poly_subtract(poly *r, const poly *a)
{
    for (int i = 0; i < N; ++i)
        r->c[i] = reduce_once(r->c[i] + Q - a->c[i]);
}

void poly_multiply(poly *r, const poly *a)
{
    for (int i = 0; i < N; ++i)
        r->c[i] = multiply(r->c[i], a->c[i]);
}

/* A sponge that has taken in a seed and a number of two bytes. */
static void start(keccak *k, unsigned int rate, const unsigned char *seed, size_t length,
                  int number)
{
    const unsigned char bytes[2] = {(unsigned char)(number & 255), (unsigned char)(number >> 8)};

    keccak_start(k, rate);
    keccak_absorb(k, seed, length);
    keccak_absorb(k, bytes, 2);
    keccak_finish(k, SHAKE_SUFFIX);
}

void poly_add_entry(poly *r, const unsigned char rho[32], int i, int j, const poly *a)
{
    unsigned char b[3];
    keccak k;
    int n = 0;

    start(&k, SHAKE128_RATE, rho, 32, 256 * i + j);
    while (n < N) {
        keccak_squeeze(&k, b, 3);
        const uint32_t d = b[0] | (uint32_t)b[1] << 8 | (uint32_t)(b[2] & 127) << 16;
        if (d < Q) {
            r->c[n] = reduce_once(r->c[n] + multiply(d, a->c[n]));
            ++n;
        }
    }
}

/* Whether a half byte is rejected is public: it is independent of the others. */
void poly_secret(poly *r, const unsigned char seed[64], int n)
{
    unsigned char byte, rejected;
    int have = 0;
    keccak k;

    start(&k, SHAKE256_RATE, seed, 64, n);
    while (have < N) {
        keccak_squeeze(&k, &byte, 1);
        for (int i = 0; i < 2 && have < N; ++i, byte >>= 4) {
            const uint32_t half = byte & 15;
            rejected = (unsigned char)((half + 1) >> 4);
            crypto_declassify(&rejected, 1);
            if (!rejected) /* half / 5 is 13 half / 64 */
                r->c[have++] = reduce_once(Q + ETA - (half - 5 * (half * 13 >> 6)));
        }
    }
}

void poly_add_mask(poly *r, const unsigned char seed[64], int n)
{
    unsigned char byte;
    uint32_t bits = 0;
    int have = 0;
    keccak k;

    start(&k, SHAKE256_RATE, seed, 64, n);
    for (int i = 0; i < N; ++i) {
        for (; have < 18; have += 8) {
            keccak_squeeze(&k, &byte, 1);
            bits |= (uint32_t)byte << have;
        }
        r->c[i] = reduce_once(r->c[i] + reduce_once(Q + GAMMA1 - (bits & 0x3ffff)));
        bits >>= 18;
        have -= 18;
    }
}

void poly_challenge(poly *r, const unsigned char seed[32])
{
    unsigned char signs[8], j;
    keccak k;

    keccak_start(&k, SHAKE256_RATE);
    keccak_absorb(&k, seed, 32);
    keccak_finish(&k, SHAKE_SUFFIX);
    keccak_squeeze(&k, signs, sizeof signs);
    memset(r, 0, sizeof *r);
    for (int i = 0; i < TAU; ++i) {
        do
            keccak_squeeze(&k, &j, 1);
        while (j > N - TAU + i);
        r->c[N - TAU + i] = r->c[j];
        r->c[j] = (signs[i / 8] >> i % 8 & 1) ? Q - 1 : 1;
    }
}

void poly_power2round(poly *f, poly *low)
{
    for (int i = 0; i < N; ++i) {
        const uint32_t high = (f->c[i] + (1 << (D - 1)) - 1) >> D;
        low->c[i] = reduce_once(f->c[i] + Q - (high << D));
        f->c[i] = high;
    }
}

/*
 * r / (2 gamma2), rounded to the nearest, and 0 for 44 (algorithm 36): 2 gamma2 = 2^11 93, and
 * n / 93 = 11276 n / 2^20 for n < 11397. LowBits is r - 2 gamma2 high in both cases.
 */
static uint32_t high_bits(uint32_t r)
{
    const uint32_t high = ((r + GAMMA2 - 1) >> 11) * 11276 >> 20;

    return high & (0u - ((high - 44) >> 31));
}

static uint32_t low_bits(uint32_t r)
{
    return reduce_once(r + Q - 2 * GAMMA2 * high_bits(r));
}

void poly_high(poly *f)
{
    for (int i = 0; i < N; ++i)
        f->c[i] = high_bits(f->c[i]);
}

/* bound <= x <= q - bound, as a bit */
static unsigned int exceeds(uint32_t x, uint32_t bound)
{
    return 1 & ~((x - bound) >> 31 | (Q - bound - x) >> 31);
}

unsigned int poly_exceeds(const poly *f, uint32_t bound)
{
    unsigned int found = 0;

    for (int i = 0; i < N; ++i)
        found |= exceeds(f->c[i], bound);
    return found;
}

unsigned int poly_low_exceeds(const poly *f, uint32_t bound)
{
    unsigned int found = 0;

    for (int i = 0; i < N; ++i)
        found |= exceeds(low_bits(f->c[i]), bound);
    return found;
}

void poly_hint(poly *f, const poly *r)
{
    for (int i = 0; i < N; ++i) {
        const uint32_t both = high_bits(r->c[i]) ^ high_bits(reduce_once(r->c[i] + f->c[i]));
        f->c[i] = (0u - both) >> 31;
    }
}

/* Neighbours modulo 44: up if LowBits is positive. */
void poly_use_hint(poly *f, const unsigned char *ones, int count)
{
    for (int i = 0; i < N; ++i) {
        const uint32_t low = low_bits(f->c[i]);
        uint32_t high = high_bits(f->c[i]);
        if (count > 0 && *ones == i) {
            high = (high + (low >= 1 && low <= GAMMA2 ? 1 : 43)) % 44;
            ++ones;
            --count;
        }
        f->c[i] = high;
    }
}

void poly_pack(unsigned char *out, const poly *f, int d)
{
    uint32_t bits = 0;
    int have = 0;

    for (int i = 0; i < N; ++i) {
        bits |= f->c[i] << have;
        for (have += d; have >= 8; have -= 8, bits >>= 8)
            *out++ = (unsigned char)(bits & 255);
    }
}

void poly_unpack(poly *f, const unsigned char *in, int d)
{
    uint32_t bits = 0;
    int have = 0;

    for (int i = 0; i < N; ++i) {
        for (; have < d; have += 8)
            bits |= (uint32_t)*in++ << have;
        f->c[i] = bits & (((uint32_t)1 << d) - 1);
        bits >>= d;
        have -= d;
    }
}

void poly_reflect(poly *f, uint32_t b)
{
    for (int i = 0; i < N; ++i)
        f->c[i] = reduce_once(b + Q - f->c[i]);
}
