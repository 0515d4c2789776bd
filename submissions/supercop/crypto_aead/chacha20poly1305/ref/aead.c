/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha20 encrypts and Poly1305 authenticates: RFC 8439, section 2.8. The tag follows the
 * ciphertext.
 */

#include "crypto_verify_16.h"
#include "crypto_declassify.h"
#include "crypto_aead.h"
#include "chacha20.h"
#include "poly1305.h"

#define TAG crypto_aead_ABYTES

/* Section 2.6: the first 32 bytes of block 0 are the key of Poly1305. Then comes the data. */
static void start(poly1305 *p, const unsigned char *ad, unsigned long long adlen,
                  const unsigned char *nonce, const unsigned char *key)
{
    static const unsigned char zeros[32] = {0};
    unsigned char onetime_key[32];

    chacha20_xor(onetime_key, zeros, sizeof onetime_key, key, nonce, 0);
    poly1305_start(p, onetime_key);
    poly1305_padded(p, ad, adlen);
}

/* The ciphertext and both lengths. */
static void finish(unsigned char tag[TAG], poly1305 *p, const unsigned char *c,
                   unsigned long long clen, unsigned long long adlen)
{
    unsigned char lengths[16];
    int i;

    for (i = 0; i < 8; ++i) {
        lengths[i] = (unsigned char)(adlen >> 8 * i & 255);
        lengths[8 + i] = (unsigned char)(clen >> 8 * i & 255);
    }
    poly1305_padded(p, c, clen);
    poly1305_padded(p, lengths, sizeof lengths);
    poly1305_finish(tag, p);
}

/* The data is taken in before c is written, and chacha20_xor copies key and nonce first. */
int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *nsec,
                        const unsigned char *npub, const unsigned char *k)
{
    poly1305 p;

    (void)nsec;
    start(&p, ad, adlen, npub, k);
    chacha20_xor(c, m, mlen, k, npub, 1);
    finish(c + mlen, &p, c, mlen, adlen);
    *clen = mlen + TAG;
    return 0;
}

int crypto_aead_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                        const unsigned char *c, unsigned long long clen, const unsigned char *ad,
                        unsigned long long adlen, const unsigned char *npub,
                        const unsigned char *k)
{
    unsigned char tag[TAG];
    poly1305 p;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    *mlen = clen - TAG;
    start(&p, ad, adlen, npub, k);
    finish(tag, &p, c, *mlen, adlen);
    wrong = crypto_verify_16(tag, c + *mlen);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    if (!wrong)
        chacha20_xor(m, c, *mlen, k, npub, 1);
    return wrong;
}
