/* SPDX-License-Identifier: CC0-1.0 */

/* rc4.c: RC4, reference.
 *
 * The alleged RC4 of 1994 (Schneier, "Applied Cryptography", second edition, section 17.1), as
 * in RFC 6229, whose test vectors it meets. Keys of any whole number of bytes from 1 to 256.
 *
 * RC4 takes no IV: ivsetup returns to the first byte of the only stream of the key.
 *
 * Its keystream is biased (RFC 7465 bans it from TLS): this code is a benchmark. */

#include "ecrypt-sync.h"

static void swap(u8 *a, u8 *b)
{
    u8 t = *a;

    *a = *b;
    *b = t;
}

void ECRYPT_init(void)
{
}

/* The key schedule. */
void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u8 *S = ctx->initial;
    u32 length = keysize / 8;
    u32 i, j = 0;

    (void)ivsize;
    for (i = 0; i < 256; ++i)
        S[i] = (u8)i;
    for (i = 0; i < 256; ++i) {
        j = (j + S[i] + key[i % length]) % 256;
        swap(&S[i], &S[j]);
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

/* The next byte of keystream. */
static u8 next_byte(ECRYPT_ctx *ctx)
{
    u8 *S = ctx->S;

    ctx->i = U8V(ctx->i + 1);
    ctx->j = U8V(ctx->j + S[ctx->i]);
    swap(&S[ctx->i], &S[ctx->j]);
    return S[U8V(S[ctx->i] + S[ctx->j])];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 n;

    (void)action;
    for (n = 0; n < msglen; ++n)
        output[n] = U8V(input[n] ^ next_byte(ctx));
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 n;

    for (n = 0; n < length; ++n)
        keystream[n] = next_byte(ctx);
}
