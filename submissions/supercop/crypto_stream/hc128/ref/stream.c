/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-128, one word per step, with a 16-byte key and a 16-byte nonce.
 *
 * Hongjun Wu, "The Stream Cipher HC-128", eSTREAM portfolio (2008), sections 2.1 to 2.4.
 * The tables are indexed by secret words: this is no code for constant time.
 */

#include <stdint.h>
#include "crypto_stream.h"

/* j minus k modulo 512, the subtraction of table indices in section 2.1. */
#define MINUS(j, k) (((j) - (k)) & 511u)

typedef struct {
    uint32_t P[512];
    uint32_t Q[512];
    uint32_t step; /* modulo 1024 */
} state;

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static uint32_t right(uint32_t u, int bits)
{
    return u >> bits | u << (32 - bits);
}

/* Section 2.2: the six functions; g2 is g1 with rotations to the left. */
static uint32_t f1(uint32_t x)
{
    return right(x, 7) ^ right(x, 18) ^ x >> 3;
}

static uint32_t f2(uint32_t x)
{
    return right(x, 17) ^ right(x, 19) ^ x >> 10;
}

static uint32_t g1(const uint32_t T[512], uint32_t j)
{
    return (right(T[MINUS(j, 3)], 10) ^ right(T[MINUS(j, 511)], 23)) + right(T[MINUS(j, 10)], 8);
}

static uint32_t g2(const uint32_t T[512], uint32_t j)
{
    return (right(T[MINUS(j, 3)], 22) ^ right(T[MINUS(j, 511)], 9)) + right(T[MINUS(j, 10)], 24);
}

static uint32_t h(const uint32_t T[512], uint32_t x)
{
    return T[x & 255] + T[256 + (x >> 16 & 255)];
}

/* Section 2.4. */
static uint32_t next(state *s)
{
    uint32_t *P = s->P;
    uint32_t *Q = s->Q;
    const uint32_t i = s->step;
    const uint32_t j = i & 511;

    s->step = (i + 1) & 1023;
    if (i < 512) {
        P[j] += g1(P, j);
        return h(Q, P[MINUS(j, 12)]) ^ P[j];
    }
    Q[j] += g2(Q, j);
    return h(P, Q[MINUS(j, 12)]) ^ Q[j];
}

/* Section 2.3. */
static void start(state *s, const unsigned char *n, const unsigned char *k)
{
    uint32_t W[1280];
    uint32_t *P = s->P;
    uint32_t *Q = s->Q;
    uint32_t i;

    for (i = 0; i < 8; ++i) {
        W[i] = load(k + 4 * (i & 3));
        W[8 + i] = load(n + 4 * (i & 3));
    }
    for (i = 16; i < 1280; ++i)
        W[i] = f2(W[i - 2]) + W[i - 7] + f1(W[i - 15]) + W[i - 16] + i;
    for (i = 0; i < 512; ++i) {
        P[i] = W[256 + i];
        Q[i] = W[768 + i];
    }
    for (i = 0; i < 512; ++i)
        P[i] = (P[i] + g1(P, i)) ^ h(Q, P[MINUS(i, 12)]);
    for (i = 0; i < 512; ++i)
        Q[i] = (Q[i] + g2(Q, i)) ^ h(P, Q[MINUS(i, 12)]);
    s->step = 0;
}

/* The stream is added to m; without m it is the output. The output may replace m, n or k. */
static int encrypt(unsigned char *c, const unsigned char *m, unsigned long long len,
                   const unsigned char *n, const unsigned char *k)
{
    state s;
    uint32_t word = 0;
    unsigned long long i;

    start(&s, n, k);
    for (i = 0; i < len; ++i) {
        word = i % 4 == 0 ? next(&s) : word >> 8;
        c[i] = (unsigned char)((m ? m[i] : 0) ^ (word & 255));
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
