/* SPDX-License-Identifier: CC0-1.0 */
/* RIPEMD-160 of OpenSSL, by the functions that need no memory and fetch nothing by name. */

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/ripemd.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    RIPEMD160_CTX context;

    if (!RIPEMD160_Init(&context) || !RIPEMD160_Update(&context, in, inlen) ||
        !RIPEMD160_Final(out, &context))
        return -1;
    return 0;
}
