/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Phelix, one 32-bit word per block, in the terms of the specification:
 * Doug Whiting, Bruce Schneier, Stefan Lucks and Frederic Muller,
 * "Phelix: Fast Encryption and Authentication in a Single Cryptographic Primitive",
 * eSTREAM submission (2005).
 *
 * The specification counts blocks from -8; ctx->step is the block number i plus 8, which is
 * the same modulo 4 and modulo 8.
 */

#include "ecrypt-sync-ae.h"

#define AAD_MAGIC U32C(0xAADAADAA)
#define MAC_MAGIC U32C(0x912D94F1)

#define BLANK_BLOCKS 8 /* run without output before the message and before the MAC */

/* The function H: half a block. */
static void H(u32 w[5], u32 x0, u32 x1)
{
    w[0] += w[3] ^ x0;
    w[3] = ROTL32(w[3], 15);
    w[1] += w[4];
    w[4] = ROTL32(w[4], 25);
    w[2] ^= w[0];
    w[0] = ROTL32(w[0], 9);
    w[3] ^= w[1];
    w[1] = ROTL32(w[1], 10);
    w[4] += w[2];
    w[2] = ROTL32(w[2], 17);

    w[0] ^= w[3] + x1;
    w[3] = ROTL32(w[3], 30);
    w[1] ^= w[4];
    w[4] = ROTL32(w[4], 13);
    w[2] += w[0];
    w[0] = ROTL32(w[0], 20);
    w[3] += w[1];
    w[1] = ROTL32(w[1], 11);
    w[4] ^= w[2];
    w[2] = ROTL32(w[2], 5);
}

/* The first half of block i: returns the key stream word S_i. */
static u32 begin_block(ECRYPT_AE_ctx *ctx)
{
    H(ctx->Z, 0, ctx->K[ctx->step % 8]);
    return ctx->Z[4] + ctx->oldZ4[ctx->step % 4];
}

/* X_(i,1), the block key of the second half. */
static u32 second_block_key(const ECRYPT_AE_ctx *ctx)
{
    u32 x = ctx->K[(ctx->step + 4) % 8] + ctx->N[ctx->step % 8] + (u32)ctx->step;

    if (ctx->step % 4 == 1)
        x += ctx->keysize / 2 + 256 * (ctx->macsize % 128);
    if (ctx->step % 4 == 3)
        x += (u32)(ctx->step >> 31);
    return x;
}

/* The second half of block i, which absorbs the plaintext word P_i. */
static void end_block(ECRYPT_AE_ctx *ctx, u32 plaintext)
{
    H(ctx->Z, plaintext, second_block_key(ctx));
    ctx->oldZ4[ctx->step % 4] = ctx->Z[4];
    ++ctx->step;
}

/* A whole block whose key stream serves nothing. */
static void blank_block(ECRYPT_AE_ctx *ctx, u32 plaintext)
{
    (void)begin_block(ctx);
    end_block(ctx, plaintext);
}

/* The additional data are over: the last word is filled up with zeros. */
static void end_aad(ECRYPT_AE_ctx *ctx)
{
    if (!ctx->in_aad)
        return;
    if (ctx->aadlen % 4 != 0)
        blank_block(ctx, ctx->aadword);
    ctx->Z[1] ^= AAD_MAGIC;
    ctx->in_aad = 0;
}

void ECRYPT_init(void)
{
}

/*
 * Key mixing. The key, filled up with zeros, is words 32 .. 39 of a sequence that is continued
 * downwards by a Feistel cipher of eight rounds; words 0 .. 7 are the working key.
 */
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize)
{
    u32 K[40];
    u32 w[5];
    u32 i;
    u32 j;

    (void)ivsize;
    for (i = 0; i < 8; ++i)
        K[32 + i] = i < keysize / 32 ? U8TO32_LITTLE(key + 4 * i) : 0;

    for (i = 8; i-- > 0;) {
        for (j = 0; j < 4; ++j)
            w[j] = K[4 * i + 4 + j];
        w[4] = keysize / 8 + 64;
        H(w, 0, 0);
        H(w, 0, 0);
        for (j = 0; j < 4; ++j)
            K[4 * i + j] = w[j] ^ K[4 * i + 8 + j];
    }

    for (i = 0; i < 8; ++i)
        ctx->K[i] = K[i];
    ctx->keysize = keysize;
    ctx->macsize = macsize;
}

void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < 4; ++i) {
        ctx->N[i] = U8TO32_LITTLE(iv + 4 * i);
        ctx->N[i + 4] = i - ctx->N[i];
        ctx->Z[i] = ctx->K[i + 3] ^ ctx->N[i];
        ctx->oldZ4[i] = 0;
    }
    ctx->Z[4] = ctx->K[7];
    ctx->step = 0;
    for (i = 0; i < BLANK_BLOCKS; ++i)
        blank_block(ctx, 0);

    ctx->Z[1] ^= AAD_MAGIC;
    ctx->in_aad = 1;
    ctx->aadlen = 0;
    ctx->aadword = 0;
    ctx->msgtail = 0;
}

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 aadlen)
{
    u32 i;

    for (i = 0; i < aadlen; ++i) {
        ctx->aadword |= (u32)aad[i] << (8 * (ctx->aadlen % 4));
        ++ctx->aadlen;
        if (ctx->aadlen % 4 == 0) {
            blank_block(ctx, ctx->aadword);
            ctx->aadword = 0;
        }
    }
}

void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output,
                             u32 msglen)
{
    u32 stream;
    u32 from;
    u32 to;
    u32 i;

    end_aad(ctx);
    for (; msglen >= 4; msglen -= 4, input += 4, output += 4) {
        stream = begin_block(ctx);
        from = U8TO32_LITTLE(input);
        to = from ^ stream;
        U32TO8_LITTLE(output, to);
        end_block(ctx, action == 0 ? from : to);
    }

    if (msglen > 0) {
        stream = begin_block(ctx);
        from = 0;
        to = 0;
        for (i = 0; i < msglen; ++i) {
            from |= (u32)input[i] << (8 * i);
            to |= (input[i] ^ ((stream >> (8 * i)) & 0xFF)) << (8 * i);
            output[i] = (u8)((to >> (8 * i)) & 0xFF);
        }
        end_block(ctx, action == 0 ? from : to);
    }
    ctx->msgtail = msglen;
}

void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac)
{
    u8 word[4];
    u32 tag;
    u32 i;

    end_aad(ctx);
    ctx->Z[0] ^= MAC_MAGIC;
    ctx->Z[2] ^= (u32)(ctx->aadlen >> 32);
    ctx->Z[4] ^= (u32)ctx->aadlen;
    for (i = 0; i < BLANK_BLOCKS; ++i)
        blank_block(ctx, ctx->msgtail);

    for (i = 0; i < ctx->macsize / 8; ++i) {
        if (i % 4 == 0) {
            tag = begin_block(ctx) ^ ctx->msgtail;
            end_block(ctx, ctx->msgtail);
            U32TO8_LITTLE(word, tag);
        }
        mac[i] = word[i % 4];
    }
}
