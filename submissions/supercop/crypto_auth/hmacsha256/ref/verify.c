/* SPDX-License-Identifier: CC0-1.0 */
/* Computes the authenticator again and compares it in constant time: 0 if equal, else -1. */

#include "crypto_verify_32.h"
#include "crypto_auth.h"

int crypto_auth_verify(const unsigned char *h, const unsigned char *in, unsigned long long inlen,
                       const unsigned char *k)
{
    unsigned char correct[crypto_auth_BYTES];

    crypto_auth(correct, in, inlen, k);
    return crypto_verify_32(h, correct);
}
