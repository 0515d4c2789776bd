/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-CXOF128: SP 800-232 (2025), section 5.3, in whole words; rounds of the permutation
 * (section 3) are unrolled.
 */

#include "crypto_cxof.h"
#include <stdint.h>

#define IV 0x0000080000cc0004

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (64 - (bits)))
#define SPREAD(u, one, two) ((u) ^ RIGHT(u, one) ^ RIGHT(u, two))

/* Compilers make one load and one store of each; a big-endian machine reverses the bytes. */
static uint64_t load(const unsigned char *x)
{
    return (uint64_t)x[0] | (uint64_t)x[1] << 8 | (uint64_t)x[2] << 16 | (uint64_t)x[3] << 24 |
           (uint64_t)x[4] << 32 | (uint64_t)x[5] << 40 | (uint64_t)x[6] << 48 |
           (uint64_t)x[7] << 56;
}

/* Less than a word, followed by the padding: a one and zeros. */
static uint64_t load_padded(const unsigned char *x, unsigned int len)
{
    uint64_t u = (uint64_t)1 << 8 * len;
    unsigned int i;

    for (i = 0; i < len; ++i)
        u |= (uint64_t)x[i] << 8 * i;
    return u;
}

static void store_part(unsigned char *x, uint64_t u, unsigned int len)
{
    unsigned int i;

    for (i = 0; i < len; ++i)
        x[i] = (unsigned char)(u >> 8 * i);
}

/* One round of section 3, with the state in variables. */
#define ROUND(constant)                                                                          \
    do {                                                                                         \
        x2 ^= (constant) ^ x1;                                                                   \
        x0 ^= x4;                                                                                \
        x4 ^= x3;                                                                                \
        t0 = x0 ^ (~x1 & x2);                                                                    \
        t1 = x1 ^ (~x2 & x3);                                                                    \
        t2 = x2 ^ (~x3 & x4);                                                                    \
        t3 = x3 ^ (~x4 & x0);                                                                    \
        t4 = x4 ^ (~x0 & x1);                                                                    \
        t1 ^= t0;                                                                                \
        t0 ^= t4;                                                                                \
        t3 ^= t2;                                                                                \
        t2 = ~t2;                                                                                \
        x0 = SPREAD(t0, 19, 28);                                                                 \
        x1 = SPREAD(t1, 61, 39);                                                                 \
        x2 = SPREAD(t2, 1, 6);                                                                   \
        x3 = SPREAD(t3, 10, 17);                                                                 \
        x4 = SPREAD(t4, 7, 41);                                                                  \
    } while (0)

static void permute(uint64_t x[5])
{
    uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4];
    uint64_t t0, t1, t2, t3, t4;

    ROUND(0xf0);
    ROUND(0xe1);
    ROUND(0xd2);
    ROUND(0xc3);
    ROUND(0xb4);
    ROUND(0xa5);
    ROUND(0x96);
    ROUND(0x87);
    ROUND(0x78);
    ROUND(0x69);
    ROUND(0x5a);
    ROUND(0x4b);
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    x[4] = x4;
}

static void absorb(uint64_t x[5], const unsigned char *in, unsigned long long len)
{
    for (; len >= 8; in += 8, len -= 8) {
        x[0] ^= load(in);
        permute(x);
    }
    x[0] ^= load_padded(in, (unsigned int)len);
    permute(x);
}

int crypto_cxof(unsigned char *out, unsigned long long outlen, const unsigned char *in,
                unsigned long long inlen, const unsigned char *cs, unsigned long long cslen)
{
    uint64_t x[5] = {IV, 0, 0, 0, 0};

    permute(x);
    x[0] ^= (uint64_t)cslen << 3;
    permute(x);
    absorb(x, cs, cslen);
    absorb(x, in, inlen);
    for (; outlen > 8; out += 8, outlen -= 8) {
        store_part(out, x[0], 8);
        permute(x);
    }
    store_part(out, x[0], (unsigned int)outlen);
    return 0;
}
