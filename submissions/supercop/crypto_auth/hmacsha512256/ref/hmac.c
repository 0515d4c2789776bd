/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HMAC-SHA-512, of which the first 32 bytes are kept, with a 32-byte key.
 *
 * RFC 2104, section 2: H(K ^ opad, H(K ^ ipad, text)), where K is padded with zeros to a
 * block; truncation is section 5. RFC 4231 has test vectors.
 * H is SHA-512: FIPS 180-4 (2015), sections 5.1.2, 5.3.5 and 6.4.
 */

#include "crypto_hashblocks_sha512.h"
#include "crypto_auth.h"

static const unsigned char first_state[64] = {
    0x6a, 0x09, 0xe6, 0x67, 0xf3, 0xbc, 0xc9, 0x08, 0xbb, 0x67, 0xae, 0x85, 0x84, 0xca, 0xa7, 0x3b,
    0x3c, 0x6e, 0xf3, 0x72, 0xfe, 0x94, 0xf8, 0x2b, 0xa5, 0x4f, 0xf5, 0x3a, 0x5f, 0x1d, 0x36, 0xf1,
    0x51, 0x0e, 0x52, 0x7f, 0xad, 0xe6, 0x82, 0xd1, 0x9b, 0x05, 0x68, 0x8c, 0x2b, 0x3e, 0x6c, 0x1f,
    0x1f, 0x83, 0xd9, 0xab, 0xfb, 0x41, 0xbd, 0x6b, 0x5b, 0xe0, 0xcd, 0x19, 0x13, 0x7e, 0x21, 0x79,
};

/*
 * Section 5.1.2: the last block or two, from the `rest` bytes that are left and the length
 * in bytes; the length in bits is the last 16 bytes.
 */
static unsigned int pad(unsigned char last[256], const unsigned char *in, unsigned int rest,
                        unsigned long long total)
{
    const unsigned int size = rest < 112 ? 128 : 256;
    unsigned int i;

    for (i = 0; i < rest; ++i)
        last[i] = in[i];
    for (i = rest; i < size; ++i)
        last[i] = 0;
    last[rest] = 0x80;
    last[size - 9] = (unsigned char)(total >> 61);
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(total << 3 >> 8 * i & 255);
    return size;
}

/* H of the key, in which each byte is changed with that of the pad, followed by in. */
static void keyed_hash(unsigned char state[64], const unsigned char *k, unsigned char change,
                       const unsigned char *in, unsigned long long inlen)
{
    unsigned char block[128];
    unsigned char last[256];
    unsigned int rest;
    int i;

    for (i = 0; i < 128; ++i)
        block[i] = (unsigned char)((i < crypto_auth_KEYBYTES ? k[i] : 0) ^ change);
    for (i = 0; i < 64; ++i)
        state[i] = first_state[i];
    crypto_hashblocks_sha512(state, block, 128);
    rest = (unsigned int)crypto_hashblocks_sha512(state, in, inlen);
    crypto_hashblocks_sha512(state, last,
                             pad(last, in + (inlen - rest), rest, 128 + inlen));
}

int crypto_auth(unsigned char *out, const unsigned char *in, unsigned long long inlen,
                const unsigned char *k)
{
    unsigned char inner[64];
    unsigned char outer[64];
    int i;

    keyed_hash(inner, k, 0x36, in, inlen);
    keyed_hash(outer, k, 0x5c, inner, 64);
    for (i = 0; i < crypto_auth_BYTES; ++i)
        out[i] = outer[i];
    return 0;
}
