/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Rabbit, in the terms of the specification: M. Boesgaard, M. Vesterager, T. Pedersen,
 * J. Christiansen, O. Scavenius, "Rabbit: A New High-Performance Stream Cipher", Fast Software
 * Encryption 2003, sections 2.2 to 2.6; with the IV set-up of "The Stream Cipher Rabbit",
 * eSTREAM (2005).
 *
 * Byte order, as in the submission to eSTREAM, whose published vectors confirm it: key, IV and
 * key stream are numbers of which the first byte is the least significant.
 */

#include "ecrypt-sync.h"

#define NEXT(j, k) (((j) + (k)) & 7)

/* Section 2.5: the counters. */
static void next_counters(rabbit_state *s)
{
    static const u32 A[8] = {
        U32C(0x4D34D34D), U32C(0xD34D34D3), U32C(0x34D34D34), U32C(0x4D34D34D),
        U32C(0xD34D34D3), U32C(0x34D34D34), U32C(0x4D34D34D), U32C(0xD34D34D3)
    };
    u32 j;

    for (j = 0; j < 8; ++j) {
        const u64 sum = (u64)s->c[j] + A[j] + s->carry;

        s->c[j] = (u32)(sum & 0xFFFFFFFF);
        s->carry = (u32)(sum >> 32);
    }
}

/* Section 2.4: the g-function. */
static u32 g(u32 x, u32 c)
{
    const u64 sum = U32V(x + c);
    const u64 square = sum * sum;

    return (u32)((square ^ (square >> 32)) & 0xFFFFFFFF);
}

/* Section 2.4: the next state. */
static void next_state(rabbit_state *s)
{
    u32 G[8];
    u32 j;

    next_counters(s);
    for (j = 0; j < 8; ++j)
        G[j] = g(s->x[j], s->c[j]);
    for (j = 0; j < 8; j += 2) {
        s->x[j] = G[j] + ROTL32(G[NEXT(j, 7)], 16) + ROTL32(G[NEXT(j, 6)], 16);
        s->x[j + 1] = G[j + 1] + ROTL32(G[j], 8) + G[NEXT(j + 1, 6)];
    }
}

/* Section 2.6: the next 128 bits of key stream; word j is built from x_2j, x_2j+5 and x_2j+3. */
static void next_block(ECRYPT_ctx *ctx, u8 block[16])
{
    const u32 *x = ctx->work.x;
    u32 j;

    next_state(&ctx->work);
    for (j = 0; j < 4; ++j) {
        const u32 low = (x[2 * j] ^ (x[NEXT(2 * j, 5)] >> 16)) & 0xFFFF;
        const u32 high = (x[2 * j] >> 16) ^ (x[NEXT(2 * j, 3)] & 0xFFFF);

        U32TO8_LITTLE(block + 4 * j, (high << 16) | low);
    }
}

void ECRYPT_init(void)
{
}

/* Section 2.3. */
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    rabbit_state *s = &ctx->master;
    u32 k[8];
    u32 j;

    (void)keysize;
    (void)ivsize;
    for (j = 0; j < 8; ++j)
        k[j] = U8TO16_LITTLE(key + 2 * j);

    for (j = 0; j < 8; j += 2) {
        s->x[j] = (k[NEXT(j, 1)] << 16) | k[j];
        s->c[j] = (k[NEXT(j, 4)] << 16) | k[NEXT(j, 5)];
    }
    for (j = 1; j < 8; j += 2) {
        s->x[j] = (k[NEXT(j, 5)] << 16) | k[NEXT(j, 4)];
        s->c[j] = (k[j] << 16) | k[NEXT(j, 1)];
    }
    s->carry = 0;

    for (j = 0; j < 4; ++j)
        next_state(s);
    for (j = 0; j < 8; ++j)
        s->c[j] ^= s->x[NEXT(j, 4)];
    ctx->work = *s;
}

/* "The Stream Cipher Rabbit", IV set-up scheme. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    rabbit_state *s = &ctx->work;
    u32 IV[4]; /* of 16 bits each */
    u32 j;

    for (j = 0; j < 4; ++j)
        IV[j] = U8TO16_LITTLE(iv + 2 * j);

    *s = ctx->master;
    for (j = 0; j < 8; j += 4) {
        s->c[j] ^= (IV[1] << 16) | IV[0];
        s->c[j + 1] ^= (IV[3] << 16) | IV[1];
        s->c[j + 2] ^= (IV[3] << 16) | IV[2];
        s->c[j + 3] ^= (IV[2] << 16) | IV[0];
    }
    for (j = 0; j < 4; ++j)
        next_state(s);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 block[16];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 16 == 0)
            next_block(ctx, block);
        output[i] = (u8)(input[i] ^ block[i % 16]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 block[16];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % 16 == 0)
            next_block(ctx, block);
        keystream[i] = block[i % 16];
    }
}
