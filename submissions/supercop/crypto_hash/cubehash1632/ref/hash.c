/* SPDX-License-Identifier: CC0-1.0 */
/*
 * CubeHash16/32-512, that is CubeHash160+16/32+160-512: Bernstein: CubeHash
 * specification (2.B.1) (2009), with its names of parameters.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define I 160 /* rounds before the message */
#define R 16  /* rounds for each block */
#define B 32  /* bytes of a block */
#define F 160 /* rounds after the message */
#define H 512 /* bits of output */

static void rotate(uint32_t x[32], int bits)
{
    int i;

    for (i = 0; i < 16; ++i)
        x[i] = x[i] << bits | x[i] >> (32 - bits);
}

/* Among the 16 words from x[first], swap each with the one whose index differs in `bit`. */
static void swap(uint32_t x[32], int first, int bit)
{
    uint32_t t;
    int i;

    for (i = 0; i < 16; ++i)
        if (!(i & bit)) {
            t = x[first + i];
            x[first + i] = x[first + (i | bit)];
            x[first + (i | bit)] = t;
        }
}

static void add(uint32_t x[32])
{
    int i;

    for (i = 0; i < 16; ++i)
        x[16 + i] += x[i];
}

static void xor(uint32_t x[32])
{
    int i;

    for (i = 0; i < 16; ++i)
        x[i] ^= x[16 + i];
}

/* The ten steps of a round. */
static void rounds(uint32_t x[32], int number)
{
    for (; number > 0; --number) {
        add(x);
        rotate(x, 7);
        swap(x, 0, 8);
        xor(x);
        swap(x, 16, 2);
        add(x);
        rotate(x, 11);
        swap(x, 0, 4);
        xor(x);
        swap(x, 16, 1);
    }
}

static void take(uint32_t x[32], const unsigned char block[B])
{
    int i;

    for (i = 0; i < B; ++i)
        x[i / 4] ^= (uint32_t)block[i] << 8 * (i % 4);
    rounds(x, R);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[B] = {0};
    uint32_t x[32] = {H / 8, B, R};
    unsigned int i;

    rounds(x, I);
    for (; inlen >= B; in += B, inlen -= B)
        take(x, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    take(x, last);
    x[31] ^= 1;
    rounds(x, F);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(x[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
