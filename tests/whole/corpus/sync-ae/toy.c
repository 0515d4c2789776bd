/* SPDX-License-Identifier: MIT */
#include "ecrypt-sync-ae.h"

void ECRYPT_init(void) {}

void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize)
{
    int i;

    (void)keysize, (void)ivsize;
    for (i = 0; i < 4; i++)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
    ctx->mac_words = macsize / 32;
}

static void mix(u32 x[4])
{
    x[0] += ROTL32(x[3], 7);
    x[1] ^= ROTL32(x[0], 11);
    x[2] += ROTL32(x[1], 13);
    x[3] ^= ROTL32(x[2], 18);
}

static void absorb(ECRYPT_AE_ctx *ctx, u32 word)
{
    ctx->sum[0] ^= word;
    mix(ctx->sum);
    mix(ctx->sum);
}

void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv)
{
    int i;

    ctx->iv[0] = U8TO32_LITTLE(iv);
    ctx->iv[1] = U8TO32_LITTLE(iv + 4);
    ctx->counter = 0;
    for (i = 0; i < 4; i++)
        ctx->sum[i] = ctx->key[i];
    absorb(ctx, ctx->iv[0]);
    absorb(ctx, ctx->iv[1]);
    ctx->aad_bytes = ctx->bytes = 0;
}

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 length)
{
    ctx->aad_bytes += length;
    while (length--)
        absorb(ctx, *aad++);
}

static void generate(ECRYPT_AE_ctx *ctx, u8 stream[16])
{
    u32 x[4];
    int i, round;

    for (i = 0; i < 4; i++)
        x[i] = ctx->key[i];
    for (round = 0; round < 12; round++) {
        x[0] ^= ctx->iv[round & 1] + (u32)round;
        x[1] ^= ctx->counter;
        mix(x);
    }
    for (i = 0; i < 4; i++)
        U32TO8_LITTLE(stream + 4 * i, x[i] + ctx->key[i]);
    ctx->counter++;
}

void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *in, u8 *out, u32 length)
{
    u8 stream[16], byte;
    u32 i;

    ctx->bytes += length;
    for (i = 0; i < length; i++) {
        if (i % 16 == 0)
            generate(ctx, stream);
        byte = in[i];
        out[i] = (u8)(byte ^ stream[i % 16]);
        absorb(ctx, action ? byte : out[i]);
    }
}

void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac)
{
    u32 i;

    absorb(ctx, ctx->aad_bytes);
    absorb(ctx, ctx->bytes);
    for (i = 0; i < 4; i++)
        absorb(ctx, ctx->key[i]);
    for (i = 0; i < ctx->mac_words; i++)
        U32TO8_LITTLE(mac + 4 * i, ctx->sum[i]);
}
