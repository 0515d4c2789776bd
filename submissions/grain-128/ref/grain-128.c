/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Grain-128, one bit per step, in the terms of the specification:
 * Martin Hell, Thomas Johansson, Alexander Maximov and Willi Meier, "A Stream Cipher Proposal:
 * Grain-128", ISIT 2006 and eSTREAM phase 3, its design and initialization.
 *
 * The specification numbers bits, the eSTREAM API passes bytes. The convention of the authors'
 * test vectors: bit 0 of a key, IV or key stream is the least significant bit of its first byte.
 */

#include "ecrypt-sync.h"

/* s_(i+128), f(x) = 1 + x^32 + x^47 + x^58 + x^90 + x^121 + x^128. */
static u32 lfsr(const u8 *s)
{
    return (u32)(s[0] ^ s[7] ^ s[38] ^ s[70] ^ s[81] ^ s[96]);
}

/* b_(i+128) without s_i, from g(x). */
static u32 nfsr(const u8 *b)
{
    return (u32)(b[0] ^ b[26] ^ b[56] ^ b[91] ^ b[96]
                 ^ (b[3] & b[67]) ^ (b[11] & b[13]) ^ (b[17] & b[18]) ^ (b[27] & b[59])
                 ^ (b[40] & b[48]) ^ (b[61] & b[65]) ^ (b[68] & b[84]));
}

/* The filter function h(x) with its nine inputs. */
static u32 h(const u8 *s, const u8 *b)
{
    return (u32)((b[12] & s[8]) ^ (s[13] & s[20]) ^ (b[95] & s[42]) ^ (s[60] & s[79])
                 ^ (b[12] & b[95] & s[95]));
}

/* z_i: the sum of b_(i+j) over j in A = {2, 15, 36, 45, 64, 73, 89}, of h and of s_(i+93). */
static u32 output(const u8 *s, const u8 *b)
{
    return (u32)(b[2] ^ b[15] ^ b[36] ^ b[45] ^ b[64] ^ b[73] ^ b[89]) ^ h(s, b) ^ s[93];
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

        s[128] = (u8)(lfsr(s) ^ back);
        b[128] = (u8)(s[0] ^ nfsr(b) ^ back);
        byte |= z << i;
    }

    for (i = 0; i < 128; ++i) {
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
    for (i = 0; i < 16; ++i)
        ctx->key[i] = key[i];
}

/* Key and IV initialization: 256 clocks whose output is fed back into both registers. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    load(ctx->b, ctx->key, 16);
    load(ctx->s, iv, 12);
    for (i = 8 * 12; i < 128; ++i)
        ctx->s[i] = 1;

    for (i = 0; i < 256 / 8; ++i)
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
