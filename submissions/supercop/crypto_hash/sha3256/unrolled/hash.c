/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA3-256: FIPS 202 (2015), section 6.1, the sponge of section 4 with a rate of 136 bytes;
 * the suffix 01 and the padding of section 5.1 are, in bytes, 06 00 .. 00 80 (appendix B.2).
 * The permutation is unrolled, section 3.2.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define RATE 136

/* FIPS 202, table of section 3.2.5. */
static const uint64_t constants[24] = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u,
};

#define LEFT(u, bits) ((u) << (bits) | (u) >> (64 - (bits)))

/* Theta: d is what each column gets. */
#define COLUMNS(a)                                                                                \
    do {                                                                                          \
        c[0] = a[0] ^ a[5] ^ a[10] ^ a[15] ^ a[20];                                               \
        c[1] = a[1] ^ a[6] ^ a[11] ^ a[16] ^ a[21];                                               \
        c[2] = a[2] ^ a[7] ^ a[12] ^ a[17] ^ a[22];                                               \
        c[3] = a[3] ^ a[8] ^ a[13] ^ a[18] ^ a[23];                                               \
        c[4] = a[4] ^ a[9] ^ a[14] ^ a[19] ^ a[24];                                               \
        d[0] = c[4] ^ LEFT(c[1], 1);                                                              \
        d[1] = c[0] ^ LEFT(c[2], 1);                                                              \
        d[2] = c[1] ^ LEFT(c[3], 1);                                                              \
        d[3] = c[2] ^ LEFT(c[4], 1);                                                              \
        d[4] = c[3] ^ LEFT(c[0], 1);                                                              \
    } while (0)

/* Rho and pi bring five lanes to one row; chi mixes it. */
#define ROW(to, y, l0, l1, l2, l3, l4)                                                            \
    do {                                                                                          \
        to[y] = (l0) ^ (~(l1) & (l2));                                                            \
        to[(y) + 1] = (l1) ^ (~(l2) & (l3));                                                      \
        to[(y) + 2] = (l2) ^ (~(l3) & (l4));                                                      \
        to[(y) + 3] = (l3) ^ (~(l4) & (l0));                                                      \
        to[(y) + 4] = (l4) ^ (~(l0) & (l1));                                                      \
    } while (0)

#define LANE(from, i, bits) LEFT(from[i] ^ d[(i) % 5], bits)

#define ROUND(to, from, constant)                                                                 \
    do {                                                                                          \
        COLUMNS(from);                                                                            \
        b0 = from[0] ^ d[0];                                                                      \
        b1 = LANE(from, 6, 44);                                                                   \
        b2 = LANE(from, 12, 43);                                                                  \
        b3 = LANE(from, 18, 21);                                                                  \
        b4 = LANE(from, 24, 14);                                                                  \
        ROW(to, 0, b0, b1, b2, b3, b4);                                                           \
        b0 = LANE(from, 3, 28);                                                                   \
        b1 = LANE(from, 9, 20);                                                                   \
        b2 = LANE(from, 10, 3);                                                                   \
        b3 = LANE(from, 16, 45);                                                                  \
        b4 = LANE(from, 22, 61);                                                                  \
        ROW(to, 5, b0, b1, b2, b3, b4);                                                           \
        b0 = LANE(from, 1, 1);                                                                    \
        b1 = LANE(from, 7, 6);                                                                    \
        b2 = LANE(from, 13, 25);                                                                  \
        b3 = LANE(from, 19, 8);                                                                   \
        b4 = LANE(from, 20, 18);                                                                  \
        ROW(to, 10, b0, b1, b2, b3, b4);                                                          \
        b0 = LANE(from, 4, 27);                                                                   \
        b1 = LANE(from, 5, 36);                                                                   \
        b2 = LANE(from, 11, 10);                                                                  \
        b3 = LANE(from, 17, 15);                                                                  \
        b4 = LANE(from, 23, 56);                                                                  \
        ROW(to, 15, b0, b1, b2, b3, b4);                                                          \
        b0 = LANE(from, 2, 62);                                                                   \
        b1 = LANE(from, 8, 55);                                                                   \
        b2 = LANE(from, 14, 39);                                                                  \
        b3 = LANE(from, 15, 41);                                                                  \
        b4 = LANE(from, 21, 2);                                                                   \
        ROW(to, 20, b0, b1, b2, b3, b4);                                                          \
        to[0] ^= constant;                                                                        \
    } while (0)

static void permute(uint64_t a[25])
{
    uint64_t e[25], c[5], d[5];
    uint64_t b0, b1, b2, b3, b4;
    int i;

    for (i = 0; i < 24; i += 2) {
        ROUND(e, a, constants[i]);
        ROUND(a, e, constants[i + 1]);
    }
}

static uint64_t load(const unsigned char *x)
{
    return (uint64_t)x[0] | (uint64_t)x[1] << 8 | (uint64_t)x[2] << 16 | (uint64_t)x[3] << 24 |
           (uint64_t)x[4] << 32 | (uint64_t)x[5] << 40 | (uint64_t)x[6] << 48 |
           (uint64_t)x[7] << 56;
}

static void take(uint64_t state[25], const unsigned char block[RATE])
{
    int i;

    for (i = 0; i < RATE / 8; ++i)
        state[i] ^= load(block + 8 * i);
    permute(state);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[RATE] = {0};
    uint64_t state[25] = {0};
    unsigned int i;

    for (; inlen >= RATE; in += RATE, inlen -= RATE)
        take(state, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] ^= 0x06;
    last[RATE - 1] ^= 0x80;
    take(state, last);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(state[i / 8] >> 8 * (i % 8) & 255);
    return 0;
}
