/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Phelix, eight 32-bit words at a time.
 * Specification: Doug Whiting, Bruce Schneier, Stefan Lucks and Frederic Muller,
 * "Phelix: Fast Encryption and Authentication in a Single Cryptographic Primitive",
 * eSTREAM submission (2005).
 *
 * Block keys have a period of eight blocks but for the block number, and the four old values of
 * Z_4 one of four: in a group of eight blocks that starts at a multiple of eight, every index
 * is a constant. Only additional data can bring a message out of step; then, up to seven words
 * go one by one until a group begins.
 *
 * ctx->step is the specification's block number i plus 8.
 */

#include "ecrypt-sync-ae.h"

#define AAD_MAGIC U32C(0xAADAADAA)
#define MAC_MAGIC U32C(0x912D94F1)

#define BLANK_BLOCKS 8 /* run without output before the message and before the MAC */

/* The state in local variables z0 .. z4, which a compiler keeps in registers. */
#define FETCH_STATE(ctx)                                                                          \
    u32 z0 = (ctx)->z[0];                                                                         \
    u32 z1 = (ctx)->z[1];                                                                         \
    u32 z2 = (ctx)->z[2];                                                                         \
    u32 z3 = (ctx)->z[3];                                                                         \
    u32 z4 = (ctx)->z[4]

#define STORE_STATE(ctx)                                                                          \
    do {                                                                                          \
        (ctx)->z[0] = z0;                                                                         \
        (ctx)->z[1] = z1;                                                                         \
        (ctx)->z[2] = z2;                                                                         \
        (ctx)->z[3] = z3;                                                                         \
        (ctx)->z[4] = z4;                                                                         \
    } while (0)

/* Half a block, the function H of the specification. */
#define HALF_BLOCK(x0, x1)                                                                        \
    do {                                                                                          \
        z0 += z3 ^ (x0);                                                                          \
        z3 = ROTL32(z3, 15);                                                                      \
        z1 += z4;                                                                                 \
        z4 = ROTL32(z4, 25);                                                                      \
        z2 ^= z0;                                                                                 \
        z0 = ROTL32(z0, 9);                                                                       \
        z3 ^= z1;                                                                                 \
        z1 = ROTL32(z1, 10);                                                                      \
        z4 += z2;                                                                                 \
        z2 = ROTL32(z2, 17);                                                                      \
        z0 ^= z3 + (x1);                                                                          \
        z3 = ROTL32(z3, 30);                                                                      \
        z1 ^= z4;                                                                                 \
        z4 = ROTL32(z4, 13);                                                                      \
        z2 += z0;                                                                                 \
        z0 = ROTL32(z0, 20);                                                                      \
        z3 += z1;                                                                                 \
        z1 = ROTL32(z1, 11);                                                                      \
        z4 ^= z2;                                                                                 \
        z2 = ROTL32(z2, 5);                                                                       \
    } while (0)

/* X_1 of block 8n + k; base is 8n, carry its bits from 31 on. */
#define X1(k) (ctx->x1[k] + base + ((k) % 4 == 3 ? carry : 0))

/* Block k of a group: from is the word read, to the word written, plaintext one of the two. */
#define BLOCK(k, plaintext, old)                                                                  \
    do {                                                                                          \
        u32 from;                                                                                 \
        u32 to;                                                                                   \
                                                                                                  \
        HALF_BLOCK(0, ctx->key[k]);                                                               \
        from = U8TO32_LITTLE(input + 4 * (k));                                                    \
        to = from ^ (z4 + (old));                                                                 \
        U32TO8_LITTLE(output + 4 * (k), to);                                                      \
        HALF_BLOCK(plaintext, X1(k));                                                             \
        (old) = z4;                                                                               \
    } while (0)

#define GROUP(plaintext)                                                                          \
    do {                                                                                          \
        BLOCK(0, plaintext, old0);                                                                \
        BLOCK(1, plaintext, old1);                                                                \
        BLOCK(2, plaintext, old2);                                                                \
        BLOCK(3, plaintext, old3);                                                                \
        BLOCK(4, plaintext, old0);                                                                \
        BLOCK(5, plaintext, old1);                                                                \
        BLOCK(6, plaintext, old2);                                                                \
        BLOCK(7, plaintext, old3);                                                                \
    } while (0)

/* Groups of eight words; ctx->step is a multiple of eight. */
static void process_groups(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output, u32 groups)
{
    FETCH_STATE(ctx);
    u32 old0 = ctx->old[0];
    u32 old1 = ctx->old[1];
    u32 old2 = ctx->old[2];
    u32 old3 = ctx->old[3];
    u64 step = ctx->step;

    for (; groups > 0; --groups, input += 32, output += 32) {
        const u32 base = (u32)step;
        const u32 carry = (u32)(step >> 31);

        if (action == 0)
            GROUP(from);
        else
            GROUP(to);
        step += 8;
    }

    STORE_STATE(ctx);
    ctx->old[0] = old0;
    ctx->old[1] = old1;
    ctx->old[2] = old2;
    ctx->old[3] = old3;
    ctx->step = step;
}

/*
 * One block at any place, of the first size bytes of a word; 1 <= size <= 4.
 * The plaintext is filled up with zeros.
 */
static void process_word(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output, u32 size)
{
    const u32 k = (u32)ctx->step & 7;
    const u32 base = (u32)ctx->step - k;
    const u32 carry = (u32)(ctx->step >> 31);
    const u32 used = U32C(0xFFFFFFFF) >> (32 - 8 * size);
    u32 from = 0;
    u32 to;
    u32 i;
    FETCH_STATE(ctx);

    for (i = 0; i < size; ++i)
        from |= (u32)input[i] << (8 * i);
    HALF_BLOCK(0, ctx->key[k]);
    to = (from ^ (z4 + ctx->old[k & 3])) & used;
    HALF_BLOCK(action == 0 ? from : to, X1(k));
    ctx->old[k & 3] = z4;
    for (i = 0; i < size; ++i)
        output[i] = (u8)((to >> (8 * i)) & 0xFF);

    STORE_STATE(ctx);
    ++ctx->step;
}

/* Blocks at any place that all absorb the same word; returns the last key stream word. */
static u32 absorb(ECRYPT_AE_ctx *ctx, u32 word, u32 blocks)
{
    u32 stream = 0;
    FETCH_STATE(ctx);

    for (; blocks > 0; --blocks) {
        const u32 k = (u32)ctx->step & 7;
        const u32 base = (u32)ctx->step - k;
        const u32 carry = (u32)(ctx->step >> 31);

        HALF_BLOCK(0, ctx->key[k]);
        stream = z4 + ctx->old[k & 3];
        HALF_BLOCK(word, X1(k));
        ctx->old[k & 3] = z4;
        ++ctx->step;
    }

    STORE_STATE(ctx);
    return stream;
}

/* The additional data are over: the last word is filled up with zeros. */
static void end_aad(ECRYPT_AE_ctx *ctx)
{
    if (!ctx->in_aad)
        return;
    if (ctx->aadlen % 4 != 0)
        (void)absorb(ctx, ctx->aadword, 1);
    ctx->z[1] ^= AAD_MAGIC;
    ctx->in_aad = 0;
}

void ECRYPT_init(void)
{
}

/* Key mixing: a Feistel cipher of eight rounds on two halves of four words. */
void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize)
{
    u32 *upper = ctx->key + 4;
    u32 *lower = ctx->key;
    u32 *swap;
    u32 round;
    u32 i;

    (void)ivsize;
    for (i = 0; i < 8; ++i)
        ctx->key[i] = i < keysize / 32 ? U8TO32_LITTLE(key + 4 * i) : 0;

    for (round = 0; round < 8; ++round) {
        u32 z0 = lower[0];
        u32 z1 = lower[1];
        u32 z2 = lower[2];
        u32 z3 = lower[3];
        u32 z4 = keysize / 8 + 64;

        HALF_BLOCK(0, 0);
        HALF_BLOCK(0, 0);
        upper[0] ^= z0;
        upper[1] ^= z1;
        upper[2] ^= z2;
        upper[3] ^= z3;
        swap = upper;
        upper = lower;
        lower = swap;
    }

    ctx->bump = keysize / 2 + 256 * (macsize % 128);
    ctx->macsize = macsize;
}

void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < 4; ++i) {
        const u32 n = U8TO32_LITTLE(iv + 4 * i);

        ctx->x1[i] = ctx->key[i + 4] + n + i;
        ctx->x1[i + 4] = ctx->key[i] + (i - n) + (i + 4);
        ctx->z[i] = ctx->key[i + 3] ^ n;
        ctx->old[i] = 0;
    }
    ctx->x1[1] += ctx->bump;
    ctx->x1[5] += ctx->bump;
    ctx->z[4] = ctx->key[7];
    ctx->step = 0;
    (void)absorb(ctx, 0, BLANK_BLOCKS);

    ctx->z[1] ^= AAD_MAGIC;
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
            (void)absorb(ctx, ctx->aadword, 1);
            ctx->aadword = 0;
        }
    }
}

void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output,
                             u32 msglen)
{
    u32 groups;

    end_aad(ctx);
    for (; msglen >= 4 && ctx->step % 8 != 0; msglen -= 4, input += 4, output += 4)
        process_word(action, ctx, input, output, 4);

    groups = msglen / 32;
    if (groups > 0) {
        process_groups(action, ctx, input, output, groups);
        input += 32 * groups;
        output += 32 * groups;
        msglen %= 32;
    }

    for (; msglen >= 4; msglen -= 4, input += 4, output += 4)
        process_word(action, ctx, input, output, 4);
    if (msglen > 0)
        process_word(action, ctx, input, output, msglen);
    ctx->msgtail = msglen;
}

void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac)
{
    u8 word[4];
    u32 tag;
    u32 i;

    end_aad(ctx);
    ctx->z[0] ^= MAC_MAGIC;
    ctx->z[2] ^= (u32)(ctx->aadlen >> 32);
    ctx->z[4] ^= (u32)ctx->aadlen;
    (void)absorb(ctx, ctx->msgtail, BLANK_BLOCKS);

    for (i = 0; i < ctx->macsize / 8; ++i) {
        if (i % 4 == 0) {
            tag = absorb(ctx, ctx->msgtail, 1) ^ ctx->msgtail;
            U32TO8_LITTLE(word, tag);
        }
        mac[i] = word[i % 4];
    }
}
