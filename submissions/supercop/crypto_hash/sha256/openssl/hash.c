/* SPDX-License-Identifier: CC0-1.0 */
/* SHA-256 of OpenSSL, by the functions that need no memory and fetch nothing by name. */

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    SHA256_CTX context;

    if (!SHA256_Init(&context) || !SHA256_Update(&context, in, inlen) ||
        !SHA256_Final(out, &context))
        return -1;
    return 0;
}
