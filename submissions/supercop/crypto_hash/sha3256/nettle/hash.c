/* SPDX-License-Identifier: CC0-1.0 */
/* SHA3-256 of Nettle. */

#include <nettle/sha3.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    struct sha3_256_ctx context;

    sha3_256_init(&context);
    sha3_256_update(&context, inlen, in);
    sha3_256_digest(&context, crypto_hash_BYTES, out);
    return 0;
}
