/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA-256: FIPS 180-4 (2015), section 6.2; padding is section 5.1.1, the first state 5.3.3.
 */

#include "crypto_hashblocks_sha256.h"
#include "crypto_hash.h"

static const unsigned char first_state[32] = {
    0x6a, 0x09, 0xe6, 0x67, 0xbb, 0x67, 0xae, 0x85, 0x3c, 0x6e, 0xf3, 0x72, 0xa5, 0x4f, 0xf5, 0x3a,
    0x51, 0x0e, 0x52, 0x7f, 0x9b, 0x05, 0x68, 0x8c, 0x1f, 0x83, 0xd9, 0xab, 0x5b, 0xe0, 0xcd, 0x19,
};

/*
 * Section 5.1.1: the last block or two, from the `rest` bytes that are left and the length
 * in bytes; the length in bits is the last 8 bytes.
 */
static unsigned int pad(unsigned char last[128], const unsigned char *in, unsigned int rest,
                        unsigned long long total)
{
    const unsigned int size = rest < 56 ? 64 : 128;
    unsigned int i;

    for (i = 0; i < rest; ++i)
        last[i] = in[i];
    for (i = rest; i < size; ++i)
        last[i] = 0;
    last[rest] = 0x80;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(total << 3 >> 8 * i & 255);
    return size;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char state[32];
    unsigned char last[128];
    unsigned int rest;
    int i;

    for (i = 0; i < 32; ++i)
        state[i] = first_state[i];
    rest = (unsigned int)crypto_hashblocks_sha256(state, in, inlen);
    crypto_hashblocks_sha256(state, last, pad(last, in + (inlen - rest), rest, inlen));
    for (i = 0; i < 32; ++i)
        out[i] = state[i];
    return 0;
}
