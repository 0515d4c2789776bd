/* SPDX-License-Identifier: CC0-1.0 */
/*
 * DECIM v2, one clock per bit of the shift register, in the terms of the specification:
 * Come Berbain, Olivier Billet, Anne Canteaut, Nicolas Courtois, Blandine Debraize, Henri Gilbert,
 * Louis Goubin, Aline Gouget, Louis Granboulan, Cedric Lauradoux, Marine Minier, Thomas Pornin and
 * Herve Sibert, "DECIMv2", eSTREAM phase 3 (2006): filtered shift register, ABSG, buffer, and
 * key and IV setup.
 *
 * The eSTREAM API passes bytes. The convention of the authors' test vectors: bit 0 of a key, IV or
 * key stream is the least significant bit of its first byte. Taken from the authors' reference
 * code: the linear term s_(t+1) of the filter is left out of the feedback of the key and IV setup,
 * and four more clocks follow the filling of the buffer before the first bit is output.
 */

#include "ecrypt-sync.h"

#define BUFFER_BITS 32

/* s_(t+192). */
static u32 lfsr(const u8 *s)
{
    return (u32)(s[187] ^ s[176] ^ s[175] ^ s[146] ^ s[115] ^ s[98] ^ s[61] ^ s[60] ^ s[37] ^ s[36]
                 ^ s[23] ^ s[4] ^ s[3] ^ s[0]);
}

/* f: the sum of its 13 inputs and of all products of two of them. */
static u32 f(const u8 *s)
{
    const u32 ones = (u32)s[191] + s[186] + s[178] + s[172] + s[162] + s[144] + s[111] + s[104]
                     + s[65] + s[54] + s[45] + s[28] + s[13];

    return (ones + ones * (ones - 1) / 2) & 1;
}

/*
 * One step of the ABSG. It cuts the sequence y into words e e or e 1-e ... 1-e e, and gives the
 * second bit of each: returns 1 with that bit in z if y_t ends a word, else 0.
 */
static u32 absg(ECRYPT_ctx *ctx, u32 y, u32 *z)
{
    if (ctx->absg_seen == 0) {
        ctx->absg_first = y;
        ctx->absg_seen = 1;
        return 0;
    }
    if (y != ctx->absg_first) {
        ctx->absg_seen = 2;
        return 0;
    }
    *z = ctx->absg_seen == 1 ? y : y ^ 1;
    ctx->absg_seen = 0;
    return 1;
}

/* A clock of the whole generator; s points to s_t. What a full buffer cannot take is lost. */
static void clock_generator(ECRYPT_ctx *ctx, u8 *s)
{
    u32 z;

    s[192] = (u8)lfsr(s);
    if (absg(ctx, f(s) ^ s[1], &z) && ctx->buffered < BUFFER_BITS) {
        ctx->buffer |= z << ctx->buffered;
        ++ctx->buffered;
    }
}

/* Makes the bits that n clocks added the last ones of the state. */
static void advance(ECRYPT_ctx *ctx, u32 n)
{
    u32 i;

    for (i = 0; i < 192; ++i)
        ctx->s[i] = ctx->s[i + n];
}

/*
 * One bit of the key stream for every four clocks, the first in bit 0. The ABSG gives a bit in
 * three clocks on average, so the buffer does not run empty in practice; a 0 would be output.
 */
static u8 next_byte(ECRYPT_ctx *ctx)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < DECIM_CLOCKS; ++i) {
        clock_generator(ctx, ctx->s + i);
        if (i % 4 == 3) {
            byte |= (ctx->buffer & 1) << (i / 4);
            ctx->buffer >>= 1;
            if (ctx->buffered > 0)
                --ctx->buffered;
        }
    }
    advance(ctx, DECIM_CLOCKS);
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

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u8 padded[8] = { 0 };
    u8 *s = ctx->s;
    u32 i;

    for (i = 0; i < ctx->ivsize / 8; ++i)
        padded[i] = iv[i];
    fill(s, ctx->key, padded);

    for (i = 0; i < 4 * 192; ++i) {
        s[192] = (u8)(lfsr(s) ^ f(s));
        advance(ctx, 1);
    }

    ctx->absg_seen = ctx->absg_first = 0;
    ctx->buffer = ctx->buffered = 0;
    while (ctx->buffered < BUFFER_BITS) {
        for (i = 0; i < 4; ++i)
            clock_generator(ctx, s + i);
        advance(ctx, 4);
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
