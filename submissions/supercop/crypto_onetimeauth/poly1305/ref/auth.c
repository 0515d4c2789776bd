/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Poly1305 with numbers of five limbs of 26 bits.
 *
 * RFC 8439, section 2.5: the sum of the blocks times powers of r, modulo 2^130 - 5, plus s
 * modulo 2^128. The key is r, of which section 2.5 clears some bits, and s.
 */

#include <stdint.h>
#include "crypto_onetimeauth.h"

#define LIMB 0x3ffffffu

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = (unsigned char)(u >> 8 * i & 255);
}

/* 16 bytes as limbs; limb i begins at bit 26 i = 8 (3 i) + 2 i. */
static void split(uint32_t limbs[5], const unsigned char *x)
{
    int i;

    for (i = 0; i < 4; ++i)
        limbs[i] = load(x + 3 * i) >> 2 * i & LIMB;
    limbs[4] = load(x + 12) >> 8;
}

/* Carries from each limb to the next, and from 2^130, which is 5, to the first. */
static void carry(uint32_t h[5])
{
    uint32_t c = 0;
    int i;

    for (i = 0; i < 5; ++i) {
        h[i] += c;
        c = h[i] >> 26;
        h[i] &= LIMB;
    }
    h[0] += 5 * c;
}

/*
 * h = h r. With h below 2^27 + 2^10 and r below 2^26 in each limb, a sum of five products,
 * each of them times 5 at most, is below 2^58. Afterwards h[1] is below 2^26 + 2^10 and the
 * other limbs below 2^26.
 */
static void multiply(uint32_t h[5], const uint32_t r[5])
{
    uint32_t product[5];
    uint64_t sum = 0;
    int i;
    int j;

    for (i = 0; i < 5; ++i) {
        for (j = 0; j < 5; ++j)
            sum += (uint64_t)h[j] * (j <= i ? r[i - j] : 5 * r[5 + i - j]);
        product[i] = (uint32_t)(sum & LIMB);
        sum >>= 26;
    }
    sum = 5 * sum + product[0];
    product[0] = (uint32_t)(sum & LIMB);
    product[1] += (uint32_t)(sum >> 26);
    for (i = 0; i < 5; ++i)
        h[i] = product[i];
}

/* The block, with a one behind its `size` bytes, is added to h; then h = h r. */
static void absorb(uint32_t h[5], const uint32_t r[5], const unsigned char *in, unsigned int size)
{
    unsigned char block[17] = {0};
    uint32_t limbs[5];
    unsigned int i;

    for (i = 0; i < size; ++i)
        block[i] = in[i];
    block[size] = 1;
    split(limbs, block);
    limbs[4] |= (uint32_t)block[16] << 24;
    for (i = 0; i < 5; ++i)
        h[i] += limbs[i];
    multiply(h, r);
}

/* h modulo 2^130 - 5: h + 5 - 2^130 if that is not negative. */
static void reduce(uint32_t h[5])
{
    uint32_t g[5];
    uint32_t c = 5;
    uint32_t keep;
    int i;

    carry(h);
    carry(h);
    for (i = 0; i < 5; ++i) {
        g[i] = h[i] + c;
        c = g[i] >> 26;
        g[i] &= LIMB;
    }
    keep = c - 1; /* c is 1 if h + 5 reaches 2^130 */
    for (i = 0; i < 5; ++i)
        h[i] = (h[i] & keep) | (g[i] & ~keep);
}

int crypto_onetimeauth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                       const unsigned char *k)
{
    unsigned char clamped[16];
    uint32_t r[5];
    uint32_t h[5] = {0};
    uint32_t s[4];
    uint64_t sum = 0;
    int i;

    for (i = 0; i < 16; ++i)
        clamped[i] = k[i] & (i % 4 == 3 ? 15 : i % 4 == 0 && i > 0 ? 252 : 255);
    split(r, clamped);
    for (i = 0; i < 4; ++i)
        s[i] = load(k + 16 + 4 * i);

    for (; inlen >= 16; in += 16, inlen -= 16)
        absorb(h, r, in, 16);
    if (inlen > 0)
        absorb(h, r, in, (unsigned int)inlen);
    reduce(h);

    /* Word i of h begins in limb i, at bit 6 i. */
    for (i = 0; i < 4; ++i) {
        sum += (uint64_t)(h[i] >> 6 * i | h[i + 1] << (26 - 6 * i)) + s[i];
        store(out + 4 * i, (uint32_t)(sum & 0xffffffffu));
        sum >>= 32;
    }
    return 0;
}
