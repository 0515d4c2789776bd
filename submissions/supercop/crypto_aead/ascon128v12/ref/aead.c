/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-128, version 1.2, byte by byte.
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

static uint64_t load(const unsigned char *x)
{
    uint64_t u = 0;
    int i;

    for (i = 0; i < 8; ++i)
        u = u << 8 | x[i];
    return u;
}

static uint64_t spread(uint64_t x, int bits1, int bits2)
{
    return x ^ (x >> bits1 | x << (64 - bits1)) ^ (x >> bits2 | x << (64 - bits2));
}

/* Section 2.6: the last `rounds` of 12. */
static void permute(uint64_t x[5], unsigned int rounds)
{
    uint64_t t[5];
    unsigned int round;
    int i;

    for (round = 12 - rounds; round < 12; ++round) {
        x[2] ^= 0xf0 - 15 * round;

        x[0] ^= x[4];
        x[4] ^= x[3];
        x[2] ^= x[1];
        for (i = 0; i < 5; ++i)
            t[i] = x[i] ^ (~x[(i + 1) % 5] & x[(i + 2) % 5]);
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = ~t[2];

        x[0] = spread(t[0], 19, 28);
        x[1] = spread(t[1], 61, 39);
        x[2] = spread(t[2], 1, 6);
        x[3] = spread(t[3], 10, 17);
        x[4] = spread(t[4], 7, 41);
    }
}

/* How far byte i of a message is from the right end of its word. */
static unsigned int place(unsigned long long i)
{
    return 56 - 8 * (unsigned int)(i % 8);
}

/* Sections 2.4.1 and 2.4.2. */
static void start(uint64_t x[5], const uint64_t key[2], const unsigned char *n,
                  const unsigned char *ad, unsigned long long adlen)
{
    unsigned long long i;

    x[0] = IV;
    x[1] = key[0];
    x[2] = key[1];
    x[3] = load(n);
    x[4] = load(n + 8);
    permute(x, 12);
    x[3] ^= key[0];
    x[4] ^= key[1];

    for (i = 0; i < adlen; ++i) {
        x[0] ^= (uint64_t)ad[i] << place(i);
        if (i % 8 == 7)
            permute(x, 6);
    }
    if (adlen > 0) {
        x[0] ^= (uint64_t)0x80 << place(adlen);
        permute(x, 6);
    }
    x[4] ^= 1;
}

/* The end of section 2.4.3, and 2.4.4. */
static void finish(unsigned char tag[TAG], uint64_t x[5], const uint64_t key[2],
                   unsigned long long mlen)
{
    int i;

    x[0] ^= (uint64_t)0x80 << place(mlen);
    x[1] ^= key[0];
    x[2] ^= key[1];
    permute(x, 12);
    x[3] ^= key[0];
    x[4] ^= key[1];
    for (i = 0; i < TAG; ++i)
        tag[i] = (unsigned char)(x[3 + i / 8] >> (56 - 8 * (i % 8)) & 255);
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    const uint64_t key[2] = {load(k), load(k + 8)};
    uint64_t x[5];
    unsigned long long i;

    (void)nsec;
    start(x, key, npub, ad, adlen);
    for (i = 0; i < mlen; ++i) {
        x[0] ^= (uint64_t)m[i] << place(i);
        c[i] = (unsigned char)(x[0] >> place(i) & 255);
        if (i % 8 == 7)
            permute(x, 6);
    }
    finish(c + mlen, x, key, mlen);
    *clen = mlen + TAG;
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
    uint64_t x[5];
    unsigned long long i;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(x, key, npub, ad, adlen);
    for (i = 0; i < len; ++i) {
        m[i] = (unsigned char)(c[i] ^ (x[0] >> place(i) & 255));
        x[0] ^= (uint64_t)m[i] << place(i);
        if (i % 8 == 7)
            permute(x, 6);
    }
    finish(tag, x, key, len);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    for (i = 0; wrong && i < len; ++i)
        m[i] = 0;
    *mlen = len;
    return wrong;
}
