/* SPDX-License-Identifier: CC0-1.0 */
/* Keccak-f[1600]: FIPS 202, sections 3.2 and 3.3; the byte order is that of appendix B.1. */
#include "keccak.h"

#include <string.h>

static const uint64_t round_constants[24] = {
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};

/* The way of a lane under pi, from lane 1 on, and its rotation under rho. */
static const unsigned char next_lane[24] = {10, 7,  11, 17, 18, 3, 5,  16, 8,  21, 24, 4,
                                            15, 23, 19, 13, 12, 2, 20, 14, 22, 9,  6,  1};
static const unsigned char rotation[24] = {1,  3,  6,  10, 15, 21, 28, 36, 45, 55, 2,  14,
                                           27, 41, 56, 8,  25, 43, 62, 18, 39, 61, 20, 44};

static inline uint64_t left(uint64_t x, unsigned int n)
{
    return x << n | x >> (64 - n);
}

static void permute(uint64_t a[25])
{
    uint64_t c[5], t;

    for (int round = 0; round < 24; ++round) {
        for (int x = 0; x < 5; ++x)
            c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
        for (int x = 0; x < 5; ++x) { /* theta */
            t = c[(x + 4) % 5] ^ left(c[(x + 1) % 5], 1);
            for (int y = 0; y < 25; y += 5)
                a[y + x] ^= t;
        }
        t = a[1]; /* rho and pi */
        for (int i = 0; i < 24; ++i) {
            const uint64_t moved = left(t, rotation[i]);
            t = a[next_lane[i]];
            a[next_lane[i]] = moved;
        }
        for (int y = 0; y < 25; y += 5) { /* chi */
            memcpy(c, a + y, sizeof c);
            for (int x = 0; x < 5; ++x)
                a[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
        }
        a[0] ^= round_constants[round]; /* iota */
    }
}

static void add_byte(keccak *k, unsigned int at, unsigned char byte)
{
    k->lane[at / 8] ^= (uint64_t)byte << (8 * (at % 8));
}

void keccak_start(keccak *k, unsigned int rate)
{
    memset(k, 0, sizeof *k);
    k->rate = rate;
}

void keccak_absorb(keccak *k, const unsigned char *in, size_t length)
{
    while (length-- > 0) {
        add_byte(k, k->at++, *in++);
        if (k->at == k->rate) {
            permute(k->lane);
            k->at = 0;
        }
    }
}

void keccak_finish(keccak *k, unsigned char suffix)
{
    add_byte(k, k->at, suffix);
    add_byte(k, k->rate - 1, 0x80);
    k->at = k->rate;
}

void keccak_squeeze(keccak *k, unsigned char *out, size_t length)
{
    while (length-- > 0) {
        if (k->at == k->rate) {
            permute(k->lane);
            k->at = 0;
        }
        *out++ = (unsigned char)(k->lane[k->at / 8] >> (8 * (k->at % 8)));
        ++k->at;
    }
}
