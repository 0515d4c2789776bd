/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The compression function of SHA-512 on whole blocks of 128 bytes, unrolled: sixteen
 * steps at a time, in which no word moves, with the last sixteen words of the schedule.
 *
 * FIPS 180-4 (2015): the functions are section 4.1.3, the constants 4.2.3, the steps 6.4.2;
 * words are most significant byte first (section 3.1).
 */

#include <stdint.h>
#include "crypto_hashblocks.h"

static const uint64_t K[80] = {
    0x428a2f98d728ae22u, 0x7137449123ef65cdu, 0xb5c0fbcfec4d3b2fu, 0xe9b5dba58189dbbcu,
    0x3956c25bf348b538u, 0x59f111f1b605d019u, 0x923f82a4af194f9bu, 0xab1c5ed5da6d8118u,
    0xd807aa98a3030242u, 0x12835b0145706fbeu, 0x243185be4ee4b28cu, 0x550c7dc3d5ffb4e2u,
    0x72be5d74f27b896fu, 0x80deb1fe3b1696b1u, 0x9bdc06a725c71235u, 0xc19bf174cf692694u,
    0xe49b69c19ef14ad2u, 0xefbe4786384f25e3u, 0x0fc19dc68b8cd5b5u, 0x240ca1cc77ac9c65u,
    0x2de92c6f592b0275u, 0x4a7484aa6ea6e483u, 0x5cb0a9dcbd41fbd4u, 0x76f988da831153b5u,
    0x983e5152ee66dfabu, 0xa831c66d2db43210u, 0xb00327c898fb213fu, 0xbf597fc7beef0ee4u,
    0xc6e00bf33da88fc2u, 0xd5a79147930aa725u, 0x06ca6351e003826fu, 0x142929670a0e6e70u,
    0x27b70a8546d22ffcu, 0x2e1b21385c26c926u, 0x4d2c6dfc5ac42aedu, 0x53380d139d95b3dfu,
    0x650a73548baf63deu, 0x766a0abb3c77b2a8u, 0x81c2c92e47edaee6u, 0x92722c851482353bu,
    0xa2bfe8a14cf10364u, 0xa81a664bbc423001u, 0xc24b8b70d0f89791u, 0xc76c51a30654be30u,
    0xd192e819d6ef5218u, 0xd69906245565a910u, 0xf40e35855771202au, 0x106aa07032bbd1b8u,
    0x19a4c116b8d2d0c8u, 0x1e376c085141ab53u, 0x2748774cdf8eeb99u, 0x34b0bcb5e19b48a8u,
    0x391c0cb3c5c95a63u, 0x4ed8aa4ae3418acbu, 0x5b9cca4f7763e373u, 0x682e6ff3d6b2b8a3u,
    0x748f82ee5defb2fcu, 0x78a5636f43172f60u, 0x84c87814a1f0ab72u, 0x8cc702081a6439ecu,
    0x90befffa23631e28u, 0xa4506cebde82bde9u, 0xbef9a3f7b2c67915u, 0xc67178f2e372532bu,
    0xca273eceea26619cu, 0xd186b8c721c0c207u, 0xeada7dd6cde0eb1eu, 0xf57d4f7fee6ed178u,
    0x06f067aa72176fbau, 0x0a637dc5a2c898a6u, 0x113f9804bef90daeu, 0x1b710b35131c471bu,
    0x28db77f523047d84u, 0x32caab7b40c72493u, 0x3c9ebe0a15c9bebcu, 0x431d67c49c100d4cu,
    0x4cc5d4becb3e42b6u, 0x597f299cfc657e2au, 0x5fcb6fab3ad6faecu, 0x6c44198c4a475817u,
};

static uint64_t load(const unsigned char *x)
{
    uint64_t u = 0;
    int i;

    for (i = 0; i < 8; ++i)
        u = u << 8 | x[i];
    return u;
}

static void store(unsigned char *x, uint64_t u)
{
    int i;

    for (i = 7; i >= 0; --i, u >>= 8)
        x[i] = (unsigned char)(u & 255);
}

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (64 - (bits)))
#define Sigma0(x) (RIGHT(x, 28) ^ RIGHT(x, 34) ^ RIGHT(x, 39))
#define Sigma1(x) (RIGHT(x, 14) ^ RIGHT(x, 18) ^ RIGHT(x, 41))
#define sigma0(x) (RIGHT(x, 1) ^ RIGHT(x, 8) ^ (x) >> 7)
#define sigma1(x) (RIGHT(x, 19) ^ RIGHT(x, 61) ^ (x) >> 6)

/*
 * Step t + i, and word t + i + 16 of the schedule. The caller turns the names instead of
 * moving the words. Ch and Maj are rewritten with fewer operations.
 */
#define STEP(a, b, c, d, e, f, g, h, i)                                                           \
    do {                                                                                          \
        const uint64_t T1 = h + Sigma1(e) + ((e & (f ^ g)) ^ g) + K[t + (i)] + W[i];              \
                                                                                                  \
        d += T1;                                                                                  \
        h = T1 + Sigma0(a) + ((a & (b | c)) | (b & c));                                           \
        W[i] += sigma1(W[((i) + 14) & 15]) + W[((i) + 9) & 15] + sigma0(W[((i) + 1) & 15]);       \
    } while (0)

static void compress(uint64_t state[8], const unsigned char block[128])
{
    uint64_t W[16];
    uint64_t a = state[0];
    uint64_t b = state[1];
    uint64_t c = state[2];
    uint64_t d = state[3];
    uint64_t e = state[4];
    uint64_t f = state[5];
    uint64_t g = state[6];
    uint64_t h = state[7];
    int t;
    int i;

    for (i = 0; i < 16; ++i)
        W[i] = load(block + 8 * i);
    for (t = 0; t < 80; t += 16) {
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
    uint64_t state[8];
    int i;

    for (i = 0; i < 8; ++i)
        state[i] = load(statebytes + 8 * i);
    for (; inlen >= 128; in += 128, inlen -= 128)
        compress(state, in);
    for (i = 0; i < 8; ++i)
        store(statebytes + 8 * i, state[i]);
    return (int)inlen;
}
