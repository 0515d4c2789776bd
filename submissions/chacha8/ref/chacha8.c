/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha, in the terms of the specification: D. J. Bernstein, "ChaCha, a variant of Salsa20"
 * (2008), sections 2 and 3; and of what it varies, "The Salsa20 family of stream ciphers" (2008).
 */

#include "ecrypt-sync.h"

/* Section 3.1: the quarter-round. */
static void quarterround(u32 *a, u32 *b, u32 *c, u32 *d)
{
    *a = U32V(*a + *b);
    *d ^= *a;
    *d = ROTL32(*d, 16);
    *c = U32V(*c + *d);
    *b ^= *c;
    *b = ROTL32(*b, 12);
    *a = U32V(*a + *b);
    *d ^= *a;
    *d = ROTL32(*d, 8);
    *c = U32V(*c + *d);
    *b ^= *c;
    *b = ROTL32(*b, 7);
}

/* Section 3.2: two rounds, one down the columns and one along the diagonals. */
static void doubleround(u32 x[16])
{
    quarterround(&x[0], &x[4], &x[8], &x[12]);
    quarterround(&x[1], &x[5], &x[9], &x[13]);
    quarterround(&x[2], &x[6], &x[10], &x[14]);
    quarterround(&x[3], &x[7], &x[11], &x[15]);

    quarterround(&x[0], &x[5], &x[10], &x[15]);
    quarterround(&x[1], &x[6], &x[11], &x[12]);
    quarterround(&x[2], &x[7], &x[8], &x[13]);
    quarterround(&x[3], &x[4], &x[9], &x[14]);
}

/* The block of the number in words 12 and 13, which then counts up. */
static void next_block(ECRYPT_ctx *ctx, u8 block[64])
{
    u32 x[16];
    int i;

    for (i = 0; i < 16; ++i)
        x[i] = ctx->input[i];
    for (i = 0; i < CHACHA_ROUNDS; i += 2)
        doubleround(x);
    for (i = 0; i < 16; ++i)
        U32TO8_LITTLE(block + 4 * i, U32V(x[i] + ctx->input[i]));

    ctx->input[12] = U32V(ctx->input[12] + 1);
    if (ctx->input[12] == 0)
        ctx->input[13] = U32V(ctx->input[13] + 1);
}

void ECRYPT_init(void)
{
}

/* Constants and key; a key of 16 bytes stands there twice, with other constants. */
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    static const u8 sigma[] = "expand 32-byte k";
    static const u8 tau[] = "expand 16-byte k";
    const u8 *constants = (keysize == 256) ? sigma : tau;
    const u8 *second = (keysize == 256) ? key + 16 : key;
    int i;

    (void)ivsize;
    for (i = 0; i < 4; ++i) {
        ctx->input[i] = U8TO32_LITTLE(constants + 4 * i);
        ctx->input[4 + i] = U8TO32_LITTLE(key + 4 * i);
        ctx->input[8 + i] = U8TO32_LITTLE(second + 4 * i);
    }
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    ctx->input[12] = 0;
    ctx->input[13] = 0;
    ctx->input[14] = U8TO32_LITTLE(iv);
    ctx->input[15] = U8TO32_LITTLE(iv + 4);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 block[64];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 64 == 0)
            next_block(ctx, block);
        output[i] = (u8)(input[i] ^ block[i % 64]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 block[64];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % 64 == 0)
            next_block(ctx, block);
        keystream[i] = block[i % 64];
    }
}
