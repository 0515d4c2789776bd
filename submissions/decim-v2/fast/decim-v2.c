/* SPDX-License-Identifier: CC0-1.0 */
/*
 * DECIM v2, 32 clocks at a time, which is a byte of key stream.
 *
 * Specification: see ecrypt-sync.h; ref/decim-v2.c has it clock by clock.
 *
 * Shift register: most terms of 32 new bits are in the state already. Those that are not are new
 * bits themselves, 5, 16 and 17 places before: r = d + x^5 r + x^16 r + x^17 r as polynomials
 * modulo x^32. Filter: the sum of n ones and of all products of two of them is the sum of the
 * two lowest bits of n, which are counted for 32 clocks at once. ABSG: four bits by a table.
 */

#include "ecrypt-sync.h"

#define BUFFER_BITS 32
#define SETUP_CLOCKS (4 * 192)

/*
 * The ABSG is between two words (0), or has seen one bit of a word, 0 (1) or 1 (2), or more (3, 4).
 * It becomes what bits 0 to 2 say, and gives as many bits as 3 and 4 say: those from 5 on.
 */
static const u8 absg[5][16] = {
    { 0x10, 0x04, 0x29, 0x30, 0x0c, 0x09, 0x28, 0x2c, 0x0b, 0x08, 0x2a, 0x2b, 0x50, 0x0a, 0x03, 0x70 },
    { 0x11, 0x30, 0x0c, 0x29, 0x50, 0x2c, 0x51, 0x28, 0x12, 0x2b, 0x10, 0x2a, 0x0b, 0x70, 0x52, 0x03 },
    { 0x04, 0x31, 0x10, 0x2c, 0x09, 0x70, 0x0c, 0x71, 0x08, 0x32, 0x0b, 0x30, 0x0a, 0x2b, 0x50, 0x72 },
    { 0x31, 0x30, 0x2c, 0x29, 0x70, 0x2c, 0x71, 0x28, 0x32, 0x2b, 0x30, 0x2a, 0x2b, 0x70, 0x72, 0x03 },
    { 0x04, 0x11, 0x10, 0x0c, 0x09, 0x50, 0x0c, 0x51, 0x08, 0x12, 0x0b, 0x10, 0x0a, 0x0b, 0x50, 0x52 }
};

/* s_(t+p) .. s_(t+p+31) */
#define WINDOW(s, p) \
    ((p) % 32 ? (s)[(p) / 32] >> ((p) % 32) | (s)[(p) / 32 + 1] << ((32 - (p) % 32) % 32) \
              : (s)[(p) / 32])

static u32 divided_by_1_and_x_to_5(u32 d)
{
    d ^= d << 5;
    d ^= d << 10;
    return d ^ d << 20;
}

/* s_(t+192) .. s_(t+223); s[6] is 0. */
static u32 next_word(const u32 *s)
{
    u32 d = WINDOW(s, 146) ^ WINDOW(s, 115) ^ WINDOW(s, 98) ^ WINDOW(s, 61) ^ WINDOW(s, 60)
            ^ WINDOW(s, 37) ^ WINDOW(s, 36) ^ WINDOW(s, 23) ^ WINDOW(s, 4) ^ WINDOW(s, 3) ^ s[0];
    u32 low;

    d ^= s[5] >> 27 ^ s[5] >> 16 ^ s[5] >> 15;
    low = divided_by_1_and_x_to_5(d) & 0xffff;
    return divided_by_1_and_x_to_5(d ^ low << 16 ^ low << 17);
}

/* f(s_t ..) + s_(t+1) for 32 clocks. */
static u32 filtered(const u32 *s)
{
    u32 odd = 0, twos = 0, x;

#define COUNT(p) (x = WINDOW(s, p), twos ^= odd & x, odd ^= x)
    COUNT(191), COUNT(186), COUNT(178), COUNT(172), COUNT(162), COUNT(144), COUNT(111);
    COUNT(104), COUNT(65), COUNT(54), COUNT(45), COUNT(28), COUNT(13);
#undef COUNT
    return odd ^ twos ^ WINDOW(s, 1);
}

/* 32 clocks of shift register and filter. */
static u32 clocks(ECRYPT_ctx *ctx)
{
    u32 s[7];
    u32 i, y;

    for (i = 0; i < 6; ++i)
        s[i] = ctx->s[i];
    s[6] = 0;
    s[6] = next_word(s);
    y = filtered(s);
    for (i = 0; i < 6; ++i)
        ctx->s[i] = s[i + 1];
    return y;
}

/* Four clocks of the ABSG, and of the buffer behind it: what does not fit is lost. */
static void shrink(ECRYPT_ctx *ctx, u32 y)
{
    const u32 done = absg[ctx->word][y & 15];
    u32 bits = done >> 5, count = done >> 3 & 3;

    ctx->word = done & 7;
    for (; count > 0 && ctx->buffered < BUFFER_BITS; --count, bits >>= 1)
        ctx->buffer |= (bits & 1) << ctx->buffered++;
}

static u8 next_byte(ECRYPT_ctx *ctx)
{
    const u32 fresh = clocks(ctx), held = 4 * ctx->nibbles;
    u32 y = ctx->y | fresh << held;
    u32 byte = 0, i;

    ctx->y = held ? fresh >> (32 - held) : 0;
    for (i = 0; i < 8; ++i, y >>= 4) {
        shrink(ctx, y);
        byte |= (ctx->buffer & 1) << i;
        ctx->buffer >>= 1;
        ctx->buffered -= ctx->buffered > 0;
    }
    return (u8)byte;
}

static u8 bit(const u8 *bytes, u32 i)
{
    return (u8)((bytes[i / 8] >> (i % 8)) & 1);
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

/* Initial state: key, key + IV, and a part that folds the IV. An IV of 32 bits ends in zeros. */
static void fill(u8 *s, const u8 *key, const u8 *iv)
{
    u32 i;

    for (i = 0; i < 80; ++i)
        s[i] = bit(key, i);
    for (i = 0; i < 64; ++i)
        s[80 + i] = bit(key, i) ^ bit(iv, i);
    for (i = 0; i < 16; ++i)
        s[144 + i] =
            bit(key, 64 + i) ^ bit(iv, i) ^ bit(iv, 16 + i) ^ bit(iv, 32 + i) ^ bit(iv, 48 + i);
    for (i = 0; i < 32; ++i)
        s[160 + i] = bit(iv, i) ^ bit(iv, 32 + i) ^ 1;
}

/* A clock of the setup, bit by bit: each is in the filter of the next one. */
static u8 fed_back(const u8 *s)
{
    const u32 ones = (u32)s[191] + s[186] + s[178] + s[172] + s[162] + s[144] + s[111] + s[104]
                     + s[65] + s[54] + s[45] + s[28] + s[13];
    const u32 sum = (u32)s[187] ^ s[176] ^ s[175] ^ s[146] ^ s[115] ^ s[98] ^ s[61] ^ s[60]
                    ^ s[37] ^ s[36] ^ s[23] ^ s[4] ^ s[3] ^ s[0];

    return (u8)((sum ^ ones ^ ones >> 1) & 1);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u8 s[192 + SETUP_CLOCKS], padded[8] = { 0 };
    u32 i;

    for (i = 0; i < ctx->ivsize / 8; ++i)
        padded[i] = iv[i];
    fill(s, ctx->key, padded);
    for (i = 0; i < SETUP_CLOCKS; ++i)
        s[192 + i] = fed_back(s + i);
    for (i = 0; i < 6; ++i)
        ctx->s[i] = 0;
    for (i = 0; i < 192; ++i)
        ctx->s[i / 32] |= (u32)s[SETUP_CLOCKS + i] << (i % 32);

    ctx->y = ctx->nibbles = ctx->word = 0;
    ctx->buffer = ctx->buffered = 0;
    while (ctx->buffered < BUFFER_BITS) {
        if (ctx->nibbles == 0) {
            ctx->y = clocks(ctx);
            ctx->nibbles = 8;
        }
        shrink(ctx, ctx->y);
        ctx->y >>= 4;
        --ctx->nibbles;
    }
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
