/* SPDX-License-Identifier: CC0-1.0 */

/* rc4.c: RC4, unrolled.
 *
 * The alleged RC4 of 1994, as ../ref/rc4.c has it, with three changes for speed: a table entry
 * is a word, which spares the processor partial registers; i, j and S[i] stay in registers over
 * a call; and four bytes of keystream meet the message as one word. Loading S[i + 1] before the
 * swap, and correcting it where the swap hits it, was tried: slower with gcc. */

#include "ecrypt-sync.h"

/* One step. On entry i is stepped and a = S[i]; adds a byte to word z at the given shift, and
 * leaves the next i and a. */
#define STEP(z, shift)                     \
    do {                                   \
        u32 b, next = (i + 1) & 0xFF;      \
        j = (j + a) & 0xFF;                \
        b = S[j];                          \
        S[j] = a;                          \
        S[i] = b;                          \
        z |= S[(a + b) & 0xFF] << (shift); \
        i = next;                          \
        a = S[i];                          \
    } while (0)

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u8 *S = ctx->initial;
    u32 length = keysize / 8;
    u32 i, k = 0, j = 0;

    (void)ivsize;
    for (i = 0; i < 256; ++i)
        S[i] = (u8)i;
    for (i = 0; i < 256; ++i) {
        u8 a = S[i];

        j = (j + a + key[k]) & 0xFF;
        S[i] = S[j];
        S[j] = a;
        if (++k == length)
            k = 0;
    }
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    (void)iv;
    for (i = 0; i < 256; ++i)
        ctx->S[i] = ctx->initial[i];
    ctx->i = 0;
    ctx->j = 0;
}

/* Encrypts; input 0 gives the keystream. */
static void stream(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 length)
{
    u32 *S = ctx->S;
    u32 i = (ctx->i + 1) & 0xFF;
    u32 j = ctx->j;
    u32 a = S[i];

    while (length >= 4) {
        u32 z = 0;

        STEP(z, 0);
        STEP(z, 8);
        STEP(z, 16);
        STEP(z, 24);
        if (input != 0) {
            z ^= U8TO32_LITTLE(input);
            input += 4;
        }
        U32TO8_LITTLE(output, z);
        output += 4;
        length -= 4;
    }
    while (length > 0) {
        u32 z = 0;

        STEP(z, 0);
        if (input != 0)
            z ^= *input++;
        *output++ = (u8)z;
        --length;
    }
    ctx->i = (i - 1) & 0xFF;
    ctx->j = j;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    (void)action;
    stream(ctx, input, output, msglen);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    stream(ctx, 0, keystream, length);
}
