/* SPDX-License-Identifier: CC0-1.0 */
/*
 * CubeHash16/32-512, that is CubeHash160+16/32+160-512, on vectors of four words:
 * Bernstein: CubeHash specification (2.B.1) (2009), with its names of parameters. Half of the
 * swaps are only other names of vectors.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define I 160 /* rounds before the message */
#define R 16  /* rounds for each block */
#define B 32  /* bytes of a block */
#define F 160 /* rounds after the message */
#define H 512 /* bits of output */

#if defined(__SSE2__)
#include <emmintrin.h>
#if defined(__AVX512VL__)
#include <immintrin.h>
#endif

typedef __m128i four;

static inline four load(const uint32_t x[4])
{
    return _mm_loadu_si128((const four *)(const void *)x);
}

static inline void store(uint32_t x[4], four a)
{
    _mm_storeu_si128((four *)(void *)x, a);
}

static inline four add(four a, four b)
{
    return _mm_add_epi32(a, b);
}

static inline four xor(four a, four b)
{
    return _mm_xor_si128(a, b);
}

#if defined(__AVX512VL__)
#define left(a, bits) _mm_rol_epi32(a, bits)
#else
#define left(a, bits) _mm_xor_si128(_mm_slli_epi32(a, bits), _mm_srli_epi32(a, 32 - (bits)))
#endif

/* Swap words whose numbers differ by 2, or by 1. */
#define swap_2(a) _mm_shuffle_epi32(a, 0x4e)
#define swap_1(a) _mm_shuffle_epi32(a, 0xb1)

#else

typedef struct {
    uint32_t word[4];
} four;

static four load(const uint32_t x[4])
{
    const four a = {{x[0], x[1], x[2], x[3]}};

    return a;
}

static void store(uint32_t x[4], four a)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = a.word[i];
}

static four add(four a, four b)
{
    int i;

    for (i = 0; i < 4; ++i)
        a.word[i] += b.word[i];
    return a;
}

static four xor(four a, four b)
{
    int i;

    for (i = 0; i < 4; ++i)
        a.word[i] ^= b.word[i];
    return a;
}

static four left(four a, int bits)
{
    int i;

    for (i = 0; i < 4; ++i)
        a.word[i] = a.word[i] << bits | a.word[i] >> (32 - bits);
    return a;
}

static four swap_2(four a)
{
    const four b = {{a.word[2], a.word[3], a.word[0], a.word[1]}};

    return b;
}

static four swap_1(four a)
{
    const four b = {{a.word[1], a.word[0], a.word[3], a.word[2]}};

    return b;
}
#endif

/* The first five steps of a round; the next five are these with 11, 4 and 1. */
/* The ten steps of a round, so many times. */
static void rounds(uint32_t x[32], int number)
{
    four a = load(x), b = load(x + 4), c = load(x + 8), d = load(x + 12);
    four e = load(x + 16), f = load(x + 20), g = load(x + 24), h = load(x + 28);
    four s, t;

    for (; number > 0; --number) {
        e = add(e, a);
        f = add(f, b);
        g = add(g, c);
        h = add(h, d);
        s = left(a, 7);
        t = left(b, 7);
        a = xor(left(c, 7), e);
        b = xor(left(d, 7), f);
        c = xor(s, g);
        d = xor(t, h);
        e = add(swap_2(e), a);
        f = add(swap_2(f), b);
        g = add(swap_2(g), c);
        h = add(swap_2(h), d);
        s = left(a, 11);
        t = left(c, 11);
        a = xor(left(b, 11), e);
        b = xor(s, f);
        c = xor(left(d, 11), g);
        d = xor(t, h);
        e = swap_1(e);
        f = swap_1(f);
        g = swap_1(g);
        h = swap_1(h);
    }
    store(x, a);
    store(x + 4, b);
    store(x + 8, c);
    store(x + 12, d);
    store(x + 16, e);
    store(x + 20, f);
    store(x + 24, g);
    store(x + 28, h);
}

static void take(uint32_t x[32], const unsigned char block[B])
{
    int i;

    for (i = 0; i < B; ++i)
        x[i / 4] ^= (uint32_t)block[i] << 8 * (i % 4);
    rounds(x, R);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[B] = {0};
    uint32_t x[32] = {H / 8, B, R};
    unsigned int i;

    rounds(x, I);
    for (; inlen >= B; in += B, inlen -= B)
        take(x, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    take(x, last);
    x[31] ^= 1;
    rounds(x, F);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(x[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
