/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The compression function of MD5 on whole blocks of 64 bytes.
 *
 * RFC 1321, section 3.4; words are least significant byte first (section 2). MD5 is broken:
 * it is here to be compared with.
 */

#include <stdint.h>
#include "crypto_hashblocks.h"

/* T[i + 1] of the RFC: the integer part of 2^32 times abs(sin(i + 1)). */
static const uint32_t T[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

/* How far a step turns to the left, by round and step modulo 4. */
static const unsigned char turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21},
};

/* Step i takes word (factor i + offset) modulo 16. */
static const unsigned char factor[4] = {1, 5, 3, 7};
static const unsigned char offset[4] = {0, 1, 5, 0};

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = (unsigned char)(u >> 8 * i & 255);
}

/* F, G, H or I. */
static uint32_t mixed(int round, uint32_t x, uint32_t y, uint32_t z)
{
    switch (round) {
    case 0:
        return (x & y) | (~x & z);
    case 1:
        return (x & z) | (y & ~z);
    case 2:
        return x ^ y ^ z;
    default:
        return y ^ (x | ~z);
    }
}

static void compress(uint32_t state[4], const unsigned char block[64])
{
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t sum;
    int bits;
    int round;
    int i;

    for (i = 0; i < 64; ++i) {
        round = i / 16;
        bits = turns[round][i % 4];
        sum = a + mixed(round, b, c, d) + T[i]
              + load(block + 4 * ((factor[round] * i + offset[round]) % 16));
        a = d;
        d = c;
        c = b;
        b += sum << bits | sum >> (32 - bits);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

/* Returns how many bytes at the end, less than a block, were left alone. */
int crypto_hashblocks(unsigned char *statebytes, const unsigned char *in, unsigned long long inlen)
{
    uint32_t state[4];
    int i;

    for (i = 0; i < 4; ++i)
        state[i] = load(statebytes + 4 * i);
    for (; inlen >= 64; in += 64, inlen -= 64)
        compress(state, in);
    for (i = 0; i < 4; ++i)
        store(statebytes + 4 * i, state[i]);
    return (int)inlen;
}
