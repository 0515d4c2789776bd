/* SPDX-License-Identifier: CC0-1.0 */
/*
 * HC-256, sixteen steps at a time.
 * Specification: Hongjun Wu, "A New Stream Cipher HC-256", Fast Software Encryption 2004.
 *
 * 1024 is a multiple of 16, so sixteen steps never leave one table, and the words that lie
 * 3, 10, 12 and 1023 steps back are at constant offsets in three groups of sixteen words:
 * the one being renewed, the one before it and the one after it.
 *
 * The paper knows keys and IVs of 256 bits only. Shorter ones of 128 bits are used twice,
 * which eSTREAM's published vectors confirm.
 */

#include "ecrypt-sync.h"

#define F1(x) (ROTR32(x, 7) ^ ROTR32(x, 18) ^ ((x) >> 3))
#define F2(x) (ROTR32(x, 17) ^ ROTR32(x, 19) ^ ((x) >> 10))

/* h1 and h2: the table that is not being renewed, at the four bytes of x. */
#define H(x)                                                                                      \
    (other[(x) & 0xFF] + other[256 + (((x) >> 8) & 0xFF)] + other[512 + (((x) >> 16) & 0xFF)]     \
     + other[768 + ((x) >> 24)])

/*
 * Step k of sixteen. x3, x10, x12 and x1023 are the words that many steps back.
 * STORE uses the new word (t), and the word to which h is to be applied. The steps after the
 * third take x3 from t: from the table it would come later, as compilers cannot exclude that
 * the output lies there.
 */
#define STEP(STORE, k, x3, x10, x12, x1023)                                                       \
    const u32 t##k = now[k] + (x10) + (ROTR32(x3, 10) ^ ROTR32(x1023, 23))                        \
                     + other[((x3) ^ (x1023)) & 1023];                                            \
    now[k] = t##k;                                                                                \
    STORE(k, t##k, x12)

#define SIXTEEN_STEPS(STORE)                                                                      \
    STEP(STORE, 0, before[13], before[6], before[4], now[1]);                                     \
    STEP(STORE, 1, before[14], before[7], before[5], now[2]);                                     \
    STEP(STORE, 2, before[15], before[8], before[6], now[3]);                                     \
    STEP(STORE, 3, t0, before[9], before[7], now[4]);                                             \
    STEP(STORE, 4, t1, before[10], before[8], now[5]);                                            \
    STEP(STORE, 5, t2, before[11], before[9], now[6]);                                            \
    STEP(STORE, 6, t3, before[12], before[10], now[7]);                                           \
    STEP(STORE, 7, t4, before[13], before[11], now[8]);                                           \
    STEP(STORE, 8, t5, before[14], before[12], now[9]);                                           \
    STEP(STORE, 9, t6, before[15], before[13], now[10]);                                          \
    STEP(STORE, 10, t7, now[0], before[14], now[11]);                                             \
    STEP(STORE, 11, t8, now[1], before[15], now[12]);                                             \
    STEP(STORE, 12, t9, now[2], now[0], now[13]);                                                 \
    STEP(STORE, 13, t10, now[3], now[1], now[14]);                                                \
    STEP(STORE, 14, t11, now[4], now[2], now[15]);                                                \
    STEP(STORE, 15, t12, now[5], now[3], after[0])

/* What set-up puts out is not used, so h is only needed while running. */
#define EMIT(k, t, x12) U32TO8_LITTLE(output + 4 * (k), H(x12) ^ (t))
#define ENCRYPT(k, t, x12)                                                                        \
    U32TO8_LITTLE(output + 4 * (k), U8TO32_LITTLE(input + 4 * (k)) ^ H(x12) ^ (t))
#define FORGET(k, t, x12) ((void)0)

#define GROUPS                                                                                    \
    const u32 j = ctx->step & 1023;                                                               \
    u32 *table = ctx->table + (ctx->step - j);                                                    \
    const u32 *other = ctx->table + (1024 - (ctx->step - j));                                     \
    u32 *now = table + j;                                                                         \
    const u32 *before = table + ((j + 1008) & 1023);                                              \
    const u32 *after = table + ((j + 16) & 1023)

/* The next 64 bytes of key stream. */
static void generate(ECRYPT_ctx *ctx, u8 *output)
{
    GROUPS;

    SIXTEEN_STEPS(EMIT);
    ctx->step = (ctx->step + 16) & 2047;
}

/* Inlined into its loop, gcc 12 runs out of registers: slower by 8 % on an AMD EPYC. */
#if (defined(__GNUC__) && !defined(__TINYC__))
#define APART __attribute__((noinline))
#else
#define APART
#endif

APART static void encrypt(ECRYPT_ctx *ctx, const u8 *input, u8 *output)
{
    GROUPS;

    SIXTEEN_STEPS(ENCRYPT);
    ctx->step = (ctx->step + 16) & 2047;
}

/* Sixteen steps of set-up. */
static void skip(ECRYPT_ctx *ctx)
{
    GROUPS;

    SIXTEEN_STEPS(FORGET);
    ctx->step = (ctx->step + 16) & 2047;
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
    const u32 mask = (keysize == 256) ? 7 : 3;
    u32 i;

    for (i = 0; i < 8; ++i)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * (i & mask));
    ctx->ivsize = ivsize;
}

/*
 * The tables are words 512 .. 2559 of the expansion.
 * The first 528 words are made at the front of the tables, and the last sixteen of them,
 * all that the rest depends on, are then moved to where they belong: no stack is needed.
 */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u32 mask = (ctx->ivsize == 256) ? 7 : 3;
    u32 *w = ctx->table;
    u32 i;

    for (i = 0; i < 8; ++i) {
        w[i] = ctx->key[i];
        w[i + 8] = U8TO32_LITTLE(iv + 4 * (i & mask));
    }
    expand(w, 16, 528, 0);
    for (i = 0; i < 16; ++i)
        w[i] = w[i + 512];
    expand(w, 16, 2048, 512);

    ctx->step = 0;
    for (i = 0; i < 4096; i += 16)
        skip(ctx);
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
