/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha20 as a stream cipher, eight blocks at a time: vector i holds word i of each block.
 * Vectors are those of gcc and clang, on any processor. A short message, too, costs eight
 * blocks.
 *
 * D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008), section 3.
 */

#include <stdint.h>
#include "crypto_stream.h"

#define LANES 8
#define ALL (64 * LANES)

typedef uint32_t vector __attribute__((vector_size(4 * LANES)));

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

#define ROTATE(u, bits) ((u) << (bits) | (u) >> (32 - (bits)))

#define QUARTERROUND(a, b, c, d)                                                                  \
    do {                                                                                          \
        x[a] += x[b];                                                                             \
        x[d] = ROTATE(x[d] ^ x[a], 16);                                                           \
        x[c] += x[d];                                                                             \
        x[b] = ROTATE(x[b] ^ x[c], 12);                                                           \
        x[a] += x[b];                                                                             \
        x[d] = ROTATE(x[d] ^ x[a], 8);                                                            \
        x[c] += x[d];                                                                             \
        x[b] = ROTATE(x[b] ^ x[c], 7);                                                            \
    } while (0)

static void twenty_rounds(vector x[16])
{
    int i;

    for (i = 0; i < 10; ++i) {
        QUARTERROUND(0, 4, 8, 12);
        QUARTERROUND(1, 5, 9, 13);
        QUARTERROUND(2, 6, 10, 14);
        QUARTERROUND(3, 7, 11, 15);

        QUARTERROUND(0, 5, 10, 15);
        QUARTERROUND(1, 6, 11, 12);
        QUARTERROUND(2, 7, 8, 13);
        QUARTERROUND(3, 4, 9, 14);
    }
}

/* All of the matrix but the counter. */
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

/* Eight blocks, of which the first has the number `first`. */
static void blocks(unsigned char stream[ALL], const uint32_t matrix[16], unsigned long long first)
{
    vector first_words[16];
    vector x[16];
    int i;
    int lane;

    for (i = 0; i < 16; ++i)
        first_words[i] = matrix[i] + (vector){0};
    for (lane = 0; lane < LANES; ++lane) {
        first_words[12][lane] = (uint32_t)(first + (unsigned int)lane);
        first_words[13][lane] = (uint32_t)((first + (unsigned int)lane) >> 32);
    }
    for (i = 0; i < 16; ++i)
        x[i] = first_words[i];
    twenty_rounds(x);
    for (i = 0; i < 16; ++i) {
        x[i] += first_words[i];
        for (lane = 0; lane < LANES; ++lane)
            store(stream + 64 * lane + 4 * i, x[i][lane]);
    }
}

/* The stream is added to m; without m it is the output. The output may replace m, n or k. */
static int encrypt(unsigned char *c, const unsigned char *m, unsigned long long len,
                   const unsigned char *n, const unsigned char *k)
{
    uint32_t matrix[16];
    unsigned char stream[ALL];
    unsigned long long block = 0;
    unsigned int i;
    unsigned int part;

    start(matrix, n, k);
    for (; len > 0; c += part, len -= part, block += LANES) {
        part = len < ALL ? (unsigned int)len : ALL;
        blocks(stream, matrix, block);
        for (i = 0; i < part; ++i)
            c[i] = (unsigned char)(m ? m[i] ^ stream[i] : stream[i]);
        if (m)
            m += part;
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
