/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Keccak[r=1024, c=576] with 1024 bits of output: Bertoni, Daemen, Peeters, Van Assche: The
 * Keccak reference, version 3.0 (2011): the sponge of section 1.1, padded with 10*1.
 */

#include "crypto_core_keccakf160064bits.h"
#include "crypto_hash.h"

#define RATE 128

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
    state[inlen] ^= 0x01;
    state[RATE - 1] ^= 0x80;
    permute(state);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = state[i];
    return 0;
}
