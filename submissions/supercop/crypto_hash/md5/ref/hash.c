/* SPDX-License-Identifier: CC0-1.0 */
/*
 * MD5: RFC 1321; padding is sections 3.1 and 3.2, the first state 3.3. MD5 is broken:
 * it is here to be compared with.
 */

#include "crypto_hashblocks_md5.h"
#include "crypto_hash.h"

static const unsigned char first_state[16] = {
    0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10,
};

/*
 * Sections 3.1 and 3.2: the last block or two, from the `rest` bytes that are left and the
 * length in bytes; the length in bits is the last 8 bytes.
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
        last[size - 8 + i] = (unsigned char)(total << 3 >> 8 * i & 255);
    return size;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char state[16];
    unsigned char last[128];
    unsigned int rest;
    int i;

    for (i = 0; i < 16; ++i)
        state[i] = first_state[i];
    rest = (unsigned int)crypto_hashblocks_md5(state, in, inlen);
    crypto_hashblocks_md5(state, last, pad(last, in + (inlen - rest), rest, inlen));
    for (i = 0; i < 16; ++i)
        out[i] = state[i];
    return 0;
}
