/* SPDX-License-Identifier: CC0-1.0 */
/*
 * CryptMT version 3, 64 bits of key stream per step, in the terms of the specification:
 * Makoto Matsumoto, Mutsuo Saito, Takuji Nishimura and Mariko Hagita, "CryptMT3 Stream Cipher",
 * New Stream Cipher Designs, LNCS 4986 (2008); eSTREAM submission, "CryptMT Stream Cipher
 * Version 3" (2007).
 *
 * A mother generator, linear over the field of two elements, gives words of 128 bits; a filter
 * with memory makes 64 bits of key stream of each. Until the mother generator's register is
 * full, the words come from the booter, which expands key and IV.
 *
 * The parts and how they work together are the paper's. The permutations, shifts and constants,
 * the accumulator's first value and the order of the bytes were taken, as facts, from the
 * designers' implementation, which made the published test vectors. These have sizes of 128 and
 * 256 bits only.
 *
 * A word of 128 bits is four of 32 bits, the least significant first.
 */

#include "ecrypt-sync.h"

#define N 156 /* words of the mother generator's register */
#define M 108 /* the middle tap */

/* The digits of pi that are added to the last word of the booter's register. */
static const u32 pi[4] = { 314159, 265358, 979323, 846264 };

/* The mask in the recursion, and a word of the register that makes its period certain. */
static const u32 mask[4] = { U32C(0xFFDFAFDF), U32C(0xF5DABFFF), U32C(0xFFDBFFFF),
                             U32C(0xEF7BFFFF) };
#define PERIOD U32C(0x4D734E48)

/* The product of the odd numbers 2a + 1 and 2b + 1 of 33 bits, without its lowest bit. */
static u32 times(u32 a, u32 b)
{
    return U32V(2 * a * b + a + b);
}

/*
 * The booter: a register s_0 .. s_(L-1) and an accumulator, all of 128 bits.
 * A step gives s_0 + s_(L-2), and a new word enters the register.
 */
static void boot(ECRYPT_ctx *ctx, u32 out[4])
{
    static const u32 around[4] = { 3, 0, 1, 2 };
    static const u32 across[4] = { 3, 2, 0, 1 };
    u32(*s)[4] = ctx->booter;
    const u32 *last = s[ctx->L - 1];
    u32 new_word[4];
    u32 i;
    u32 j;

    for (j = 0; j < 4; ++j)
        out[j] = U32V(s[0][j] + s[ctx->L - 2][j]);
    for (j = 0; j < 4; ++j) {
        ctx->acc[j] = times(ctx->acc[j], last[across[j]] ^ (last[j] >> 11));
        new_word[j] = U32V((out[around[j]] ^ (out[j] >> 13)) - ctx->acc[j]);
    }

    for (i = 0; i < ctx->L - 1; ++i)
        for (j = 0; j < 4; ++j)
            s[i][j] = s[i + 1][j];
    for (j = 0; j < 4; ++j)
        s[ctx->L - 1][j] = new_word[j];
}

/*
 * The mother generator, a variant of SFMT: x_(i+N) is made of x_i, x_(i+M) and x_(i+N-1).
 * The new word takes the place of the oldest.
 */
static void recursion(ECRYPT_ctx *ctx, u32 out[4])
{
    const u32 i = ctx->position;
    const u32 *x0 = ctx->mother[i];
    const u32 *xM = ctx->mother[(i + M) % N];
    const u32 *xN = ctx->mother[(i + N - 1) % N];
    u32 shifted[4]; /* each half of x_(i+M), of 64 bits, to the right by 3 */
    u32 j;

    shifted[0] = (xM[0] >> 3) | U32V(xM[1] << 29);
    shifted[1] = xM[1] >> 3;
    shifted[2] = (xM[2] >> 3) | U32V(xM[3] << 29);
    shifted[3] = xM[3] >> 3;

    out[0] = x0[1] ^ xM[1] ^ shifted[0] ^ (xN[0] & mask[0]);
    out[1] = x0[2] ^ xM[3] ^ shifted[1] ^ (xN[1] & mask[1]);
    out[2] = x0[3] ^ xM[0] ^ shifted[2] ^ (xN[2] & mask[2]);
    out[3] = x0[0] ^ xM[2] ^ shifted[3] ^ (xN[3] & mask[3]);

    for (j = 0; j < 4; ++j)
        ctx->mother[i][j] = out[j];
    ctx->position = (i + 1) % N;
}

/*
 * The next word for the filter. The first N come from the booter and fill the register; then
 * one step of the recursion is left out, after the register has got its fixed word.
 */
static void next_word(ECRYPT_ctx *ctx, u32 x[4])
{
    u32 unused[4];
    u32 j;

    if (ctx->booted == N) {
        recursion(ctx, x);
        return;
    }

    boot(ctx, x);
    for (j = 0; j < 4; ++j)
        ctx->mother[ctx->booted][j] = x[j];
    if (++ctx->booted == N) {
        ctx->mother[0][3] = PERIOD;
        recursion(ctx, unused);
    }
}

/* The filter: its memory takes in x; out is the lower half of each of four words. */
static void filter(u32 y[4], const u32 x[4], u32 out[4])
{
    const u32 y0 = y[0];
    u32 j;

    for (j = 0; j < 3; ++j)
        y[j] ^= y[j + 1] >> 1;
    y[3] ^= y0 >> 1;
    for (j = 0; j < 4; ++j) {
        y[j] = times(y[j], x[j]);
        out[j] = (y[j] ^ (y[j] >> 16)) & 0xFFFF;
    }
}

/* 128 bits of key stream: two steps, whose 16-bit pieces alternate. */
static void next_block(ECRYPT_ctx *ctx, u8 stream[16])
{
    u32 x[4];
    u32 even[4];
    u32 odd[4];
    u32 word;
    u32 j;

    next_word(ctx, x);
    filter(ctx->y, x, even);
    next_word(ctx, x);
    filter(ctx->y, x, odd);
    for (j = 0; j < 4; ++j) {
        word = even[j] | U32V(odd[j] << 16);
        U32TO8_LITTLE(stream + 4 * j, word);
    }
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    ctx->keywords = keysize / 32;
    ctx->ivwords = ivsize / 32;
    for (i = 0; i < ctx->keywords; ++i)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
}

/* The booter's register is IV, key, IV, key; L + 2 steps of it give nothing. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u32 words = ctx->ivwords + ctx->keywords;
    const u32 acc = ctx->ivwords / 16 * 4; /* the word of the register that acc begins with */
    u32(*s)[4] = ctx->booter;
    u32 unused[4];
    u32 word;
    u32 i;
    u32 j;

    for (i = 0; i < words; ++i) {
        if (i < ctx->ivwords)
            word = U8TO32_LITTLE(iv + 4 * i);
        else
            word = ctx->key[i - ctx->ivwords];
        s[i / 4][i % 4] = word;
        s[(i + words) / 4][i % 4] = word;
    }
    ctx->L = words / 2;
    for (j = 0; j < 4; ++j) {
        s[ctx->L - 1][j] += pi[j];
        ctx->acc[j] = s[acc][j] | 1;
    }

    for (i = 0; i < ctx->L + 2; ++i)
        boot(ctx, unused);
    for (j = 0; j < 4; ++j)
        ctx->y[j] = s[ctx->L - 1][j];
    ctx->booted = 0;
    ctx->position = 0;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 stream[16];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 16 == 0)
            next_block(ctx, stream);
        output[i] = (u8)(input[i] ^ stream[i % 16]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 stream[16];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % 16 == 0)
            next_block(ctx, stream);
        keystream[i] = stream[i % 16];
    }
}
