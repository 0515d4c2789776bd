/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal-512: Bresson and others: Shabal, a submission to NIST's cryptographic hash
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

static uint32_t left(uint32_t u, int bits)
{
    return u << bits | u >> (32 - bits);
}

/* The keyed permutation P. */
static void permute(struct state *s, const uint32_t M[16])
{
    uint32_t *a, before;
    int i, j;

    for (i = 0; i < 16; ++i)
        s->B[i] = left(s->B[i], 17);
    for (j = 0; j < 3; ++j)
        for (i = 0; i < 16; ++i) {
            a = &s->A[(16 * j + i) % 12];
            before = left(s->A[(16 * j + i + 11) % 12], 15) * 5;
            *a = (*a ^ before ^ s->C[(24 - i) % 16]) * 3 ^ s->B[(i + 13) % 16] ^
                 (s->B[(i + 9) % 16] & ~s->B[(i + 6) % 16]) ^ M[i];
            s->B[i] = left(s->B[i], 1) ^ ~*a;
        }
    for (j = 0; j < 36; ++j)
        s->A[j % 12] += s->C[(j + 3) % 16];
}

/* All of a message round but the counting. */
static void round_of(struct state *s, const uint32_t M[16])
{
    uint32_t t;
    int i;

    for (i = 0; i < 16; ++i)
        s->B[i] += M[i];
    s->A[0] ^= (uint32_t)s->W;
    s->A[1] ^= (uint32_t)(s->W >> 32);
    permute(s, M);
    for (i = 0; i < 16; ++i) {
        t = s->C[i] - M[i];
        s->C[i] = s->B[i];
        s->B[i] = t;
    }
}

static void words(uint32_t M[16], const unsigned char in[BLOCK])
{
    int i;

    for (i = 0; i < 16; ++i)
        M[i] = 0;
    for (i = 0; i < BLOCK; ++i)
        M[i / 4] |= (uint32_t)in[i] << 8 * (i % 4);
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
