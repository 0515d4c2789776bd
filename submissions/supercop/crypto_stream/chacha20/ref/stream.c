/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha20 as a stream cipher, with a 32-byte key and an 8-byte nonce.
 *
 * D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008), section 3: the words of the matrix
 * are the constant, the key, a 64-bit block counter and the nonce. (RFC 8439 has the same
 * rounds, but a 32-bit counter and a 12-byte nonce.)
 */

#include <stdint.h>
#include "crypto_stream.h"

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
        x[i] = (unsigned char)(u >> 8 * i);
}

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

static void start(uint32_t matrix[16], const unsigned char *n, const unsigned char *k)
{
    static const unsigned char sigma[17] = "expand 32-byte k";
    int i;

    for (i = 0; i < 4; ++i)
        matrix[i] = load(sigma + 4 * i);
    for (i = 0; i < 8; ++i)
        matrix[4 + i] = load(k + 4 * i);
    matrix[12] = matrix[13] = 0;
    matrix[14] = load(n);
    matrix[15] = load(n + 4);
}

/* The block of the counter that stands in the matrix, which then counts on. */
static void next_block(unsigned char block[64], uint32_t matrix[16])
{
    uint32_t x[16];
    int i;

    for (i = 0; i < 16; ++i)
        x[i] = matrix[i];
    for (i = 0; i < 10; ++i)
        doubleround(x);
    for (i = 0; i < 16; ++i)
        store(block + 4 * i, x[i] + matrix[i]);
    if (++matrix[12] == 0)
        ++matrix[13];
}

/* The stream is added to m; without m it is the output. The output may replace m, n or k. */
static int encrypt(unsigned char *c, const unsigned char *m, unsigned long long len,
                   const unsigned char *n, const unsigned char *k)
{
    uint32_t matrix[16];
    unsigned char block[64];
    unsigned long long i;

    start(matrix, n, k);
    for (i = 0; i < len; ++i) {
        if (i % 64 == 0)
            next_block(block, matrix);
        c[i] = (unsigned char)((m ? m[i] : 0) ^ block[i % 64]);
    }
    return 0;
}

int crypto_stream(unsigned char *c, unsigned long long len, const unsigned char *n,
                  const unsigned char *k)
{
    return encrypt(c, 0, len, n, k);
}

int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long len,
                      const unsigned char *n, const unsigned char *k)
{
    return encrypt(c, m, len, n, k);
}
