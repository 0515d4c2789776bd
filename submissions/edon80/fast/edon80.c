/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Edon80 as hardware would have it: all 80 e-transformers work at the same time.
 *
 * Specification: see ecrypt-sync.h; ref/edon80.c has it step by step. There a letter runs
 * through all transformers before the next one comes. Here transformer i has letter n at clock
 * i + n: each takes what the one before it gave at the clock before, so that a clock is a few
 * operations on rows of 80 bits, and the first letter comes out after 80 clocks.
 *
 * With x and y in two bits each, x * y are two polynomials over bits, of degree 2 for all four
 * quasigroups. Which terms a transformer has depends on its letter of the key: the coefficients
 * are rows of bits, too. IVSetup mode is the same with the transformers in the other order.
 */

#include "ecrypt-sync.h"

#define TRANSFORMERS 80
#define KEY_LETTERS 40
#define IV_LETTERS 32
#define LAST 15 /* of the upper word: the bit of the last transformer */

/*
 * The terms of either bit of x * y: bit q of a number says whether quasigroup q has the term.
 * bit 0: 1, y0, y1, x0, x0 y0, x0 y1, x1, x1 y1
 * bit 1: 1, y0, y1, x0, x0 y0, x0 y1, x1, x1 y0, x1 y1
 */
static const u8 terms_of_0[8] = { 0x0a, 0x0c, 0x03, 0x06, 0x03, 0x02, 0x0f, 0x04 };
static const u8 terms_of_1[9] = { 0x0c, 0x07, 0x0c, 0x0d, 0x02, 0x02, 0x0a, 0x08, 0x04 };

/* What IVSetup appends to key and IV. */
static const u8 padding[TRANSFORMERS - KEY_LETTERS - IV_LETTERS] = { 3, 2, 1, 0, 0, 1, 2, 3 };

static u64 one(u32 i)
{
    return (u64)1 << i;
}

static void set(row *r, u32 i, u32 bit)
{
    if (i < 64)
        r->low |= (u64)bit << i;
    else
        r->high |= (u64)bit << (i - 64);
}

static u32 get(const row *r, u32 i)
{
    return (u32)(i < 64 ? r->low >> i : r->high >> (i - 64)) & 1;
}

static void coefficients(row *rows, const u8 *terms, u32 count, const u8 *key, int backwards)
{
    u32 i, term;

    for (term = 0; term < count; ++term) {
        rows[term].low = rows[term].high = 0;
        for (i = 0; i < TRANSFORMERS; ++i) {
            const u32 place = i % KEY_LETTERS;
            const u8 quasigroup = key[backwards ? KEY_LETTERS - 1 - place : place];

            set(&rows[term], i, (u32)(terms[term] >> quasigroup) & 1);
        }
    }
}

#define PRODUCT_0(half) \
    (p->of_0[0].half ^ (p->of_0[1].half & y0.half) ^ (p->of_0[2].half & y1.half) ^ \
     (x0.half & (p->of_0[3].half ^ (p->of_0[4].half & y0.half) ^ (p->of_0[5].half & y1.half))) ^ \
     (x1.half & (p->of_0[6].half ^ (p->of_0[7].half & y1.half))))
#define PRODUCT_1(half) \
    (p->of_1[0].half ^ (p->of_1[1].half & y0.half) ^ (p->of_1[2].half & y1.half) ^ \
     (x0.half & (p->of_1[3].half ^ (p->of_1[4].half & y0.half) ^ (p->of_1[5].half & y1.half))) ^ \
     (x1.half & (p->of_1[6].half ^ (p->of_1[7].half & y0.half) ^ (p->of_1[8].half & y1.half))))

/* One clock of all transformers: the first gets `letter`, every other one what is before it. */
static void tick(row *a, const product *p, u32 letter)
{
    const row x0 = a[0], x1 = a[1];
    row y0, y1;

    y0.low = (x0.low << 1) | (letter & 1);
    y1.low = (x1.low << 1) | (letter >> 1);
    y0.high = (x0.high << 1) | (x0.low >> 63);
    y1.high = (x1.high << 1) | (x1.low >> 63);
    a[0].low = PRODUCT_0(low);
    a[1].low = PRODUCT_1(low);
    a[0].high = PRODUCT_0(high);
    a[1].high = PRODUCT_1(high);
}

/* The clocks until the first letter is before the last transformer: those ahead of it wait. */
static void fill(row *a, const product *p, const u8 *letters, u32 mask)
{
    u32 t, bit;

    for (t = 0; t + 1 < TRANSFORMERS; ++t) {
        const row before[2] = { a[0], a[1] };
        const u64 low = t < 63 ? one(t + 1) - 1 : ~(u64)0;
        const u64 high = t < 63 ? 0 : one(t - 63) - 1;

        tick(a, p, letters[t & mask]);
        for (bit = 0; bit < 2; ++bit) {
            a[bit].low = (a[bit].low & low) | (before[bit].low & ~low);
            a[bit].high = (a[bit].high & high) | (before[bit].high & ~high);
        }
    }
}

static u32 last(const row *a)
{
    return (u32)((a[0].high >> LAST) & 1) | (u32)((a[1].high >> LAST) & 1) << 1;
}

static void to_letters(u8 *letters, const u8 *bytes, u32 count)
{
    u32 i;

    for (i = 0; i < count; ++i)
        letters[i] = (bytes[i / 4] >> (6 - 2 * (i % 4))) & 3;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    to_letters(ctx->key, key, KEY_LETTERS);
    coefficients(ctx->forwards.of_0, terms_of_0, 8, ctx->key, 0);
    coefficients(ctx->forwards.of_1, terms_of_1, 9, ctx->key, 0);
    coefficients(ctx->backwards.of_0, terms_of_0, 8, ctx->key, 1);
    coefficients(ctx->backwards.of_1, terms_of_1, 9, ctx->key, 1);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    static const u8 period[4] = { 0, 1, 2, 3 };
    u8 letters[2 * TRANSFORMERS];
    row b[2] = { { 0, 0 }, { 0, 0 } };
    u32 i;

    for (i = 0; i < KEY_LETTERS; ++i)
        letters[i] = ctx->key[i];
    to_letters(letters + KEY_LETTERS, iv, IV_LETTERS);
    for (i = KEY_LETTERS + IV_LETTERS; i < TRANSFORMERS; ++i)
        letters[i] = padding[i - KEY_LETTERS - IV_LETTERS];
    for (i = TRANSFORMERS; i < 2 * TRANSFORMERS; ++i)
        letters[i] = 0; /* they do not arrive */

    for (i = 0; i < TRANSFORMERS; ++i) {
        set(&b[0], i, letters[TRANSFORMERS - 1 - i] & 1);
        set(&b[1], i, letters[TRANSFORMERS - 1 - i] >> 1);
    }
    fill(b, &ctx->backwards, letters, 0xff);
    ctx->a[0].low = ctx->a[0].high = ctx->a[1].low = ctx->a[1].high = 0;
    for (i = 0; i < TRANSFORMERS; ++i) {
        tick(b, &ctx->backwards, letters[TRANSFORMERS - 1 + i]);
        set(&ctx->a[0], i, get(&b[0], TRANSFORMERS - 1));
        set(&ctx->a[1], i, get(&b[1], TRANSFORMERS - 1));
    }
    fill(ctx->a, &ctx->forwards, period, 3);
    ctx->letter = (TRANSFORMERS - 1) & 3;
}

/* Every second letter is key stream, four of them are a byte. The states come as copies. */
static u8 next_byte(row *a, const product *p, u32 letter)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < 4; ++i) {
        tick(a, p, (letter + 2 * i) & 3);
        tick(a, p, (letter + 2 * i + 1) & 3);
        byte = (byte << 2) | last(a);
    }
    return (u8)byte;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    row a[2] = { ctx->a[0], ctx->a[1] };
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i)
        output[i] = (u8)(input[i] ^ next_byte(a, &ctx->forwards, ctx->letter));
    ctx->a[0] = a[0];
    ctx->a[1] = a[1];
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    row a[2] = { ctx->a[0], ctx->a[1] };
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = next_byte(a, &ctx->forwards, ctx->letter);
    ctx->a[0] = a[0];
    ctx->a[1] = a[1];
}
