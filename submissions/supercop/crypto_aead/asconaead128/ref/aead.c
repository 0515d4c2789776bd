/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-AEAD128: SP 800-232 (2025), section 4, byte by byte; the permutation is that of
 * section 3. Words are little-endian, and the padding is one bit 1 (appendix A).
 */

#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "crypto_verify_16.h"
#include <stdint.h>

#define TAG crypto_aead_ABYTES
#define RATE 16
#define IV 0x00001000808c0001

static uint64_t rotated(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

/* Section 3: the last `rounds` of 12. */
static void permute(uint64_t s[5], int rounds)
{
    uint64_t c, t[5];
    int i;

    for (c = 0x3c + 0x0f * (uint64_t)rounds; c != 0x3c; c -= 0x0f) {
        s[2] ^= c;
        s[0] ^= s[4];
        s[4] ^= s[3];
        s[2] ^= s[1];
        for (i = 0; i < 5; ++i)
            t[i] = s[i] ^ (~s[(i + 1) % 5] & s[(i + 2) % 5]);
        t[1] ^= t[0];
        t[0] ^= t[4];
        t[3] ^= t[2];
        t[2] = ~t[2];
        s[0] = t[0] ^ rotated(t[0], 19) ^ rotated(t[0], 28);
        s[1] = t[1] ^ rotated(t[1], 61) ^ rotated(t[1], 39);
        s[2] = t[2] ^ rotated(t[2], 1) ^ rotated(t[2], 6);
        s[3] = t[3] ^ rotated(t[3], 10) ^ rotated(t[3], 17);
        s[4] = t[4] ^ rotated(t[4], 7) ^ rotated(t[4], 41);
    }
}

static uint64_t load(const unsigned char *x)
{
    uint64_t u = 0;
    int i;

    for (i = 7; i >= 0; --i)
        u = u << 8 | x[i];
    return u;
}

/* Byte `at` of a message or of data: which word of the state it is added to, and where. */
static uint64_t *word(uint64_t s[5], unsigned long long at)
{
    return s + at % RATE / 8;
}

static int place(unsigned long long at)
{
    return 8 * (int)(at % 8);
}

/* Sections 4.1.1 and 4.1.2, steps 1 to 3 of algorithm 3. */
static void start(uint64_t s[5], const uint64_t key[2], const unsigned char *npub,
                  const unsigned char *ad, unsigned long long adlen)
{
    unsigned long long i;

    s[0] = IV;
    s[1] = key[0];
    s[2] = key[1];
    s[3] = load(npub);
    s[4] = load(npub + 8);
    permute(s, 12);
    s[3] ^= key[0];
    s[4] ^= key[1];
    for (i = 0; i < adlen; ++i) {
        *word(s, i) ^= (uint64_t)ad[i] << place(i);
        if (i % RATE == RATE - 1)
            permute(s, 8);
    }
    if (adlen > 0) {
        *word(s, adlen) ^= (uint64_t)1 << place(adlen);
        permute(s, 8);
    }
    s[4] ^= (uint64_t)1 << 63;
}

/* Pads a message of `mlen` bytes and makes the tag. */
static void finish(unsigned char tag[TAG], uint64_t s[5], const uint64_t key[2],
                   unsigned long long mlen)
{
    int i;

    *word(s, mlen) ^= (uint64_t)1 << place(mlen);
    s[2] ^= key[0];
    s[3] ^= key[1];
    permute(s, 12);
    s[3] ^= key[0];
    s[4] ^= key[1];
    for (i = 0; i < TAG; ++i)
        tag[i] = (unsigned char)(s[3 + i / 8] >> 8 * (i % 8));
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    const uint64_t key[2] = {load(k), load(k + 8)};
    uint64_t s[5];
    unsigned long long i;

    (void)nsec;
    start(s, key, npub, ad, adlen);
    for (i = 0; i < mlen; ++i) {
        *word(s, i) ^= (uint64_t)m[i] << place(i);
        c[i] = (unsigned char)(*word(s, i) >> place(i));
        if (i % RATE == RATE - 1)
            permute(s, 8);
    }
    finish(c + mlen, s, key, mlen);
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
    unsigned char tag[TAG], byte;
    uint64_t s[5];
    unsigned long long i;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(s, key, npub, ad, adlen);
    for (i = 0; i < len; ++i) {
        byte = (unsigned char)(c[i] ^ *word(s, i) >> place(i));
        *word(s, i) ^= (uint64_t)byte << place(i);
        m[i] = byte;
        if (i % RATE == RATE - 1)
            permute(s, 8);
    }
    finish(tag, s, key, len);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    for (i = 0; wrong && i < len; ++i)
        m[i] = 0;
    *mlen = len;
    return wrong;
}
