/* SPDX-License-Identifier: CC0-1.0 */
/* ChaCha20 with a 12-byte nonce and a 32-bit counter: RFC 8439, sections 2.1 to 2.4. */

#include "chacha20.h"

static uint32_t rotate(uint32_t u, int bits)
{
    return u << bits | u >> (32 - bits);
}

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

/* Section 2.1. */
static void quarterround(uint32_t x[16], int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 7);
}

/* Section 2.3.1: the inner block. */
static void doubleround(uint32_t x[16])
{
    quarterround(x, 0, 4, 8, 12);
    quarterround(x, 1, 5, 9, 13);
    quarterround(x, 2, 6, 10, 14);
    quarterround(x, 3, 7, 11, 15);

    quarterround(x, 0, 5, 10, 15);
    quarterround(x, 1, 6, 11, 12);
    quarterround(x, 2, 7, 8, 13);
    quarterround(x, 3, 4, 9, 14);
}

/* Section 2.3. */
static void make_block(unsigned char block[64], const uint32_t matrix[16])
{
    uint32_t x[16];
    int i;

    for (i = 0; i < 16; ++i)
        x[i] = matrix[i];
    for (i = 0; i < 10; ++i)
        doubleround(x);
    for (i = 0; i < 16; ++i)
        store(block + 4 * i, x[i] + matrix[i]);
}

void chacha20_xor(unsigned char *out, const unsigned char *in, unsigned long long len,
                  const unsigned char key[32], const unsigned char nonce[12], uint32_t counter)
{
    static const unsigned char sigma[17] = "expand 32-byte k";
    unsigned char block[64];
    uint32_t matrix[16];
    unsigned long long i;

    for (i = 0; i < 4; ++i)
        matrix[i] = load(sigma + 4 * i);
    for (i = 0; i < 8; ++i)
        matrix[4 + i] = load(key + 4 * i);
    for (i = 0; i < 3; ++i)
        matrix[13 + i] = load(nonce + 4 * i);
    for (i = 0; i < len; ++i) {
        if (i % 64 == 0) {
            matrix[12] = counter++;
            make_block(block, matrix);
        }
        out[i] = in[i] ^ block[i % 64];
    }
}
