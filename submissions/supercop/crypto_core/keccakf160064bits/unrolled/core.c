/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The permutation Keccak-f[1600], each round written out: all places and turns are constants.
 *
 * FIPS 202 (2015), sections 3.2 and 3.2.5. The lane at (x, y) is a[x + 5 * y], its bytes
 * least significant first.
 */

#include <stdint.h>
#include "crypto_core.h"

static const uint64_t constants[24] = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u,
};

#define ROTATE(u, bits) ((u) << (bits) | (u) >> ((64 - (bits)) & 63))

/* The second half of theta, rho and pi: lane i turned by `bits`; d is theta's sum. */
#define LANE(i, bits) ROTATE(a[i] ^ d[(i) % 5], bits)

/* One row after pi, from the lanes i0 .. i4, and chi on it. */
#define ROW(y, i0, r0, i1, r1, i2, r2, i3, r3, i4, r4)                                            \
    do {                                                                                          \
        const uint64_t b0 = LANE(i0, r0);                                                         \
        const uint64_t b1 = LANE(i1, r1);                                                         \
        const uint64_t b2 = LANE(i2, r2);                                                         \
        const uint64_t b3 = LANE(i3, r3);                                                         \
        const uint64_t b4 = LANE(i4, r4);                                                         \
        e[y] = b0 ^ (~b1 & b2);                                                                   \
        e[(y) + 1] = b1 ^ (~b2 & b3);                                                             \
        e[(y) + 2] = b2 ^ (~b3 & b4);                                                             \
        e[(y) + 3] = b3 ^ (~b4 & b0);                                                             \
        e[(y) + 4] = b4 ^ (~b0 & b1);                                                             \
    } while (0)

#define COLUMN(x) (a[x] ^ a[(x) + 5] ^ a[(x) + 10] ^ a[(x) + 15] ^ a[(x) + 20])

/* One round from a to e. */
static inline void round_of(uint64_t e[25], const uint64_t a[25], uint64_t constant)
{
    const uint64_t c0 = COLUMN(0);
    const uint64_t c1 = COLUMN(1);
    const uint64_t c2 = COLUMN(2);
    const uint64_t c3 = COLUMN(3);
    const uint64_t c4 = COLUMN(4);
    const uint64_t d[5] = {
        c4 ^ ROTATE(c1, 1), c0 ^ ROTATE(c2, 1), c1 ^ ROTATE(c3, 1),
        c2 ^ ROTATE(c4, 1), c3 ^ ROTATE(c0, 1),
    };

    ROW(0, 0, 0, 6, 44, 12, 43, 18, 21, 24, 14);
    ROW(5, 3, 28, 9, 20, 10, 3, 16, 45, 22, 61);
    ROW(10, 1, 1, 7, 6, 13, 25, 19, 8, 20, 18);
    ROW(15, 4, 27, 5, 36, 11, 10, 17, 15, 23, 56);
    ROW(20, 2, 62, 8, 55, 14, 39, 15, 41, 21, 2);
    e[0] ^= constant;
}

int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c)
{
    uint64_t a[25];
    uint64_t e[25];
    int i;
    int j;

    (void)k;
    (void)c;
    for (i = 0; i < 25; ++i) {
        a[i] = 0;
        for (j = 0; j < 8; ++j)
            a[i] |= (uint64_t)in[8 * i + j] << 8 * j;
    }
    for (i = 0; i < 24; i += 2) {
        round_of(e, a, constants[i]);
        round_of(a, e, constants[i + 1]);
    }
    for (i = 0; i < 25; ++i)
        for (j = 0; j < 8; ++j)
            out[8 * i + j] = (unsigned char)(a[i] >> 8 * j);
    return 0;
}
