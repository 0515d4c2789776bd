/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA-256 in one small file, which needs no other primitive.
 *
 * FIPS 180-4 (2015), section 6.2; the functions are section 4.1.2, the constants 4.2.2,
 * padding 5.1.1, the first state 5.3.3.
 */

#include <stdint.h>
#include "crypto_hash.h"

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

static const uint32_t first_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static uint32_t turned(uint32_t u, int bits1, int bits2, int bits3)
{
    return (u >> bits1 | u << (32 - bits1)) ^ (u >> bits2 | u << (32 - bits2))
           ^ (u >> bits3 | u << (32 - bits3));
}

static uint32_t sigma(uint32_t u, int bits1, int bits2, int shift)
{
    return (u >> bits1 | u << (32 - bits1)) ^ (u >> bits2 | u << (32 - bits2)) ^ u >> shift;
}

/* Sixteen words of the schedule are kept: w[t % 16] is renewed before step t + 16. */
static void compress(uint32_t state[8], uint32_t w[16])
{
    uint32_t s[8];
    uint32_t T1;
    uint32_t T2;
    unsigned int t;
    unsigned int i;

    for (i = 0; i < 8; ++i)
        s[i] = state[i];
    for (t = 0; t < 64; ++t) {
        T1 = s[7] + turned(s[4], 6, 11, 25) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + K[t] + w[t % 16];
        T2 = turned(s[0], 2, 13, 22) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        w[t % 16] += sigma(w[(t + 14) % 16], 17, 19, 10) + w[(t + 9) % 16]
                     + sigma(w[(t + 1) % 16], 7, 18, 3);
        for (i = 7; i > 0; --i)
            s[i] = s[i - 1];
        s[4] += T1;
        s[0] = T1 + T2;
    }
    for (i = 0; i < 8; ++i)
        state[i] += s[i];
}

/* Byte i of the padded message; the length in bits stands in the last 8 of end bytes. */
static unsigned char padded(const unsigned char *in, unsigned long long inlen,
                            unsigned long long i, unsigned long long end)
{
    if (i < inlen)
        return in[i];
    if (i == inlen)
        return 0x80;
    return i < end - 8 ? 0 : (unsigned char)(inlen << 3 >> 8 * (end - 1 - i) & 255);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    const unsigned long long end = (inlen + 72) / 64 * 64;
    uint32_t state[8];
    uint32_t w[16] = {0};
    unsigned long long i;

    for (i = 0; i < 8; ++i)
        state[i] = first_state[i];
    for (i = 0; i < end; ++i) {
        w[i / 4 % 16] = w[i / 4 % 16] << 8 | padded(in, inlen, i, end);
        if (i % 64 == 63)
            compress(state, w);
    }
    for (i = 0; i < 32; ++i)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)) & 255);
    return 0;
}
