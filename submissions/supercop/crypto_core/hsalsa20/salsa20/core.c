/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HSalsa20 from the Salsa20 core: what Salsa20 adds at its end is subtracted again.
 *
 * D. J. Bernstein, "Extending the Salsa20 nonce" (2011), section 2. The words that are put
 * out are at the places of the constant and of the input, so what was added is known.
 */

#include <stdint.h>
#include "crypto_core_salsa20.h"
#include "crypto_core.h"

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = (unsigned char)(u >> 8 * i);
}

int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c)
{
    unsigned char block[64];
    uint32_t words[8];
    int i;

    crypto_core_salsa20(block, in, k, c);
    for (i = 0; i < 4; ++i) {
        words[i] = load(block + 20 * i) - load(c + 4 * i);
        words[4 + i] = load(block + 24 + 4 * i) - load(in + 4 * i);
    }
    for (i = 0; i < 8; ++i)
        store(out + 4 * i, words[i]);
    return 0;
}
