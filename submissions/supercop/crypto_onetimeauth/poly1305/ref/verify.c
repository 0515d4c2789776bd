/* SPDX-License-Identifier: CC0-1.0 */
/* Computes the authenticator again and compares it in constant time: 0 if equal, else -1. */

#include "crypto_verify_16.h"
#include "crypto_onetimeauth.h"

int crypto_onetimeauth_verify(const unsigned char *h, const unsigned char *in,
                              unsigned long long inlen, const unsigned char *k)
{
    unsigned char correct[crypto_onetimeauth_BYTES];

    crypto_onetimeauth(correct, in, inlen, k);
    return crypto_verify_16(h, correct);
}
