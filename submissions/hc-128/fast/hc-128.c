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
 * STORE receives the new word before (g) and after (z) the exclusive or with h, and makes t of
 * the one that the table keeps. The steps after the third take x3 from t: from the table it
 * would come later, as compilers cannot exclude that the output lies there.
 */
#define STEP(ROT, STORE, k, x3, x10, x12, x511)                                                   \
    const u32 g##k = now[k] + (ROT(x3, 10) ^ ROT(x511, 23)) + ROT(x10, 8);                        \
    STORE(k, g##k, H(x12) ^ g##k)

#define SIXTEEN_STEPS(ROT, STORE)                                                                 \
    STEP(ROT, STORE, 0, before[13], before[6], before[4], now[1]);                                \
    STEP(ROT, STORE, 1, before[14], before[7], before[5], now[2]);                                \
    STEP(ROT, STORE, 2, before[15], before[8], before[6], now[3]);                                \
    STEP(ROT, STORE, 3, t0, before[9], before[7], now[4]);                                        \
    STEP(ROT, STORE, 4, t1, before[10], before[8], now[5]);                                       \
    STEP(ROT, STORE, 5, t2, before[11], before[9], now[6]);                                       \
    STEP(ROT, STORE, 6, t3, before[12], before[10], now[7]);                                      \
    STEP(ROT, STORE, 7, t4, before[13], before[11], now[8]);                                      \
    STEP(ROT, STORE, 8, t5, before[14], before[12], now[9]);                                      \
    STEP(ROT, STORE, 9, t6, before[15], before[13], now[10]);                                     \
    STEP(ROT, STORE, 10, t7, now[0], before[14], now[11]);                                        \
    STEP(ROT, STORE, 11, t8, now[1], before[15], now[12]);                                        \
    STEP(ROT, STORE, 12, t9, now[2], now[0], now[13]);                                            \
    STEP(ROT, STORE, 13, t10, now[3], now[1], now[14]);                                           \
    STEP(ROT, STORE, 14, t11, now[4], now[2], now[15]);                                           \
    STEP(ROT, STORE, 15, t12, now[5], now[3], after[0])

/* While running, the table keeps g and z is the key stream; at set-up, the table keeps z. */
#define EMIT(k, g, z)                                                                             \
    const u32 t##k = (g);                                                                         \
    now[k] = t##k;                                                                                \
    U32TO8_LITTLE(output + 4 * (k), z)
#define ENCRYPT(k, g, z)                                                                          \
    const u32 t##k = (g);                                                                         \
    now[k] = t##k;                                                                                \
    U32TO8_LITTLE(output + 4 * (k), U8TO32_LITTLE(input + 4 * (k)) ^ (z))
#define KEEP(k, g, z)                                                                             \
    const u32 t##k = (z);                                                                         \
    now[k] = t##k

/* The next 64 bytes of key stream. */
static void generate(ECRYPT_ctx *ctx, u8 *output)
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

/* Inlined into its loop, gcc 12 runs out of registers: slower by 5 % on an AMD EPYC. */
#if (defined(__GNUC__) && !defined(__TINYC__))
#define APART __attribute__((noinline))
#else
#define APART
#endif

APART static void encrypt(ECRYPT_ctx *ctx, const u8 *input, u8 *output)
{
    const u32 j = ctx->step & 511;
    u32 *table = ctx->table + (ctx->step - j);
    const u32 *other = ctx->table + (512 - (ctx->step - j));
    u32 *now = table + j;
    const u32 *before = table + ((j + 496) & 511);
    const u32 *after = table + ((j + 16) & 511);

    if (ctx->step < 512) {
        SIXTEEN_STEPS(ROTR32, ENCRYPT);
    } else {
        SIXTEEN_STEPS(ROTL32, ENCRYPT);
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

/*
 * w[i] of the expansion, where w is displaced by offset words. Two chains, whose last words are
 * in registers: what each word waits for longest is the word two places before it.
 */
static void expand(u32 *w, u32 from, u32 to, u32 offset)
{
    u32 even = w[from - 2];
    u32 odd = w[from - 1];
    u32 i;

    for (i = from; i < to; i += 2) {
        even = F2(even) + (w[i - 7] + (F1(w[i - 15]) + (w[i - 16] + (i + offset))));
        odd = F2(odd) + (w[i - 6] + (F1(w[i - 14]) + (w[i - 15] + (i + 1 + offset))));
        w[i] = even;
        w[i + 1] = odd;
    }
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
    u8 stream[64];
    u32 i;

    (void)action;
    for (; msglen >= 64; msglen -= 64, input += 64, output += 64)
        encrypt(ctx, input, output);

    if (msglen > 0) {
        generate(ctx, stream);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ stream[i]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 stream[64];
    u32 i;

    for (; length >= 64; length -= 64, keystream += 64)
        generate(ctx, keystream);

    if (length > 0) {
        generate(ctx, stream);
        for (i = 0; i < length; ++i)
            keystream[i] = stream[i];
    }
}
