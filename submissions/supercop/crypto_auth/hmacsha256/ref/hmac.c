/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HMAC-SHA-256 with a 32-byte key.
 *
 * RFC 2104, section 2: H(K ^ opad, H(K ^ ipad, text)), where K is padded with zeros to a
 * block. RFC 4231 has test vectors.
 * H is SHA-256: FIPS 180-4 (2015), sections 5.1.1, 5.3.3 and 6.2.
 */

#include "crypto_hashblocks_sha256.h"
#include "crypto_auth.h"

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

/* H of the key, in which each byte is changed with that of the pad, followed by in. */
static void keyed_hash(unsigned char state[32], const unsigned char *k, unsigned char change,
                       const unsigned char *in, unsigned long long inlen)
{
    unsigned char block[64];
    unsigned char last[128];
    unsigned int rest;
    int i;

    for (i = 0; i < 64; ++i)
        block[i] = (unsigned char)((i < crypto_auth_KEYBYTES ? k[i] : 0) ^ change);
    for (i = 0; i < 32; ++i)
        state[i] = first_state[i];
    crypto_hashblocks_sha256(state, block, 64);
    rest = (unsigned int)crypto_hashblocks_sha256(state, in, inlen);
    crypto_hashblocks_sha256(state, last,
                             pad(last, in + (inlen - rest), rest, 64 + inlen));
}

int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                const unsigned char *k)
{
    unsigned char inner[32];
    unsigned char outer[32];
    int i;

    keyed_hash(inner, k, 0x36, in, inlen);
    keyed_hash(outer, k, 0x5c, inner, 32);
    for (i = 0; i < crypto_auth_BYTES; ++i)
        out[i] = outer[i];
    return 0;
}
