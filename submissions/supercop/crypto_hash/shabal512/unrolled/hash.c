/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal-512, unrolled: Bresson and others: Shabal, a submission to NIST's cryptographic hash
 * algorithm competition (2008), section 2: names are those of the specification, p = 3, r = 12.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64
#define LENGTH 512 /* bits of output */

struct state {
    uint32_t A[12], B[16], C[16];
    uint64_t W; /* number of the block */
};

#define LEFT(u, bits) ((u) << (bits) | (u) >> (32 - (bits)))

/* Step i of pass j of the permutation. */
#define STEP(i, j)                                                                                \
    do {                                                                                          \
        A[(16 * (j) + (i)) % 12] =                                                                \
            ((A[(16 * (j) + (i)) % 12] ^ LEFT(A[(16 * (j) + (i) + 11) % 12], 15) * 5 ^            \
              C[(24 - (i)) % 16]) * 3) ^                                                          \
            B[((i) + 13) % 16] ^ (B[((i) + 9) % 16] & ~B[((i) + 6) % 16]) ^ M[i];                 \
        B[i] = LEFT(B[i], 1) ^ ~A[(16 * (j) + (i)) % 12];                                         \
    } while (0)

#define PASS(j)                                                                                   \
    do {                                                                                          \
        STEP(0, j);                                                                               \
        STEP(1, j);                                                                               \
        STEP(2, j);                                                                               \
        STEP(3, j);                                                                               \
        STEP(4, j);                                                                               \
        STEP(5, j);                                                                               \
        STEP(6, j);                                                                               \
        STEP(7, j);                                                                               \
        STEP(8, j);                                                                               \
        STEP(9, j);                                                                               \
        STEP(10, j);                                                                              \
        STEP(11, j);                                                                              \
        STEP(12, j);                                                                              \
        STEP(13, j);                                                                              \
        STEP(14, j);                                                                              \
        STEP(15, j);                                                                              \
    } while (0)

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

/* All of a message round but the counting. */
static void round_of(struct state *s, const uint32_t M[16])
{
    uint32_t A[12], B[16], C[16];
    int i;

    for (i = 0; i < 12; ++i)
        A[i] = s->A[i];
    for (i = 0; i < 16; ++i) {
        B[i] = LEFT(s->B[i] + M[i], 17);
        C[i] = s->C[i];
    }
    A[0] ^= (uint32_t)s->W;
    A[1] ^= (uint32_t)(s->W >> 32);
    PASS(0);
    PASS(1);
    PASS(2);
    for (i = 0; i < 12; ++i)
        s->A[i] = A[i] + C[(i + 3) % 16] + C[(i + 15) % 16] + C[(i + 11) % 16];
    for (i = 0; i < 16; ++i) {
        s->B[i] = C[i] - M[i];
        s->C[i] = B[i];
    }
}

static void words(uint32_t M[16], const unsigned char in[BLOCK])
{
    int i;

    for (i = 0; i < 16; ++i)
        M[i] = load(in + 4 * i);
}

/* The first state: two blocks of prefix, numbers -1 and 0, from a state of zeros. */
static void start(struct state *s)
{
    const struct state zero = {{0}, {0}, {0}, ~(uint64_t)0};
    uint32_t M[16];
    uint32_t i, j;

    *s = zero;
    for (j = 0; j < 2; ++j) {
        for (i = 0; i < 16; ++i)
            M[i] = LENGTH + 16 * j + i;
        round_of(s, M);
        ++s->W;
    }
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[BLOCK] = {0};
    struct state s;
    uint32_t M[16];
    unsigned int i;

    start(&s);
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK) {
        words(M, in);
        round_of(&s, M);
        ++s.W;
    }
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    words(M, last);
    for (i = 0; i < 4; ++i) /* the last block, then three final rounds */
        round_of(&s, M);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(s.C[16 - LENGTH / 32 + i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
