/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Salsa20/20 as a stream cipher, with a 32-byte key and an 8-byte nonce.
 *
 * D. J. Bernstein, "Salsa20 specification" (2005), section 10: block i of the stream is the
 * Salsa20 core of the nonce followed by i in 8 bytes, least significant first. Section 9
 * has the constant.
 */

#include "crypto_core_salsa20.h"
#include "crypto_stream.h"

static const unsigned char sigma[17] = "expand 32-byte k";

static void next(unsigned char counter[8])
{
    unsigned int carry = 1;
    int i;

    for (i = 0; i < 8; ++i) {
        carry += counter[i];
        counter[i] = (unsigned char)carry;
        carry >>= 8;
    }
}

/* The stream is added to m; without m it is the output. The output may replace m, n or k. */
static int encrypt(unsigned char *c, const unsigned char *m, unsigned long long len,
                   const unsigned char *n, const unsigned char *k)
{
    unsigned char key[32];
    unsigned char in[16] = {0};
    unsigned char block[64];
    unsigned long long i;

    for (i = 0; i < 32; ++i)
        key[i] = k[i];
    for (i = 0; i < 8; ++i)
        in[i] = n[i];
    for (i = 0; i < len; ++i) {
        if (i % 64 == 0) {
            crypto_core_salsa20(block, in, key, sigma);
            next(in + 8);
        }
        c[i] = (unsigned char)((m ? m[i] : 0) ^ block[i % 64]);
    }
    return 0;
}

int crypto_stream(unsigned char *c, unsigned long long len, const unsigned char *n,
                  const unsigned char *k)
{
    return encrypt(c, 0, len, n, k);
}

int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long len,
                      const unsigned char *n, const unsigned char *k)
{
    return encrypt(c, m, len, n, k);
}
