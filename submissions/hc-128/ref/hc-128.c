/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-128, one word per step, in the terms of the specification:
 * Hongjun Wu, "The Stream Cipher HC-128", eSTREAM portfolio (2008), sections 2.1 to 2.4.
 */

#include "ecrypt-sync.h"

/* j minus k modulo 512, the subtraction of the specification's table indices. */
#define MINUS(j, k) (((j) - (u32)(k)) & 511)

static u32 f1(u32 x)
{
    return ROTR32(x, 7) ^ ROTR32(x, 18) ^ (x >> 3);
}

static u32 f2(u32 x)
{
    return ROTR32(x, 17) ^ ROTR32(x, 19) ^ (x >> 10);
}

static u32 g1(u32 x, u32 y, u32 z)
{
    return (ROTR32(x, 10) ^ ROTR32(z, 23)) + ROTR32(y, 8);
}

static u32 g2(u32 x, u32 y, u32 z)
{
    return (ROTL32(x, 10) ^ ROTL32(z, 23)) + ROTL32(y, 8);
}

static u32 h1(const ECRYPT_ctx *ctx, u32 x)
{
    return ctx->Q[x & 0xFF] + ctx->Q[256 + ((x >> 16) & 0xFF)];
}

static u32 h2(const ECRYPT_ctx *ctx, u32 x)
{
    return ctx->P[x & 0xFF] + ctx->P[256 + ((x >> 16) & 0xFF)];
}

/* Section 2.4: one step, which renews one word of P or Q and returns s_i. */
static u32 next_word(ECRYPT_ctx *ctx)
{
    u32 *P = ctx->P;
    u32 *Q = ctx->Q;
    const u32 j = ctx->i & 511;
    u32 s;

    if (ctx->i < 512) {
        P[j] += g1(P[MINUS(j, 3)], P[MINUS(j, 10)], P[MINUS(j, 511)]);
        s = h1(ctx, P[MINUS(j, 12)]) ^ P[j];
    } else {
        Q[j] += g2(Q[MINUS(j, 3)], Q[MINUS(j, 10)], Q[MINUS(j, 511)]);
        s = h2(ctx, Q[MINUS(j, 12)]) ^ Q[j];
    }
    ctx->i = (ctx->i + 1) & 1023;
    return s;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    (void)ivsize;
    for (i = 0; i < 4; ++i)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
}

/* Section 2.3. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 W[1280];
    u32 *P = ctx->P;
    u32 *Q = ctx->Q;
    u32 i;
    u32 j;

    for (i = 0; i < 8; ++i)
        W[i] = ctx->key[i & 3];
    for (i = 8; i < 16; ++i)
        W[i] = U8TO32_LITTLE(iv + 4 * (i & 3));
    for (i = 16; i < 1280; ++i)
        W[i] = f2(W[i - 2]) + W[i - 7] + f1(W[i - 15]) + W[i - 16] + i;

    for (i = 0; i < 512; ++i) {
        P[i] = W[i + 256];
        Q[i] = W[i + 768];
    }

    for (j = 0; j < 512; ++j)
        P[j] = (P[j] + g1(P[MINUS(j, 3)], P[MINUS(j, 10)], P[MINUS(j, 511)]))
               ^ h1(ctx, P[MINUS(j, 12)]);
    for (j = 0; j < 512; ++j)
        Q[j] = (Q[j] + g2(Q[MINUS(j, 3)], Q[MINUS(j, 10)], Q[MINUS(j, 511)]))
               ^ h2(ctx, Q[MINUS(j, 12)]);
    ctx->i = 0;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 last[4];
    u32 s;
    u32 i;

    (void)action;
    for (; msglen >= 4; msglen -= 4, input += 4, output += 4) {
        s = U8TO32_LITTLE(input) ^ next_word(ctx);
        U32TO8_LITTLE(output, s);
    }

    if (msglen > 0) {
        s = next_word(ctx);
        U32TO8_LITTLE(last, s);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ last[i]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 last[4];
    u32 s;
    u32 i;

    for (; length >= 4; length -= 4, keystream += 4) {
        s = next_word(ctx);
        U32TO8_LITTLE(keystream, s);
    }

    if (length > 0) {
        s = next_word(ctx);
        U32TO8_LITTLE(last, s);
        for (i = 0; i < length; ++i)
            keystream[i] = last[i];
    }
}
