/* SPDX-License-Identifier: CC0-1.0 */
/*
 * XSalsa20 encrypts and Poly1305 authenticates.
 *
 * D. J. Bernstein, "Cryptography in NaCl" (2009). The message begins
 * with 32 zero bytes, where the stream gives the key of Poly1305; the box begins with 16
 * zero bytes, then comes the authenticator.
 */

#include "crypto_onetimeauth_poly1305.h"
#include "crypto_stream_xsalsa20.h"
#include "crypto_declassify.h"
#include "crypto_secretbox.h"

#define ZEROBYTES crypto_secretbox_ZEROBYTES
#define BOXZEROBYTES crypto_secretbox_BOXZEROBYTES

int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                     const unsigned char *n, const unsigned char *k)
{
    int i;

    if (mlen < ZEROBYTES)
        return -1;
    crypto_stream_xsalsa20_xor(c, m, mlen, n, k);
    crypto_onetimeauth_poly1305(c + BOXZEROBYTES, c + ZEROBYTES, mlen - ZEROBYTES, c);
    for (i = 0; i < BOXZEROBYTES; ++i)
        c[i] = 0;
    return 0;
}

int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long clen,
                          const unsigned char *n, const unsigned char *k)
{
    unsigned char key[ZEROBYTES];
    int wrong;
    int i;

    if (clen < ZEROBYTES)
        return -1;
    crypto_stream_xsalsa20(key, sizeof key, n, k);
    wrong = crypto_onetimeauth_poly1305_verify(c + BOXZEROBYTES, c + ZEROBYTES, clen - ZEROBYTES,
                                               key);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether a box was forged */
    if (wrong)
        return -1;
    crypto_stream_xsalsa20_xor(m, c, clen, n, k);
    for (i = 0; i < ZEROBYTES; ++i)
        m[i] = 0;
    return 0;
}
