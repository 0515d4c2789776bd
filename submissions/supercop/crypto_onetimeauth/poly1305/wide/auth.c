/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Poly1305 for 64-bit processors, with numbers of three limbs of 44, 44 and 42 bits: needs
 * the 128-bit integers of gcc and clang.
 *
 * RFC 8439, section 2.5: the sum of the blocks times powers of r, modulo 2^130 - 5, plus s
 * modulo 2^128. The key is r, of which section 2.5 clears some bits, and s.
 */

#include <stdint.h>
#include "crypto_onetimeauth.h"

#define LIMB 0xfffffffffffu
#define LAST_LIMB 0x3ffffffffffu

__extension__ typedef unsigned __int128 uint128;

static uint64_t load(const unsigned char *x)
{
    uint64_t u = 0;
    int i;

    for (i = 0; i < 8; ++i)
        u |= (uint64_t)x[i] << 8 * i;
    return u;
}

static void store(unsigned char *x, uint64_t u)
{
    int i;

    for (i = 0; i < 8; ++i)
        x[i] = (unsigned char)(u >> 8 * i & 255);
}

/* h = (h + block + top 2^128) r; limb 3 begins at 2^132, which is 4 * 5. */
static void absorb(uint64_t h[3], const uint64_t r[3], const unsigned char block[16], uint64_t top)
{
    const uint64_t low = load(block);
    const uint64_t high = load(block + 8);
    const uint64_t h0 = h[0] + (low & LIMB);
    const uint64_t h1 = h[1] + ((low >> 44 | high << 20) & LIMB);
    const uint64_t h2 = h[2] + (high >> 24 | top << 40);
    const uint64_t r1 = 20 * r[1];
    const uint64_t r2 = 20 * r[2];
    const uint128 d0 = (uint128)h0 * r[0] + (uint128)h1 * r2 + (uint128)h2 * r1;
    const uint128 d1 = (uint128)h0 * r[1] + (uint128)h1 * r[0] + (uint128)h2 * r2 + (d0 >> 44);
    const uint128 d2 = (uint128)h0 * r[2] + (uint128)h1 * r[1] + (uint128)h2 * r[0] + (d1 >> 44);

    h[0] = ((uint64_t)d0 & LIMB) + 5 * (uint64_t)(d2 >> 42);
    h[1] = ((uint64_t)d1 & LIMB) + (h[0] >> 44);
    h[2] = (uint64_t)d2 & LAST_LIMB;
    h[0] &= LIMB;
}

static void carry(uint64_t h[3])
{
    h[1] += h[0] >> 44;
    h[0] &= LIMB;
    h[2] += h[1] >> 44;
    h[1] &= LIMB;
    h[0] += 5 * (h[2] >> 42);
    h[2] &= LAST_LIMB;
}

/* h modulo 2^130 - 5: h + 5 - 2^130 if that is not negative. */
static void reduce(uint64_t h[3])
{
    uint64_t g[3];
    uint64_t keep;

    carry(h);
    carry(h);
    g[0] = h[0] + 5;
    g[1] = h[1] + (g[0] >> 44);
    g[2] = h[2] + (g[1] >> 44);
    keep = (g[2] >> 42) - 1;
    h[0] = (h[0] & keep) | (g[0] & LIMB & ~keep);
    h[1] = (h[1] & keep) | (g[1] & LIMB & ~keep);
    h[2] = (h[2] & keep) | (g[2] & LAST_LIMB & ~keep);
}

int crypto_onetimeauth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                       const unsigned char *k)
{
    const uint64_t low = load(k) & 0x0ffffffc0fffffffu;
    const uint64_t high = load(k + 8) & 0x0ffffffc0ffffffcu;
    const uint64_t r[3] = {low & LIMB, (low >> 44 | high << 20) & LIMB, high >> 24};
    const uint64_t s0 = load(k + 16);
    const uint64_t s1 = load(k + 24);
    unsigned char last[16] = {0};
    uint64_t h[3] = {0};
    uint128 sum;
    unsigned int i;

    for (; inlen >= 16; in += 16, inlen -= 16)
        absorb(h, r, in, 1);
    if (inlen > 0) {
        for (i = 0; i < inlen; ++i)
            last[i] = in[i];
        last[inlen] = 1;
        absorb(h, r, last, 0);
    }
    reduce(h);
    sum = (uint128)(h[0] | h[1] << 44) + s0;
    store(out, (uint64_t)sum);
    store(out + 8, (h[1] >> 20 | h[2] << 24) + s1 + (uint64_t)(sum >> 64));
    return 0;
}
