/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-128, sixteen steps at a time.
 * Specification: Hongjun Wu, "The Stream Cipher HC-128", eSTREAM portfolio (2008).
 *
 * 512 is a multiple of 16, so sixteen steps never leave one table, and the words that lie
 * 3, 10, 12 and 511 steps back are at constant offsets in three groups of sixteen words:
 * the one being renewed, the one before it and the one after it.
 */

#include "ecrypt-sync.h"

#define F1(x) (ROTR32(x, 7) ^ ROTR32(x, 18) ^ ((x) >> 3))
#define F2(x) (ROTR32(x, 17) ^ ROTR32(x, 19) ^ ((x) >> 10))

/* h1 and h2: the table that is not being renewed, at bytes 0 and 2 of x. */
#define H(x) (other[(x) & 0xFF] + other[256 + (((x) >> 16) & 0xFF)])

/*
 * Step k of sixteen. x3, x10, x12 and x511 are the words that many steps back.
 * ROT turns right for P (g1) and left for Q (g2).
 * STORE receives the new word before (t) and after (s) the exclusive or with h.
 */
#define STEP(ROT, STORE, k, x3, x10, x12, x511)                                                   \
    do {                                                                                          \
        const u32 t = now[k] + (ROT(x3, 10) ^ ROT(x511, 23)) + ROT(x10, 8);                       \
        const u32 s = H(x12) ^ t;                                                                 \
        STORE(k, t, s);                                                                           \
    } while (0)

#define SIXTEEN_STEPS(ROT, STORE)                                                                 \
    STEP(ROT, STORE, 0, before[13], before[6], before[4], now[1]);                                \
    STEP(ROT, STORE, 1, before[14], before[7], before[5], now[2]);                                \
    STEP(ROT, STORE, 2, before[15], before[8], before[6], now[3]);                                \
    STEP(ROT, STORE, 3, now[0], before[9], before[7], now[4]);                                    \
    STEP(ROT, STORE, 4, now[1], before[10], before[8], now[5]);                                   \
    STEP(ROT, STORE, 5, now[2], before[11], before[9], now[6]);                                   \
    STEP(ROT, STORE, 6, now[3], before[12], before[10], now[7]);                                  \
    STEP(ROT, STORE, 7, now[4], before[13], before[11], now[8]);                                  \
    STEP(ROT, STORE, 8, now[5], before[14], before[12], now[9]);                                  \
    STEP(ROT, STORE, 9, now[6], before[15], before[13], now[10]);                                 \
    STEP(ROT, STORE, 10, now[7], now[0], before[14], now[11]);                                    \
    STEP(ROT, STORE, 11, now[8], now[1], before[15], now[12]);                                    \
    STEP(ROT, STORE, 12, now[9], now[2], now[0], now[13]);                                        \
    STEP(ROT, STORE, 13, now[10], now[3], now[1], now[14]);                                       \
    STEP(ROT, STORE, 14, now[11], now[4], now[2], now[15]);                                       \
    STEP(ROT, STORE, 15, now[12], now[5], now[3], after[0])

/* While running, the table keeps t and s is the key stream; at set-up, the table keeps s. */
#define EMIT(k, t, s)                                                                             \
    do {                                                                                          \
        now[k] = (t);                                                                             \
        stream[k] = (s);                                                                          \
    } while (0)
#define KEEP(k, t, s) (now[k] = (s))

/* The next sixteen words of key stream. */
static void generate(ECRYPT_ctx *ctx, u32 stream[16])
{
    const u32 j = ctx->step & 511;
    u32 *table = ctx->table + (ctx->step - j);
    const u32 *other = ctx->table + (512 - (ctx->step - j));
    u32 *now = table + j;
    const u32 *before = table + ((j + 496) & 511);
    const u32 *after = table + ((j + 16) & 511);

    if (ctx->step < 512) {
        SIXTEEN_STEPS(ROTR32, EMIT);
    } else {
        SIXTEEN_STEPS(ROTL32, EMIT);
    }
    ctx->step = (ctx->step + 16) & 1023;
}

/* The 1024 steps of set-up, whose output replaces the tables. */
static void mix(ECRYPT_ctx *ctx)
{
    u32 *table = ctx->table;
    const u32 *other = ctx->table + 512;
    u32 j;

    for (j = 0; j < 512; j += 16) {
        u32 *now = table + j;
        const u32 *before = table + ((j + 496) & 511);
        const u32 *after = table + ((j + 16) & 511);

        SIXTEEN_STEPS(ROTR32, KEEP);
    }

    table = ctx->table + 512;
    other = ctx->table;
    for (j = 0; j < 512; j += 16) {
        u32 *now = table + j;
        const u32 *before = table + ((j + 496) & 511);
        const u32 *after = table + ((j + 16) & 511);

        SIXTEEN_STEPS(ROTL32, KEEP);
    }
}

/* w[i] of the expansion, where w is displaced by offset words. */
static void expand(u32 *w, u32 from, u32 to, u32 offset)
{
    u32 i;

    for (i = from; i < to; ++i)
        w[i] = F2(w[i - 2]) + w[i - 7] + F1(w[i - 15]) + w[i - 16] + (i + offset);
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

/*
 * The tables are words 256 .. 1279 of the expansion.
 * The first 272 words are made at the front of the tables, and the last sixteen of them,
 * all that the rest depends on, are then moved to where they belong: no stack is needed.
 */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 *w = ctx->table;
    u32 i;

    for (i = 0; i < 4; ++i) {
        w[i] = w[i + 4] = ctx->key[i];
        w[i + 8] = w[i + 12] = U8TO32_LITTLE(iv + 4 * i);
    }
    expand(w, 16, 272, 0);
    for (i = 0; i < 16; ++i)
        w[i] = w[i + 256];
    expand(w, 16, 1024, 256);

    mix(ctx);
    ctx->step = 0;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 stream[16];
    u8 word[4];
    u32 i;

    (void)action;
    for (; msglen >= 64; msglen -= 64, input += 64, output += 64) {
        generate(ctx, stream);
        for (i = 0; i < 16; ++i) {
            const u32 s = U8TO32_LITTLE(input + 4 * i) ^ stream[i];

            U32TO8_LITTLE(output + 4 * i, s);
        }
    }

    if (msglen > 0) {
        generate(ctx, stream);
        for (i = 0; i < msglen; ++i) {
            if ((i & 3) == 0)
                U32TO8_LITTLE(word, stream[i >> 2]);
            output[i] = (u8)(input[i] ^ word[i & 3]);
        }
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 stream[16];
    u8 word[4];
    u32 i;

    for (; length >= 64; length -= 64, keystream += 64) {
        generate(ctx, stream);
        for (i = 0; i < 16; ++i)
            U32TO8_LITTLE(keystream + 4 * i, stream[i]);
    }

    if (length > 0) {
        generate(ctx, stream);
        for (i = 0; i < length; ++i) {
            if ((i & 3) == 0)
                U32TO8_LITTLE(word, stream[i >> 2]);
            keystream[i] = word[i & 3];
        }
    }
}
