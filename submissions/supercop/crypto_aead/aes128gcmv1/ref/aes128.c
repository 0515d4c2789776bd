/* SPDX-License-Identifier: CC0-1.0 */
/*
 * AES-128: FIPS 197, sections 4 and 5. The S-box is computed, four bytes at a time, because a
 * table would be read at addresses that depend on the key.
 */

#include "aes128.h"

static uint32_t load(const unsigned char *x)
{
    return x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

static void store(unsigned char *x, uint32_t u)
{
    int i;

    for (i = 0; i < 4; ++i)
        x[i] = (unsigned char)(u >> 8 * i & 255);
}

static uint32_t right(uint32_t u, int bits)
{
    return u >> bits | u << (32 - bits);
}

/* Section 4.2.1 for each byte. */
static uint32_t twice(uint32_t u)
{
    return (u & 0x7f7f7f7f) << 1 ^ (u >> 7 & 0x01010101) * 0x1b;
}

/* Section 4.2 for each byte. */
static uint32_t product(uint32_t u, uint32_t v)
{
    uint32_t sum = 0;
    int i;

    for (i = 0; i < 8; ++i) {
        sum ^= u & (v >> i & 0x01010101) * 255;
        u = twice(u);
    }
    return sum;
}

/* Section 5.1.1: u^254 is 1/u, and 0 for 0; then the sum of five rotations. */
static uint32_t sub_bytes(uint32_t u)
{
    uint32_t v = u;
    int i;

    for (i = 0; i < 6; ++i) /* u^3, u^7, ..., u^127 */
        v = product(product(v, v), u);
    u = v = product(v, v);
    for (i = 0; i < 4; ++i) {
        v = (v & 0x7f7f7f7f) << 1 | (v >> 7 & 0x01010101);
        u ^= v;
    }
    return u ^ 0x63636363;
}

/* Section 5.1.2 and, but in the last round, 5.1.3. */
static void mix(uint32_t s[4], int last)
{
    uint32_t t[4], u, v;
    int i;

    for (i = 0; i < 4; ++i)
        t[i] = s[i];
    for (i = 0; i < 4; ++i) {
        u = (t[i] & 0xff) | (t[(i + 1) % 4] & 0xff00) | (t[(i + 2) % 4] & 0xff0000) |
            (t[(i + 3) % 4] & 0xff000000);
        v = right(u, 8);
        s[i] = last ? u : twice(u ^ v) ^ v ^ right(u, 16) ^ right(u, 24);
    }
}

/* Section 5.2. */
void aes128_start(aes128 *a, const unsigned char key[16])
{
    uint32_t constant = 1;
    int i;

    for (i = 0; i < 4; ++i)
        a->key[i] = load(key + 4 * i);
    for (; i < 44; ++i) {
        a->key[i] = a->key[i - 1];
        if (i % 4 == 0) {
            a->key[i] = sub_bytes(right(a->key[i], 8)) ^ constant;
            constant = twice(constant);
        }
        a->key[i] ^= a->key[i - 4];
    }
}

/* Section 5.1. */
void aes128_encrypt(unsigned char out[16], const aes128 *a, const unsigned char in[16])
{
    uint32_t s[4];
    int round;
    int i;

    for (i = 0; i < 4; ++i)
        s[i] = load(in + 4 * i) ^ a->key[i];
    for (round = 1; round <= 10; ++round) {
        for (i = 0; i < 4; ++i)
            s[i] = sub_bytes(s[i]);
        mix(s, round == 10);
        for (i = 0; i < 4; ++i)
            s[i] ^= a->key[4 * round + i];
    }
    for (i = 0; i < 4; ++i)
        store(out + 4 * i, s[i]);
}
