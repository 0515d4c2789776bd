/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Ascon-AEAD128: SP 800-232 (2025), section 4, small in code: one loop for data, message and
 * ciphertext, and 32-bit halves of words.
 */

#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "crypto_verify_16.h"
#include <stdint.h>

#define TAG crypto_aead_ABYTES
#define RATE 16

typedef uint32_t half; /* of a word: state[2 * i] is the low one of word i */

/* Adds to a word its rotations to the right by `a` and by `b`, of which none is 32. */
static void spread(half *x, unsigned char a, unsigned char b)
{
    half v[2];
    unsigned char i, k;

    v[0] = x[0];
    v[1] = x[1];
    for (i = 0; i < 2; ++i) {
        k = a >> 5; /* from 32 on the halves change places */
        a &= 31;
        x[0] ^= v[k] >> a | v[k ^ 1] << (32 - a);
        x[1] ^= v[k ^ 1] >> a | v[k] << (32 - a);
        a = b;
    }
}

/* Section 3: the last `rounds` of 12. */
static void permute(half s[10], unsigned char rounds)
{
    static const unsigned char amounts[5][2] = {{19, 28}, {61, 39}, {1, 6}, {10, 17}, {7, 41}};
    half a, b, c, d, e;
    unsigned char i, rc;

    for (rc = (unsigned char)(0x3c + 0x0f * rounds); rc != 0x3c; rc -= 0x0f) {
        s[4] ^= rc;
        for (i = 0; i < 2; ++i) {
            b = s[i + 2];
            d = s[i + 6];
            a = s[i] ^ s[i + 8];
            e = s[i + 8] ^ d;
            c = s[i + 4] ^ b;
            s[i] = a ^ (~b & c);
            s[i + 2] = b ^ (~c & d);
            s[i + 4] = c ^ (~d & e);
            s[i + 6] = d ^ (~e & a);
            s[i + 8] = e ^ (~a & b);
            s[i + 2] ^= s[i];
            s[i] ^= s[i + 8];
            s[i + 6] ^= s[i + 4];
            s[i + 4] = ~s[i + 4];
        }
        for (i = 0; i < 5; ++i)
            spread(s + 2 * i, amounts[i][0], amounts[i][1]);
    }
}

/* Makes four halves of 16 bytes. */
static void load(half *s, const unsigned char *x)
{
    unsigned char i;

    for (i = 0; i < 4; ++i)
        s[i] = 0;
    for (i = 0; i < 16; ++i)
        s[i >> 2] |= (half)x[i] << 8 * (i & 3);
}

static void add_key(half *s, const half key[4])
{
    unsigned char i;

    for (i = 0; i < 4; ++i)
        s[i] ^= key[i];
}

/* Absorbs, and writes what the state is then (`out`), or first decrypts (`opens`). */
static void absorb(half s[10], unsigned char *out, const unsigned char *in,
                   unsigned long long len, unsigned char opens)
{
    unsigned char at = 0, byte;
    half *to;

    for (; len; --len) {
        to = s + (at >> 2);
        byte = *in++;
        if (opens)
            byte ^= (unsigned char)(*to >> 8 * (at & 3));
        *to ^= (half)byte << 8 * (at & 3);
        if (out)
            *out++ = (unsigned char)(opens ? byte : *to >> 8 * (at & 3));
        if (++at == RATE) {
            permute(s, 8);
            at = 0;
        }
    }
    s[at >> 2] ^= (half)1 << 8 * (at & 3);
}

/* The key is copied, as the output may lie where it is. */
static void start(half s[10], half key[4], const unsigned char *k, const unsigned char *npub,
                  const unsigned char *ad, unsigned long long adlen)
{
    load(key, k);
    s[0] = 0x808c0001;
    s[1] = 0x00001000;
    load(s + 2, k);
    load(s + 6, npub);
    permute(s, 12);
    add_key(s + 6, key);
    if (adlen) {
        absorb(s, 0, ad, adlen, 0);
        permute(s, 8);
    }
    s[9] ^= (half)1 << 31;
}

static void finish(unsigned char tag[TAG], half s[10], const half key[4])
{
    unsigned char i;

    add_key(s + 4, key);
    permute(s, 12);
    add_key(s + 6, key);
    for (i = 0; i < TAG; ++i)
        tag[i] = (unsigned char)(s[6 + (i >> 2)] >> 8 * (i & 3));
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    half s[10], key[4];

    (void)nsec;
    start(s, key, k, npub, ad, adlen);
    absorb(s, c, m, mlen, 0);
    finish(c + mlen, s, key);
    *clen = mlen + TAG;
    return 0;
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub,
                        const unsigned char *k)
{
    const unsigned long long len = clen - TAG;
    unsigned char tag[TAG];
    unsigned long long i;
    half s[10], key[4];
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(s, key, k, npub, ad, adlen);
    absorb(s, m, c, len, 1);
    finish(tag, s, key);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    for (i = 0; wrong && i < len; ++i)
        m[i] = 0;
    *mlen = len;
    return wrong;
}
