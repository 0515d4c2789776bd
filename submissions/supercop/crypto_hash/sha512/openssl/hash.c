/* SPDX-License-Identifier: CC0-1.0 */
/* SHA-512 of OpenSSL, by the functions that need no memory and fetch nothing by name. */

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    SHA512_CTX context;

    if (!SHA512_Init(&context) || !SHA512_Update(&context, in, inlen) ||
        !SHA512_Final(out, &context))
        return -1;
    return 0;
}
