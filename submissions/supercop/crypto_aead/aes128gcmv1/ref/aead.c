/* SPDX-License-Identifier: CC0-1.0 */
/* AES-128-GCM with nonces of 12 bytes: SP 800-38D, section 7. The tag follows the ciphertext. */

#include "crypto_verify_16.h"
#include "aes128.h"
#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "ghash.h"

#define TAG crypto_aead_ABYTES
#define NONCE crypto_aead_NPUBBYTES

typedef struct {
    aes128 aes;
    ghash hash;
    unsigned char counter[16]; /* the nonce and a number of 32 bits */
    unsigned char mask[16];    /* of the tag */
} gcm;

/* Steps 1 and 2 of algorithm 4; the associated data. */
static void start(gcm *g, const unsigned char *k, const unsigned char *npub,
                  const unsigned char *ad, unsigned long long adlen)
{
    unsigned char h[16] = {0};
    int i;

    aes128_start(&g->aes, k);
    aes128_encrypt(h, &g->aes, h);
    for (i = 0; i < 16; ++i)
        g->counter[i] = i < NONCE ? npub[i] : i == 15;
    aes128_encrypt(g->mask, &g->aes, g->counter);
    ghash_start(&g->hash, h);
    ghash_padded(&g->hash, ad, adlen);
}

/* Section 6.2: the last 32 bits count. */
static void count(unsigned char counter[16])
{
    unsigned int carry = 1;
    int i;

    for (i = 15; i >= NONCE; --i) {
        carry += counter[i];
        counter[i] = (unsigned char)(carry & 255);
        carry >>= 8;
    }
}

/* Algorithm 3, from the number behind the first one on; out may be in. */
static void xor_stream(gcm *g, unsigned char *out, const unsigned char *in,
                       unsigned long long len)
{
    unsigned char block[16];
    unsigned long long i;

    for (i = 0; i < len; ++i) {
        if (i % 16 == 0) {
            count(g->counter);
            aes128_encrypt(block, &g->aes, g->counter);
        }
        out[i] = in[i] ^ block[i % 16];
    }
}

/* The ciphertext, both lengths in bits, and the mask. */
static void finish(unsigned char tag[TAG], gcm *g, const unsigned char *c,
                   unsigned long long clen, unsigned long long adlen)
{
    unsigned char lengths[16];
    int i;

    for (i = 0; i < 8; ++i) {
        lengths[7 - i] = (unsigned char)(adlen << 3 >> 8 * i & 255);
        lengths[15 - i] = (unsigned char)(clen << 3 >> 8 * i & 255);
    }
    ghash_padded(&g->hash, c, clen);
    ghash_padded(&g->hash, lengths, sizeof lengths);
    ghash_finish(tag, &g->hash);
    for (i = 0; i < TAG; ++i)
        tag[i] ^= g->mask[i];
}

int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    gcm g;

    (void)nsec;
    start(&g, k, npub, ad, adlen);
    xor_stream(&g, c, m, mlen);
    finish(c + mlen, &g, c, mlen, adlen);
    *clen = mlen + TAG;
    return 0;
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub,
                        const unsigned char *k)
{
    unsigned char tag[TAG];
    int wrong;
    gcm g;

    (void)nsec;
    if (clen < TAG)
        return -1;
    *mlen = clen - TAG;
    start(&g, k, npub, ad, adlen);
    finish(tag, &g, c, *mlen, adlen);
    wrong = crypto_verify_16(tag, c + *mlen);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    if (!wrong)
        xor_stream(&g, m, c, *mlen);
    return wrong;
}
