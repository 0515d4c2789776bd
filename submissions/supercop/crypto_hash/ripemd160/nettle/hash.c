/* SPDX-License-Identifier: CC0-1.0 */
/* RIPEMD-160 of Nettle. */

#include <nettle/ripemd160.h>
#include "crypto_hash.h"

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    struct ripemd160_ctx context;

    ripemd160_init(&context);
    ripemd160_update(&context, inlen, in);
    ripemd160_digest(&context, crypto_hash_BYTES, out);
    return 0;
}
