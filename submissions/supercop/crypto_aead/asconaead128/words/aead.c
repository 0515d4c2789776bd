/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-AEAD128: SP 800-232 (2025), section 4, in whole words; rounds of the permutation
 * (section 3) are unrolled.
 */

#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "crypto_verify_16.h"
#include <stdint.h>

#define TAG crypto_aead_ABYTES
#define RATE 16
#define IV 0x00001000808c0001

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

static void store(unsigned char *x, uint64_t u)
{
    store_part(x, u, 8);
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

static void permute12(uint64_t x[5])
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

static void permute8(uint64_t x[5])
{
    uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4];
    uint64_t t0, t1, t2, t3, t4;

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

static void start(uint64_t x[5], const uint64_t key[2], const unsigned char *npub,
                  const unsigned char *ad, unsigned long long adlen)
{
    x[0] = IV;
    x[1] = key[0];
    x[2] = key[1];
    x[3] = load(npub);
    x[4] = load(npub + 8);
    permute12(x);
    x[3] ^= key[0];
    x[4] ^= key[1];
    if (adlen > 0) {
        for (; adlen >= RATE; ad += RATE, adlen -= RATE) {
            x[0] ^= load(ad);
            x[1] ^= load(ad + 8);
            permute8(x);
        }
        if (adlen >= 8) {
            x[0] ^= load(ad);
            x[1] ^= load_padded(ad + 8, (unsigned int)(adlen - 8));
        } else
            x[0] ^= load_padded(ad, (unsigned int)adlen);
        permute8(x);
    }
    x[4] ^= (uint64_t)1 << 63;
}

static void finish(unsigned char tag[TAG], uint64_t x[5], const uint64_t key[2])
{
    x[2] ^= key[0];
    x[3] ^= key[1];
    permute12(x);
    store(tag, x[3] ^ key[0]);
    store(tag + 8, x[4] ^ key[1]);
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    const uint64_t key[2] = {load(k), load(k + 8)};
    uint64_t x[5];

    (void)nsec;
    *clen = mlen + TAG;
    start(x, key, npub, ad, adlen);
    for (; mlen >= RATE; m += RATE, c += RATE, mlen -= RATE) {
        x[0] ^= load(m);
        x[1] ^= load(m + 8);
        store(c, x[0]);
        store(c + 8, x[1]);
        permute8(x);
    }
    if (mlen >= 8) {
        x[0] ^= load(m);
        x[1] ^= load_padded(m + 8, (unsigned int)(mlen - 8));
        store(c, x[0]);
        store_part(c + 8, x[1], (unsigned int)(mlen - 8));
    } else {
        x[0] ^= load_padded(m, (unsigned int)mlen);
        store_part(c, x[0], (unsigned int)mlen);
    }
    finish(c + mlen, x, key);
    return 0;
}

/* Less than a word of ciphertext, which takes the place of as much of the state. */
static void open_part(unsigned char *m, uint64_t *x, const unsigned char *c, unsigned int len)
{
    const uint64_t mask = ((uint64_t)1 << 8 * len) - 1;
    const uint64_t u = *x ^ load_padded(c, len);

    store_part(m, u, len);
    *x ^= (u & mask) ^ (mask + 1);
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub,
                        const unsigned char *k)
{
    const uint64_t key[2] = {load(k), load(k + 8)};
    const unsigned long long len = clen - TAG;
    unsigned char tag[TAG];
    unsigned long long done;
    unsigned int left = (unsigned int)(len % RATE);
    uint64_t x[5], low, high;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(x, key, npub, ad, adlen);
    for (done = 0; len - done >= RATE; done += RATE) {
        low = load(c + done);
        high = load(c + done + 8);
        store(m + done, x[0] ^ low);
        store(m + done + 8, x[1] ^ high);
        x[0] = low;
        x[1] = high;
        permute8(x);
    }
    if (left >= 8) {
        low = load(c + done);
        store(m + done, x[0] ^ low);
        x[0] = low;
        open_part(m + done + 8, x + 1, c + done + 8, left - 8);
    } else
        open_part(m + done, x, c + done, left);
    finish(tag, x, key);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    for (done = 0; wrong && done < len; ++done)
        m[done] = 0;
    *mlen = len;
    return wrong;
}
