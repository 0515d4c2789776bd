/* SPDX-License-Identifier: MIT */
#include "ecrypt-sync.h"

void ECRYPT_init(void) {}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)ivsize;
    for (i = 0; i < 4; i++)
        ctx->key[i] = 0;
    for (i = 0; i < keysize / 32; i++)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    ctx->iv[0] = U8TO32_LITTLE(iv);
    ctx->iv[1] = U8TO32_LITTLE(iv + 4);
    ctx->carries = 0;
    ctx->counter = 0;
}

static void stir(u32 x[8])
{
    int round, i;

    for (round = 0; round < 6; round++)
        for (i = 0; i < 8; i++) {
            x[i] += x[(i + 3) & 7] ^ ROTL32(x[(i + 1) & 7], 7);
            x[(i + 5) & 7] ^= ROTL32(x[i], 13);
        }
}

/* Writes the next 16 bytes of the stream. */
static void generate(ECRYPT_ctx *ctx, u8 stream[16])
{
    u32 x[8];
    int i;

    for (i = 0; i < 4; i++)
        x[i] = ctx->key[i];
    x[4] = ctx->iv[0];
    x[5] = ctx->iv[1];
    x[6] = ctx->counter;
    x[7] = U32C(0x61707865);
    x[7] ^= ctx->carries;
    stir(x);
    for (i = 0; i < 4; i++)
        U32TO8_LITTLE(stream + 4 * i, x[i] + x[i + 4]);
    ctx->carries += ctx->counter == U32C(0xffffffff);
    ctx->counter++;
}

static void add(ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 length)
{
    u8 stream[16];
    u32 i;

    generate(ctx, stream);
    for (i = 0; i < length; i++)
        out[i] = (u8)(in[i] ^ stream[i]);
}

void ECRYPT_process_blocks(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 blocks)
{
    (void)action;
    for (; blocks; blocks--, in += 16, out += 16)
        add(ctx, in, out, 16);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 length)
{
    u32 whole = length / 16 * 16;

    ECRYPT_process_blocks(action, ctx, in, out, length / 16);
    if (length > whole)
        add(ctx, in + whole, out + whole, length - whole);
}

void ECRYPT_keystream_blocks(ECRYPT_ctx *ctx, u8 *out, u32 blocks)
{
    for (; blocks; blocks--, out += 16)
        generate(ctx, out);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *out, u32 length)
{
    u8 stream[16];
    u32 i;

    ECRYPT_keystream_blocks(ctx, out, length / 16);
    if (length % 16)
        generate(ctx, stream);
    for (i = 0; i < length % 16; i++)
        out[length / 16 * 16 + i] = stream[i];
}
