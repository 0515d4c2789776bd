/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-256, one word per step, in the terms of the specification:
 * Hongjun Wu, "A New Stream Cipher HC-256", Fast Software Encryption 2004, sections 2.1 to 2.3.
 *
 * The paper knows keys and IVs of 256 bits only. Shorter ones of 128 bits are used twice,
 * which eSTREAM's published vectors confirm.
 */

#include "ecrypt-sync.h"

/* j minus k modulo 1024, the subtraction of the specification's table indices. */
#define MINUS(j, k) (((j) - (u32)(k)) & 1023)

/* Byte n of x. */
#define BYTE(x, n) (((x) >> (8 * (n))) & 0xFF)

static u32 f1(u32 x)
{
    return ROTR32(x, 7) ^ ROTR32(x, 18) ^ (x >> 3);
}

static u32 f2(u32 x)
{
    return ROTR32(x, 17) ^ ROTR32(x, 19) ^ (x >> 10);
}

static u32 g1(const ECRYPT_ctx *ctx, u32 x, u32 y)
{
    return (ROTR32(x, 10) ^ ROTR32(y, 23)) + ctx->Q[(x ^ y) & 1023];
}

static u32 g2(const ECRYPT_ctx *ctx, u32 x, u32 y)
{
    return (ROTR32(x, 10) ^ ROTR32(y, 23)) + ctx->P[(x ^ y) & 1023];
}

static u32 h1(const ECRYPT_ctx *ctx, u32 x)
{
    const u32 *Q = ctx->Q;

    return Q[BYTE(x, 0)] + Q[256 + BYTE(x, 1)] + Q[512 + BYTE(x, 2)] + Q[768 + BYTE(x, 3)];
}

static u32 h2(const ECRYPT_ctx *ctx, u32 x)
{
    const u32 *P = ctx->P;

    return P[BYTE(x, 0)] + P[256 + BYTE(x, 1)] + P[512 + BYTE(x, 2)] + P[768 + BYTE(x, 3)];
}

/* Section 2.3: one step, which renews one word of P or Q and returns s_i. */
static u32 next_word(ECRYPT_ctx *ctx)
{
    u32 *P = ctx->P;
    u32 *Q = ctx->Q;
    const u32 j = ctx->i & 1023;
    u32 s;

    if (ctx->i < 1024) {
        P[j] += P[MINUS(j, 10)] + g1(ctx, P[MINUS(j, 3)], P[MINUS(j, 1023)]);
        s = h1(ctx, P[MINUS(j, 12)]) ^ P[j];
    } else {
        Q[j] += Q[MINUS(j, 10)] + g2(ctx, Q[MINUS(j, 3)], Q[MINUS(j, 1023)]);
        s = h2(ctx, Q[MINUS(j, 12)]) ^ Q[j];
    }
    ctx->i = (ctx->i + 1) & 2047;
    return s;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    for (i = 0; i < 8; ++i)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * (i % (keysize / 32)));
    ctx->ivsize = ivsize;
}

/* Section 2.2. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 W[2560];
    u32 i;

    for (i = 0; i < 8; ++i) {
        W[i] = ctx->key[i];
        W[i + 8] = U8TO32_LITTLE(iv + 4 * (i % (ctx->ivsize / 32)));
    }
    for (i = 16; i < 2560; ++i)
        W[i] = f2(W[i - 2]) + W[i - 7] + f1(W[i - 15]) + W[i - 16] + i;

    for (i = 0; i < 1024; ++i) {
        ctx->P[i] = W[i + 512];
        ctx->Q[i] = W[i + 1536];
    }

    ctx->i = 0;
    for (i = 0; i < 4096; ++i)
        (void)next_word(ctx);
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
