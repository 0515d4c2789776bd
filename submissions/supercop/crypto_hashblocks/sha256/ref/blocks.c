/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The compression function of SHA-256 on whole blocks of 64 bytes.
 *
 * FIPS 180-4 (2015): the functions are section 4.1.2, the constants 4.2.2, the steps 6.2.2;
 * words are most significant byte first (section 3.1).
 */

#include <stdint.h>
#include "crypto_hashblocks.h"

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t load(const unsigned char *x)
{
    uint32_t u = 0;
    int i;

    for (i = 0; i < 4; ++i)
        u = u << 8 | x[i];
    return u;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 3; i >= 0; --i, u >>= 8)
        x[i] = (unsigned char)(u & 255);
}

static uint32_t right(uint32_t u, int bits)
{
    return u >> bits | u << (32 - bits);
}

static uint32_t ch(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (~x & z);
}

static uint32_t maj(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint32_t Sigma0(uint32_t x)
{
    return right(x, 2) ^ right(x, 13) ^ right(x, 22);
}

static uint32_t Sigma1(uint32_t x)
{
    return right(x, 6) ^ right(x, 11) ^ right(x, 25);
}

static uint32_t sigma0(uint32_t x)
{
    return right(x, 7) ^ right(x, 18) ^ x >> 3;
}

static uint32_t sigma1(uint32_t x)
{
    return right(x, 17) ^ right(x, 19) ^ x >> 10;
}

static void compress(uint32_t state[8], const unsigned char block[64])
{
    uint32_t W[64];
    uint32_t s[8]; /* a .. h of the standard */
    uint32_t T1;
    uint32_t T2;
    int t;
    int i;

    for (t = 0; t < 16; ++t)
        W[t] = load(block + 4 * t);
    for (t = 16; t < 64; ++t)
        W[t] = sigma1(W[t - 2]) + W[t - 7] + sigma0(W[t - 15]) + W[t - 16];

    for (i = 0; i < 8; ++i)
        s[i] = state[i];
    for (t = 0; t < 64; ++t) {
        T1 = s[7] + Sigma1(s[4]) + ch(s[4], s[5], s[6]) + K[t] + W[t];
        T2 = Sigma0(s[0]) + maj(s[0], s[1], s[2]);
        for (i = 7; i > 0; --i)
            s[i] = s[i - 1];
        s[4] += T1;
        s[0] = T1 + T2;
    }
    for (i = 0; i < 8; ++i)
        state[i] += s[i];
}

/* Returns how many bytes at the end, less than a block, were left alone. */
int crypto_hashblocks(unsigned char *statebytes, const unsigned char *in, unsigned long long inlen)
{
    uint32_t state[8];
    int i;

    for (i = 0; i < 8; ++i)
        state[i] = load(statebytes + 4 * i);
    for (; inlen >= 64; in += 64, inlen -= 64)
        compress(state, in);
    for (i = 0; i < 8; ++i)
        store(statebytes + 4 * i, state[i]);
    return (int)inlen;
}
