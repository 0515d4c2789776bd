/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-128, sixteen steps at a time.
 *
 * Hongjun Wu, "The Stream Cipher HC-128", eSTREAM portfolio (2008), sections 2.1 to 2.4.
 * 512 is a multiple of 16, so sixteen steps never leave one table, and the words that lie
 * 3, 10, 12 and 511 steps back are at constant places in three groups of sixteen words:
 * the one that is renewed (now), the one before it and the one after it.
 * The tables are indexed by secret words: this is no code for constant time.
 */

#include <stdint.h>
#include "crypto_stream.h"

typedef struct {
    uint32_t table[1024]; /* P and Q */
    uint32_t step;        /* modulo 1024 */
} state;

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (32 - (bits)))
#define LEFT(u, bits) ((u) << (bits) | (u) >> (32 - (bits)))
#define F1(x) (RIGHT(x, 7) ^ RIGHT(x, 18) ^ (x) >> 3)
#define F2(x) (RIGHT(x, 17) ^ RIGHT(x, 19) ^ (x) >> 10)

/* h1 and h2: the table that is not renewed, at bytes 0 and 2 of x. */
#define H(x) (other[(x) & 255] + other[256 + ((x) >> 16 & 255)])

/*
 * Step i of sixteen; x3, x10, x12 and x511 are the words that many steps back. TURN is to
 * the right for P (g1) and to the left for Q (g2). KEEP takes the new word before (t) and
 * after (s) the exclusive or with h.
 */
#define STEP(TURN, KEEP, i, x3, x10, x12, x511)                                                   \
    do {                                                                                          \
        const uint32_t t = now[i] + (TURN(x3, 10) ^ TURN(x511, 23)) + TURN(x10, 8);               \
        const uint32_t s = H(x12) ^ t;                                                            \
        KEEP(i, t, s);                                                                            \
    } while (0)

#define SIXTEEN(TURN, KEEP)                                                                       \
    STEP(TURN, KEEP, 0, before[13], before[6], before[4], now[1]);                                \
    STEP(TURN, KEEP, 1, before[14], before[7], before[5], now[2]);                                \
    STEP(TURN, KEEP, 2, before[15], before[8], before[6], now[3]);                                \
    STEP(TURN, KEEP, 3, now[0], before[9], before[7], now[4]);                                    \
    STEP(TURN, KEEP, 4, now[1], before[10], before[8], now[5]);                                   \
    STEP(TURN, KEEP, 5, now[2], before[11], before[9], now[6]);                                   \
    STEP(TURN, KEEP, 6, now[3], before[12], before[10], now[7]);                                  \
    STEP(TURN, KEEP, 7, now[4], before[13], before[11], now[8]);                                  \
    STEP(TURN, KEEP, 8, now[5], before[14], before[12], now[9]);                                  \
    STEP(TURN, KEEP, 9, now[6], before[15], before[13], now[10]);                                 \
    STEP(TURN, KEEP, 10, now[7], now[0], before[14], now[11]);                                    \
    STEP(TURN, KEEP, 11, now[8], now[1], before[15], now[12]);                                    \
    STEP(TURN, KEEP, 12, now[9], now[2], now[0], now[13]);                                        \
    STEP(TURN, KEEP, 13, now[10], now[3], now[1], now[14]);                                       \
    STEP(TURN, KEEP, 14, now[11], now[4], now[2], now[15]);                                       \
    STEP(TURN, KEEP, 15, now[12], now[5], now[3], after[0])

/* While running, the table keeps t, and s is the key stream; at the start it keeps s. */
#define STREAM(i, t, s) (now[i] = (t), stream[i] = (s))
#define REPLACE(i, t, s) (now[i] = (s))

/* The next sixteen words of the stream (section 2.4). */
static void generate(state *st, uint32_t stream[16])
{
    const uint32_t j = st->step & 511;
    const int in_p = st->step < 512;
    uint32_t *table = st->table + (in_p ? 0 : 512);
    const uint32_t *other = st->table + (in_p ? 512 : 0);
    uint32_t *now = table + j;
    const uint32_t *before = table + ((j + 496) & 511);
    const uint32_t *after = table + ((j + 16) & 511);

    if (in_p) {
        SIXTEEN(RIGHT, STREAM);
    } else {
        SIXTEEN(LEFT, STREAM);
    }
    st->step = (st->step + 16) & 1023;
}

/* The 1024 steps at the end of section 2.3, whose output replaces the tables. */
static void mix(uint32_t *P, uint32_t *Q)
{
    uint32_t *table = P;
    const uint32_t *other = Q;
    uint32_t j;

    for (j = 0; j < 512; j += 16) {
        uint32_t *now = table + j;
        const uint32_t *before = table + ((j + 496) & 511);
        const uint32_t *after = table + ((j + 16) & 511);

        SIXTEEN(RIGHT, REPLACE);
    }
    table = Q;
    other = P;
    for (j = 0; j < 512; j += 16) {
        uint32_t *now = table + j;
        const uint32_t *before = table + ((j + 496) & 511);
        const uint32_t *after = table + ((j + 16) & 511);

        SIXTEEN(LEFT, REPLACE);
    }
}

/* Section 2.3: the tables are words 256 .. 1279 of the expansion. */
static void start(state *st, const unsigned char *n, const unsigned char *k)
{
    uint32_t w[1280];
    uint32_t i;

    for (i = 0; i < 4; ++i) {
        w[i] = w[i + 4] = load(k + 4 * i);
        w[i + 8] = w[i + 12] = load(n + 4 * i);
    }
    for (i = 16; i < 1280; ++i)
        w[i] = F2(w[i - 2]) + w[i - 7] + F1(w[i - 15]) + w[i - 16] + i;
    for (i = 0; i < 1024; ++i)
        st->table[i] = w[256 + i];
    mix(st->table, st->table + 512);
    st->step = 0;
}

/* The stream is added to m; without m it is the output. The output may replace m, n or k. */
static int encrypt(unsigned char *c, const unsigned char *m, unsigned long long len,
                   const unsigned char *n, const unsigned char *k)
{
    state st;
    uint32_t stream[16];
    unsigned long long i;

    start(&st, n, k);
    for (i = 0; i < len; ++i) {
        if (i % 64 == 0)
            generate(&st, stream);
        c[i] = (unsigned char)((m ? m[i] : 0) ^ (stream[i / 4 % 16] >> 8 * (i % 4) & 255));
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
