/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Edon80, 80 e-transformers in a row, in the terms of the specification:
 * Danilo Gligoroski, Smile Markovski, Ljupco Kocarev and Marjan Gusev, "Edon80", eSTREAM (2005),
 * and "The Stream Cipher Edon80", eSTREAM phase 3: quasigroups, IVSetup mode, Keystream mode.
 *
 * A letter is one of 0, 1, 2, 3, in two bits. The first letter of a key, IV or key stream is in the
 * most significant bits of its first byte (the convention of the authors' test vectors). Compared
 * with the authors' reference code: the padding and the order of the leaders in IVSetup mode.
 */

#include "ecrypt-sync.h"

#define TRANSFORMERS 80
#define KEY_LETTERS 40
#define IV_LETTERS 32

/* The quasigroups of order 4 number 61, 241, 350 and 564 in lexicographic order. */
static const u8 quasigroup[4][4][4] = {
    { { 0, 2, 1, 3 }, { 2, 1, 3, 0 }, { 1, 3, 0, 2 }, { 3, 0, 2, 1 } },
    { { 1, 3, 0, 2 }, { 0, 1, 2, 3 }, { 2, 0, 3, 1 }, { 3, 2, 1, 0 } },
    { { 2, 1, 0, 3 }, { 1, 2, 3, 0 }, { 3, 0, 2, 1 }, { 0, 3, 1, 2 } },
    { { 3, 2, 1, 0 }, { 1, 0, 3, 2 }, { 0, 3, 2, 1 }, { 2, 1, 0, 3 } }
};

/* What IVSetup appends to key and IV. */
static const u8 padding[TRANSFORMERS - KEY_LETTERS - IV_LETTERS] = { 3, 2, 1, 0, 0, 1, 2, 3 };

/* x *_i y: transformer i works with the quasigroup that letter i mod 40 of the key chooses. */
static u8 multiply(const ECRYPT_ctx *ctx, u32 i, u8 x, u8 y)
{
    return quasigroup[ctx->key[i % KEY_LETTERS]][x][y];
}

static void to_letters(u8 *letters, const u8 *bytes, u32 count)
{
    u32 i;

    for (i = 0; i < count; ++i)
        letters[i] = (bytes[i / 4] >> (6 - 2 * (i % 4))) & 3;
}

/* One letter of the input through all transformers: a_i := a_i *_i a_(i-1). Returns the last. */
static u8 step(ECRYPT_ctx *ctx)
{
    u8 letter = ctx->letter;
    u32 i;

    ctx->letter = (letter + 1) & 3;
    for (i = 0; i < TRANSFORMERS; ++i)
        letter = ctx->a[i] = multiply(ctx, i, ctx->a[i], letter);
    return letter;
}

/* Every second letter is key stream, four of them are a byte. */
static u8 next_byte(ECRYPT_ctx *ctx)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < 4; ++i) {
        (void)step(ctx);
        byte = (byte << 2) | step(ctx);
    }
    return (u8)byte;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    to_letters(ctx->key, key, KEY_LETTERS);
}

/*
 * IVSetup mode: the string of key, IV and padding is transformed 80 times; its letters, the last
 * one first, are the leaders. The e-transformation of a_0 a_1 ... with leader l is
 * b_0 = l * a_0, b_i = b_(i-1) * a_i.
 */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u8 leaders[TRANSFORMERS];
    u32 i, k;

    for (i = 0; i < KEY_LETTERS; ++i)
        leaders[i] = ctx->key[i];
    to_letters(leaders + KEY_LETTERS, iv, IV_LETTERS);
    for (i = KEY_LETTERS + IV_LETTERS; i < TRANSFORMERS; ++i)
        leaders[i] = padding[i - KEY_LETTERS - IV_LETTERS];

    for (i = 0; i < TRANSFORMERS; ++i)
        ctx->a[i] = leaders[i];
    for (k = TRANSFORMERS; k-- > 0;) {
        u8 previous = leaders[k];

        for (i = 0; i < TRANSFORMERS; ++i)
            previous = ctx->a[i] = multiply(ctx, k, previous, ctx->a[i]);
    }
    ctx->letter = 0;
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
