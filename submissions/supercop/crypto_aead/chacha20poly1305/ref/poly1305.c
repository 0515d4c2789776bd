/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Poly1305 of parts that are padded to whole blocks, with numbers of five limbs of 26 bits:
 * RFC 8439, section 2.5, with the pad16 of section 2.8.1.
 */

#include "poly1305.h"

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

void poly1305_start(poly1305 *p, const unsigned char key[32])
{
    unsigned char clamped[16];
    int i;

    for (i = 0; i < 16; ++i)
        clamped[i] = key[i] & (i % 4 == 3 ? 15 : i % 4 == 0 && i > 0 ? 252 : 255);
    split(p->r, clamped);
    for (i = 0; i < 4; ++i)
        p->s[i] = load(key + 16 + 4 * i);
    for (i = 0; i < 5; ++i)
        p->h[i] = 0;
}

void poly1305_padded(poly1305 *p, const unsigned char *in, unsigned long long len)
{
    unsigned char block[16];
    uint32_t limbs[5];
    unsigned long long done;
    unsigned int i;

    for (done = 0; done < len; done += 16) {
        for (i = 0; i < 16; ++i)
            block[i] = done + i < len ? in[done + i] : 0;
        split(limbs, block);
        limbs[4] |= (uint32_t)1 << 24; /* 2^128 */
        for (i = 0; i < 5; ++i)
            p->h[i] += limbs[i];
        multiply(p->h, p->r);
    }
}

void poly1305_finish(unsigned char tag[16], poly1305 *p)
{
    uint64_t sum = 0;
    int i;

    reduce(p->h);
    /* Word i of h begins in limb i, at bit 6 i. */
    for (i = 0; i < 4; ++i) {
        sum += (uint64_t)(p->h[i] >> 6 * i | p->h[i + 1] << (26 - 6 * i)) + p->s[i];
        store(tag + 4 * i, (uint32_t)(sum & 0xffffffffu));
        sum >>= 32;
    }
}
