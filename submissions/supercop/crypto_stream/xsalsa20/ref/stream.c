/* SPDX-License-Identifier: CC0-1.0 */
/*
 * XSalsa20, with a 32-byte key and a 24-byte nonce.
 *
 * D. J. Bernstein, "Extending the Salsa20 nonce" (2011), section 2: HSalsa20 makes a key from
 * the first 16 bytes of the nonce, and Salsa20 takes the other 8.
 */

#include "crypto_core_hsalsa20.h"
#include "crypto_stream_salsa20.h"
#include "crypto_stream.h"

static const unsigned char sigma[17] = "expand 32-byte k";

int crypto_stream(unsigned char *c, unsigned long long len, const unsigned char *n,
                  const unsigned char *k)
{
    unsigned char subkey[32];

    crypto_core_hsalsa20(subkey, n, k, sigma);
    return crypto_stream_salsa20(c, len, n + 16, subkey);
}

int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long len,
                      const unsigned char *n, const unsigned char *k)
{
    unsigned char subkey[32];

    crypto_core_hsalsa20(subkey, n, k, sigma);
    return crypto_stream_salsa20_xor(c, m, len, n + 16, subkey);
}
