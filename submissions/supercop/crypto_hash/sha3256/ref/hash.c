/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA3-256: FIPS 202 (2015), section 6.1, the sponge of section 4 with a rate of 136 bytes;
 * the suffix 01 and the padding of section 5.1 are, in bytes, 06 00 .. 00 80 (appendix B.2).
 */

#include "crypto_core_keccakf160064bits.h"
#include "crypto_hash.h"

#define RATE 136

static const unsigned char nothing[1] = {0};

static void permute(unsigned char state[200])
{
    crypto_core_keccakf160064bits(state, state, nothing, nothing);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char state[200] = {0};
    unsigned int i;

    for (; inlen >= RATE; in += RATE, inlen -= RATE) {
        for (i = 0; i < RATE; ++i)
            state[i] ^= in[i];
        permute(state);
    }
    for (i = 0; i < inlen; ++i)
        state[i] ^= in[i];
    state[inlen] ^= 0x06;
    state[RATE - 1] ^= 0x80;
    permute(state);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = state[i];
    return 0;
}
