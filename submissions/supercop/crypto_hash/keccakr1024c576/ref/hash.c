/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Keccak[r=1024, c=576] with 1024 bits of output, as in the second round of the SHA-3
 * competition: Bertoni, Daemen, Peeters, Van Assche: Keccak specifications, version 2 (2009): the
 * sponge is its algorithm 1; its padding is 1 and zeros up to a byte, the diversifier (0), the
 * rate in bytes, then 1 and zeros up to a block.
 */

#include "crypto_core_keccakf160064bits.h"
#include "crypto_hash.h"

#define RATE 128
#define PADDING 4 /* bytes, zeros not counted */

static const unsigned char nothing[1] = {0};

static void take(unsigned char state[200], const unsigned char block[RATE])
{
    unsigned int i;

    for (i = 0; i < RATE; ++i)
        state[i] ^= block[i];
    crypto_core_keccakf160064bits(state, state, nothing, nothing);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[2 * RATE] = {0};
    unsigned char state[200] = {0};
    unsigned int i;

    for (; inlen >= RATE; in += RATE, inlen -= RATE)
        take(state, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x01;
    last[inlen + 2] = RATE;
    last[inlen + 3] = 0x01;
    take(state, last);
    if (inlen + PADDING > RATE)
        take(state, last + RATE);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = state[i];
    return 0;
}
