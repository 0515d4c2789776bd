/* SPDX-License-Identifier: CC0-1.0 */
/*
 * The permutation Keccak-f[1600] on a state of 200 bytes; there is no key and no constant.
 *
 * FIPS 202 (2015): the steps theta, rho, pi, chi and iota are section 3.2, the constants of
 * iota section 3.2.5, the bytes of the state section 3.1.2 with appendix B.1. The lane at
 * (x, y) is a[x + 5 * y], its bytes least significant first.
 */

#include <stdint.h>
#include "crypto_core.h"

/* FIPS 202, table 2, modulo 64: how far rho turns the lane at (x, y). */
static const unsigned char turns[25] = {
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
};

static const uint64_t constants[24] = {
    0x0000000000000001u, 0x0000000000008082u, 0x800000000000808au, 0x8000000080008000u,
    0x000000000000808bu, 0x0000000080000001u, 0x8000000080008081u, 0x8000000000008009u,
    0x000000000000008au, 0x0000000000000088u, 0x0000000080008009u, 0x000000008000000au,
    0x000000008000808bu, 0x800000000000008bu, 0x8000000000008089u, 0x8000000000008003u,
    0x8000000000008002u, 0x8000000000000080u, 0x000000000000800au, 0x800000008000000au,
    0x8000000080008081u, 0x8000000000008080u, 0x0000000080000001u, 0x8000000080008008u,
};

static uint64_t rotate(uint64_t u, int bits)
{
    return u << bits | u >> ((64 - bits) & 63);
}

static void theta(uint64_t a[25])
{
    uint64_t column[5];
    int x;
    int i;

    for (x = 0; x < 5; ++x)
        column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (i = 0; i < 25; ++i)
        a[i] ^= column[(i + 4) % 5] ^ rotate(column[(i + 1) % 5], 1);
}

/* Lane (x, y) goes to (y, 2x + 3y). */
static void rho_and_pi(uint64_t to[25], const uint64_t from[25])
{
    int x;
    int y;

    for (y = 0; y < 5; ++y)
        for (x = 0; x < 5; ++x)
            to[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(from[x + 5 * y], turns[x + 5 * y]);
}

static void chi(uint64_t to[25], const uint64_t from[25])
{
    int x;
    int y;

    for (y = 0; y < 25; y += 5)
        for (x = 0; x < 5; ++x)
            to[x + y] = from[x + y] ^ (~from[(x + 1) % 5 + y] & from[(x + 2) % 5 + y]);
}

int crypto_core(unsigned char *out, const unsigned char *in, const unsigned char *k,
                const unsigned char *c)
{
    uint64_t a[25] = {0};
    uint64_t b[25];
    int i;

    (void)k;
    (void)c;
    for (i = 0; i < 200; ++i)
        a[i / 8] |= (uint64_t)in[i] << 8 * (i % 8);
    for (i = 0; i < 24; ++i) {
        theta(a);
        rho_and_pi(b, a);
        chi(a, b);
        a[0] ^= constants[i];
    }
    for (i = 0; i < 200; ++i)
        out[i] = (unsigned char)(a[i / 8] >> 8 * (i % 8));
    return 0;
}
