/* SPDX-License-Identifier: CC0-1.0 */
/* MD5 of OpenSSL, by the functions that need no memory and fetch nothing by name. */

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    MD5_CTX context;

    if (!MD5_Init(&context) || !MD5_Update(&context, in, inlen) ||
        !MD5_Final(out, &context))
        return -1;
    return 0;
}
