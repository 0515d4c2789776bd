/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-128, version 1.2, in whole words; the permutation keeps its state in variables.
 *
 * C. Dobraunig, M. Eichlseder, F. Mendel, M. Schläffer, "Ascon v1.2: Submission to NIST"
 * (2021): the mode is section 2.4, the permutation 2.6. Words are most significant byte
 * first.
 */

#include <stdint.h>
#include "crypto_verify_16.h"
#include "crypto_declassify.h"
#include "crypto_aead.h"

#define TAG crypto_aead_ABYTES

/* Key of 128 bits, rate of 64, 12 and 6 rounds. */
#define IV 0x80400c0600000000u

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (64 - (bits)))

static uint64_t load(const unsigned char *x)
{
    uint64_t u = 0;
    int i;

    for (i = 0; i < 8; ++i)
        u |= (uint64_t)x[i] << (56 - 8 * i);
    return u;
}

static void store(unsigned char *x, uint64_t u)
{
    int i;

    for (i = 0; i < 8; ++i)
        x[i] = (unsigned char)(u >> (56 - 8 * i) & 255);
}

/* Section 2.6: the last `rounds` of 12. */
static inline void permute(uint64_t x[5], int rounds)
{
    uint64_t x0 = x[0];
    uint64_t x1 = x[1];
    uint64_t x2 = x[2];
    uint64_t x3 = x[3];
    uint64_t x4 = x[4];
    uint64_t t0;
    uint64_t t1;
    uint64_t t2;
    uint64_t t3;
    uint64_t t4;
    uint64_t constant = 0xf0 - 15 * (uint64_t)(12 - rounds);

    for (; rounds > 0; --rounds, constant -= 15) {
        x2 ^= constant ^ x1;
        x0 ^= x4;
        x4 ^= x3;
        t0 = x0 ^ (~x1 & x2);
        t1 = x1 ^ (~x2 & x3);
        t2 = x2 ^ (~x3 & x4);
        t3 = x3 ^ (~x4 & x0);
        t4 = x4 ^ (~x0 & x1);
        t1 ^= t0;
        t0 ^= t4;
        t3 ^= t2;
        t2 = ~t2;
        x0 = t0 ^ RIGHT(t0, 19) ^ RIGHT(t0, 28);
        x1 = t1 ^ RIGHT(t1, 61) ^ RIGHT(t1, 39);
        x2 = t2 ^ RIGHT(t2, 1) ^ RIGHT(t2, 6);
        x3 = t3 ^ RIGHT(t3, 10) ^ RIGHT(t3, 17);
        x4 = t4 ^ RIGHT(t4, 7) ^ RIGHT(t4, 41);
    }
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    x[3] = x3;
    x[4] = x4;
}

/* Less than a word, followed by the padding: a one and zeros. */
static uint64_t load_padded(const unsigned char *x, unsigned int len)
{
    uint64_t u = (uint64_t)0x80 << (56 - 8 * len);
    unsigned int i;

    for (i = 0; i < len; ++i)
        u |= (uint64_t)x[i] << (56 - 8 * i);
    return u;
}

static void store_part(unsigned char *x, uint64_t u, unsigned int len)
{
    unsigned int i;

    for (i = 0; i < len; ++i)
        x[i] = (unsigned char)(u >> (56 - 8 * i) & 255);
}

/* Sections 2.4.1 and 2.4.2. */
static void start(uint64_t x[5], const uint64_t key[2], const unsigned char *n,
                  const unsigned char *ad, unsigned long long adlen)
{
    x[0] = IV;
    x[1] = key[0];
    x[2] = key[1];
    x[3] = load(n);
    x[4] = load(n + 8);
    permute(x, 12);
    x[3] ^= key[0];
    x[4] ^= key[1];
    if (adlen > 0) {
        for (; adlen >= 8; ad += 8, adlen -= 8) {
            x[0] ^= load(ad);
            permute(x, 6);
        }
        x[0] ^= load_padded(ad, (unsigned int)adlen);
        permute(x, 6);
    }
    x[4] ^= 1;
}

/* Section 2.4.4. */
static void finish(unsigned char tag[TAG], uint64_t x[5], const uint64_t key[2])
{
    x[1] ^= key[0];
    x[2] ^= key[1];
    permute(x, 12);
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
    for (; mlen >= 8; m += 8, c += 8, mlen -= 8) {
        x[0] ^= load(m);
        store(c, x[0]);
        permute(x, 6);
    }
    x[0] ^= load_padded(m, (unsigned int)mlen);
    store_part(c, x[0], (unsigned int)mlen);
    finish(c + mlen, x, key);
    return 0;
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
    uint64_t x[5];
    uint64_t word;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(x, key, npub, ad, adlen);
    for (done = 0; len - done >= 8; done += 8) {
        word = load(c + done);
        store(m + done, x[0] ^ word);
        x[0] = word;
        permute(x, 6);
    }
    store_part(m + done, x[0] ^ load_padded(c + done, (unsigned int)(len % 8)),
               (unsigned int)(len % 8));
    x[0] ^= load_padded(m + done, (unsigned int)(len % 8));
    finish(tag, x, key);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    for (done = 0; wrong && done < len; ++done)
        m[done] = 0;
    *mlen = len;
    return wrong;
}
