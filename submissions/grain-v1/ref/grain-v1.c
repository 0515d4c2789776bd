/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Grain v1, one bit per step, in the terms of the specification:
 * Martin Hell, Thomas Johansson and Willi Meier, "Grain - A Stream Cipher for Constrained
 * Environments", eSTREAM portfolio (2007), its design specification and key initialization.
 *
 * The specification numbers bits, the eSTREAM API passes bytes. The convention of the authors'
 * test vectors: bit 0 of a key, IV or key stream is the least significant bit of its first byte.
 */

#include "ecrypt-sync.h"

/* s_(i+80), f(x) = 1 + x^18 + x^29 + x^42 + x^57 + x^67 + x^80. */
static u32 lfsr(const u8 *s)
{
    return (u32)(s[62] ^ s[51] ^ s[38] ^ s[23] ^ s[13] ^ s[0]);
}

/* b_(i+80) without s_i, from g(x). */
static u32 nfsr(const u8 *b)
{
    return (u32)(b[62] ^ b[60] ^ b[52] ^ b[45] ^ b[37] ^ b[33] ^ b[28] ^ b[21] ^ b[14] ^ b[9] ^ b[0]
                 ^ (b[63] & b[60]) ^ (b[37] & b[33]) ^ (b[15] & b[9])
                 ^ (b[60] & b[52] & b[45]) ^ (b[33] & b[28] & b[21])
                 ^ (b[63] & b[45] & b[28] & b[9])
                 ^ (b[60] & b[52] & b[37] & b[33])
                 ^ (b[63] & b[60] & b[21] & b[15])
                 ^ (b[63] & b[60] & b[52] & b[45] & b[37])
                 ^ (b[33] & b[28] & b[21] & b[15] & b[9])
                 ^ (b[52] & b[45] & b[37] & b[33] & b[28] & b[21]));
}

/* The filter function h(x). */
static u32 h(u32 x0, u32 x1, u32 x2, u32 x3, u32 x4)
{
    return x1 ^ x4 ^ (x0 & x3) ^ (x2 & x3) ^ (x3 & x4) ^ (x0 & x1 & x2) ^ (x0 & x2 & x3)
           ^ (x0 & x2 & x4) ^ (x1 & x2 & x4) ^ (x2 & x3 & x4);
}

/* z_i: the sum of b_(i+k) over k in A = {1, 2, 4, 10, 31, 43, 56}, and of h. */
static u32 output(const u8 *s, const u8 *b)
{
    const u32 masking = (u32)(b[1] ^ b[2] ^ b[4] ^ b[10] ^ b[31] ^ b[43] ^ b[56]);

    return masking ^ h(s[3], s[25], s[46], s[64], b[63]);
}

/*
 * Eight clocks: returns z_i .. z_(i+7), the first in bit 0.
 * feedback is 1 while the cipher is initialised, else 0.
 */
static u8 eight_steps(ECRYPT_ctx *ctx, u32 feedback)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < 8; ++i) {
        u8 *s = ctx->s + i;
        u8 *b = ctx->b + i;
        const u32 z = output(s, b);
        const u32 back = z & feedback;

        s[80] = (u8)(lfsr(s) ^ back);
        b[80] = (u8)(s[0] ^ nfsr(b) ^ back);
        byte |= z << i;
    }

    for (i = 0; i < 80; ++i) {
        ctx->s[i] = ctx->s[i + 8];
        ctx->b[i] = ctx->b[i + 8];
    }
    return (u8)byte;
}

/* bits[0], bits[1], ... := the bits of a key or an IV of length bytes. */
static void load(u8 *bits, const u8 *bytes, u32 length)
{
    u32 i;

    for (i = 0; i < 8 * length; ++i)
        bits[i] = (u8)((bytes[i / 8] >> (i % 8)) & 1);
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    (void)ivsize;
    for (i = 0; i < 10; ++i)
        ctx->key[i] = key[i];
}

/* Key initialization: 160 clocks whose output is fed back into both registers. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    load(ctx->b, ctx->key, 10);
    load(ctx->s, iv, 8);
    for (i = 8 * 8; i < 80; ++i)
        ctx->s[i] = 1;

    for (i = 0; i < 160 / 8; ++i)
        (void)eight_steps(ctx, 1);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i)
        output[i] = (u8)(input[i] ^ eight_steps(ctx, 0));
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = eight_steps(ctx, 0);
}
