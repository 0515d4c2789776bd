/* SPDX-License-Identifier: CC0-1.0 */
/*
 * MICKEY 2.0, one clock per bit, in the terms of the specification:
 * Steve Babbage and Matthew Dodd, "The stream cipher MICKEY 2.0", eSTREAM
 * portfolio (2006).
 *
 * Each register is an array of words; bit i of a register is bit i mod 32 of word i / 32. What the
 * specification writes for every i is then one operation on words, with a mask per table.
 *
 * The first bit of a key, IV or key stream is the most significant bit of its first byte (the
 * convention of the authors' test vectors). The masks are the specification's tables as the authors
 * wrote them in words; the test vectors confirm them.
 */

#include "ecrypt-sync.h"

/*
 * RTAPS:
 * 0, 1, 3, 4, 5, 6, 9, 12, 13, 16, 19, 20, 21, 22, 25, 28, 37, 38, 41, 42, 45, 46, 50, 52, 54,
 * 56, 58, 60, 61, 63, 64, 65, 66, 67, 71, 72, 79, 80, 81, 82, 87, 88, 89, 90, 91, 92, 94, 95, 96,
 * 97.
 */
static const u32 rtaps[MICKEY_WORDS] = { 0x1279327b, 0xb5546660, 0xdf87818f, 0x00000003 };

/* COMP0_i, COMP1_i, FB0_i and FB1_i. */
static const u32 comp0[MICKEY_WORDS] = { 0x6aa97a30, 0x7942a809, 0x057ebfea, 0x00000006 };
static const u32 comp1[MICKEY_WORDS] = { 0xdd629e9a, 0xe3a21d63, 0x91c23dd7, 0x00000001 };
static const u32 fb0[MICKEY_WORDS] = { 0x9ffa7faf, 0xaf4a9381, 0x9cec5802, 0x00000001 };
static const u32 fb1[MICKEY_WORDS] = { 0x4c8cb877, 0x4911b063, 0x40fbc52b, 0x00000008 };

/* 1 <= i <= 98. */
static const u32 inner[MICKEY_WORDS] = { 0xfffffffe, 0xffffffff, 0xffffffff, 0x00000007 };

static u32 get(const u32 *reg, u32 i)
{
    return (reg[i / 32] >> (i % 32)) & 1;
}

/* Word w of the register whose bit i is bit i - 1 of reg (bit 0 is 0), or bit i + 1. */
static u32 lower_bits(const u32 *reg, u32 w)
{
    return (reg[w] << 1) | (w > 0 ? reg[w - 1] >> 31 : 0);
}

static u32 upper_bits(const u32 *reg, u32 w)
{
    return (reg[w] >> 1) | (w + 1 < MICKEY_WORDS ? reg[w + 1] << 31 : 0);
}

/* CLOCK_R. */
static void clock_r(u32 *r, u32 input_bit, u32 control_bit)
{
    const u32 feedback_bit = get(r, 99) ^ input_bit;
    u32 w;

    for (w = MICKEY_WORDS; w-- > 0;) {
        u32 next = lower_bits(r, w);

        if (feedback_bit)
            next ^= rtaps[w];
        if (control_bit)
            next ^= r[w];
        r[w] = next;
    }
    r[MICKEY_WORDS - 1] &= 0xf;
}

/* CLOCK_S. */
static void clock_s(u32 *s, u32 input_bit, u32 control_bit)
{
    const u32 feedback_bit = get(s, 99) ^ input_bit;
    const u32 *fb = control_bit ? fb1 : fb0;
    u32 hat[MICKEY_WORDS];
    u32 w;

    for (w = 0; w < MICKEY_WORDS; ++w) {
        const u32 nonlinear = (s[w] ^ comp0[w]) & (upper_bits(s, w) ^ comp1[w]);

        hat[w] = lower_bits(s, w) ^ (nonlinear & inner[w]);
    }

    for (w = 0; w < MICKEY_WORDS; ++w)
        s[w] = feedback_bit ? hat[w] ^ fb[w] : hat[w];
    s[MICKEY_WORDS - 1] &= 0xf;
}

/* CLOCK_KG. */
static void clock_kg(ECRYPT_ctx *ctx, u32 mixing, u32 input_bit)
{
    const u32 control_bit_r = get(ctx->s, 34) ^ get(ctx->r, 67);
    const u32 control_bit_s = get(ctx->s, 67) ^ get(ctx->r, 33);
    const u32 input_bit_r = mixing ? input_bit ^ get(ctx->s, 50) : input_bit;

    clock_r(ctx->r, input_bit_r, control_bit_r);
    clock_s(ctx->s, input_bit, control_bit_s);
}

/* Clocks in the bits of an IV or a key, mixing. */
static void load(ECRYPT_ctx *ctx, const u8 *bytes, u32 size)
{
    u32 i;

    for (i = 0; i < size; ++i)
        clock_kg(ctx, 1, ((u32)bytes[i / 8] >> (7 - i % 8)) & 1);
}

static u8 next_byte(ECRYPT_ctx *ctx)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < 8; ++i) {
        byte = (byte << 1) | (get(ctx->r, 0) ^ get(ctx->s, 0));
        clock_kg(ctx, 0, 0);
    }
    return (u8)byte;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    for (i = 0; i < 10; ++i)
        ctx->key[i] = key[i];
    ctx->ivsize = ivsize;
}

/* Key loading and initialisation: from zero, IV, key, then 100 clocks without input. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < MICKEY_WORDS; ++i)
        ctx->r[i] = ctx->s[i] = 0;
    load(ctx, iv, ctx->ivsize);
    load(ctx, ctx->key, 80);
    for (i = 0; i < 100; ++i)
        clock_kg(ctx, 1, 0);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i)
        output[i] = (u8)(input[i] ^ next_byte(ctx));
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = next_byte(ctx);
}
