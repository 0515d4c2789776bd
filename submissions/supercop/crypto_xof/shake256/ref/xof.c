/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHAKE256: FIPS 202 (2015), section 6.2, the sponge of section 4 with a rate of 136 bytes;
 * the suffix 1111 and the padding of section 5.1 are, in bytes, 1f 00 .. 00 80 (appendix B.2).
 */

#include "crypto_core_keccakf160064bits.h"
#include "crypto_xof.h"

#define RATE 136

static const unsigned char nothing[1] = {0};

static void permute(unsigned char state[200])
{
    crypto_core_keccakf160064bits(state, state, nothing, nothing);
}

static void absorb(unsigned char state[200], const unsigned char *in, long long inlen)
{
    int i;

    for (; inlen >= RATE; in += RATE, inlen -= RATE) {
        for (i = 0; i < RATE; ++i)
            state[i] ^= in[i];
        permute(state);
    }
    for (i = 0; i < inlen; ++i)
        state[i] ^= in[i];
    state[inlen] ^= 0x1f;
    state[RATE - 1] ^= 0x80;
}

int crypto_xof(unsigned char *out, long long outlen, const unsigned char *in, long long inlen)
{
    unsigned char state[200] = {0};
    int i;

    absorb(state, in, inlen);
    for (; outlen > 0; out += RATE, outlen -= RATE) {
        permute(state);
        for (i = 0; i < RATE && i < outlen; ++i)
            out[i] = state[i];
    }
    return 0;
}
