/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The compression function of SHA-256 on whole blocks of 64 bytes, unrolled: sixteen
 * steps at a time, in which no word moves, with the last sixteen words of the schedule.
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

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (32 - (bits)))
#define Sigma0(x) (RIGHT(x, 2) ^ RIGHT(x, 13) ^ RIGHT(x, 22))
#define Sigma1(x) (RIGHT(x, 6) ^ RIGHT(x, 11) ^ RIGHT(x, 25))
#define sigma0(x) (RIGHT(x, 7) ^ RIGHT(x, 18) ^ (x) >> 3)
#define sigma1(x) (RIGHT(x, 17) ^ RIGHT(x, 19) ^ (x) >> 10)

/*
 * Step t + i, and word t + i + 16 of the schedule. The caller turns the names instead of
 * moving the words. Ch and Maj are rewritten with fewer operations.
 */
#define STEP(a, b, c, d, e, f, g, h, i)                                                           \
    do {                                                                                          \
        const uint32_t T1 = h + Sigma1(e) + ((e & (f ^ g)) ^ g) + K[t + (i)] + W[i];              \
                                                                                                  \
        d += T1;                                                                                  \
        h = T1 + Sigma0(a) + ((a & (b | c)) | (b & c));                                           \
        W[i] += sigma1(W[((i) + 14) & 15]) + W[((i) + 9) & 15] + sigma0(W[((i) + 1) & 15]);       \
    } while (0)

static void compress(uint32_t state[8], const unsigned char block[64])
{
    uint32_t W[16];
    uint32_t a = state[0];
    uint32_t b = state[1];
    uint32_t c = state[2];
    uint32_t d = state[3];
    uint32_t e = state[4];
    uint32_t f = state[5];
    uint32_t g = state[6];
    uint32_t h = state[7];
    int t;
    int i;

    for (i = 0; i < 16; ++i)
        W[i] = load(block + 4 * i);
    for (t = 0; t < 64; t += 16) {
        STEP(a, b, c, d, e, f, g, h, 0);
        STEP(h, a, b, c, d, e, f, g, 1);
        STEP(g, h, a, b, c, d, e, f, 2);
        STEP(f, g, h, a, b, c, d, e, 3);
        STEP(e, f, g, h, a, b, c, d, 4);
        STEP(d, e, f, g, h, a, b, c, 5);
        STEP(c, d, e, f, g, h, a, b, 6);
        STEP(b, c, d, e, f, g, h, a, 7);
        STEP(a, b, c, d, e, f, g, h, 8);
        STEP(h, a, b, c, d, e, f, g, 9);
        STEP(g, h, a, b, c, d, e, f, 10);
        STEP(f, g, h, a, b, c, d, e, 11);
        STEP(e, f, g, h, a, b, c, d, 12);
        STEP(d, e, f, g, h, a, b, c, 13);
        STEP(c, d, e, f, g, h, a, b, 14);
        STEP(b, c, d, e, f, g, h, a, 15);
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
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
