/* SPDX-License-Identifier: MIT */
#include "ecrypt-sync.h"

#define BLOCK 64u
#define ROUNDS (198u + 2u * ECRYPT_VARIANT) /* 200, 202 or 204 */

void ECRYPT_init(void) {}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    (void)ivsize;
    for (i = 0; i < 4; i++)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    ctx->word[0] = ctx->key[0] ^ U8TO32_LITTLE(iv);
    ctx->word[1] = ctx->key[1] ^ U8TO32_LITTLE(iv + 4);
    ctx->word[2] = ctx->key[2];
    ctx->word[3] = ctx->key[3];
}

/* One chain: every step needs the one before it. */
static void churn(u32 *word)
{
    u32 a = word[0], b = word[1], c = word[2], d = word[3], i;

    for (i = 0; i < ROUNDS; i++) {
        a = U32V(a + d);
        b ^= ROTL32(a, 7);
        c = U32V(c + b);
        d ^= ROTL32(c, 13);
    }
    word[0] = a;
    word[1] = b;
    word[2] = c;
    word[3] = d;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *in, u8 *out, u32 len)
{
    u32 i, n;

    (void)action;
    for (; len > 0; len -= n, in += n, out += n) {
        n = len < BLOCK ? len : BLOCK;
        churn(ctx->word);
        for (i = 0; i < n; i++)
            out[i] = (u8)(in[i] ^ (ctx->word[i & 3] >> (i & 24)));
    }
}
