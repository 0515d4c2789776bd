/* SPDX-License-Identifier: CC0-1.0 */
/*
 * F-FCSR-16, one clock per 16 bits of key stream, in the terms of the specification:
 * Francois Arnault and Thierry P. Berger, "F-FCSR: design of a new class of stream ciphers", FSE
 * 2005, and with Cedric Lauradoux, "Update on F-FCSR stream cipher", eSTREAM (2006).
 *
 * Key and IV setup: the output of 16 clocks becomes the state, which 258 more clocks mix.
 *
 * What the specification writes for every cell i is one operation on words here: bit i of a
 * register is bit i mod 32 of word i / 32. The numbering of bytes is that of the authors' test
 * vectors: key and IV are big-endian numbers, the key in the lower half, the IV above it;
 * words of key stream are little-endian.
 */

#include "ecrypt-sync.h"

/* d = (1 - q) / 2, which says where the register has feedback; also the filter. */
static const u32 d[FCSR_WORDS] = {
    0x390002c6, 0xefb55a6e, 0xbaf08f39, 0x2102f996,
    0xc8c9cedb, 0x780caa2e, 0xad4f7e66, 0xcb5e129f
};

/*
 * One clock: m_i := m_(i+1) + d_i c_i + d_i m_0, and c_i := the carry of this sum of three bits,
 * their majority.
 */
static void clock_fcsr(u32 *m, u32 *c)
{
    const u32 m_0 = (u32)0 - (m[0] & 1); /* all ones or zero */
    u32 w;

    for (w = 0; w < FCSR_WORDS; ++w) {
        const u32 shifted = (m[w] >> 1) | (w + 1 < FCSR_WORDS ? m[w + 1] << 31 : 0);
        const u32 feedback = d[w] & m_0;

        m[w] = shifted ^ c[w] ^ feedback;
        c[w] = (shifted & c[w]) ^ (shifted & feedback) ^ (c[w] & feedback);
    }
}

/* The filter: bit j of the result is the sum of d_i m_i over i = j mod 16. */
static u32 filter(const u32 *m)
{
    u32 sum = 0;
    u32 w;

    for (w = 0; w < FCSR_WORDS; ++w)
        sum ^= m[w] & d[w];
    return (sum ^ (sum >> 16)) & 0xffff;
}

static u32 next_word(ECRYPT_ctx *ctx)
{
    clock_fcsr(ctx->m, ctx->c);
    return filter(ctx->m);
}

/* Byte n of the main register, n = 0 the lowest, which is 0 before. */
static void set_byte(u32 *m, u32 n, u8 byte)
{
    m[n / 4] |= (u32)byte << (8 * (n % 4));
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    (void)ivsize;
    for (i = 0; i < 16; ++i)
        ctx->key[i] = key[i];
}

/*
 * m := key + 2^128 IV, without carries; 16 clocks; their 16 words of output become m, without
 * carries; 258 clocks.
 */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 s[16];
    u32 i;

    for (i = 0; i < FCSR_WORDS; ++i)
        ctx->m[i] = ctx->c[i] = 0;
    for (i = 0; i < 16; ++i) {
        set_byte(ctx->m, 15 - i, ctx->key[i]);
        set_byte(ctx->m, 31 - i, iv[i]);
    }

    for (i = 0; i < 16; ++i)
        s[i] = next_word(ctx);

    for (i = 0; i < FCSR_WORDS; ++i) {
        ctx->m[i] = s[2 * i] | (s[2 * i + 1] << 16);
        ctx->c[i] = 0;
    }
    for (i = 0; i < 258; ++i)
        clock_fcsr(ctx->m, ctx->c);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 word = 0;
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        word = i % 2 == 0 ? next_word(ctx) : word >> 8;
        output[i] = (u8)(input[i] ^ (u8)word);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 word = 0;
    u32 i;

    for (i = 0; i < length; ++i) {
        word = i % 2 == 0 ? next_word(ctx) : word >> 8;
        keystream[i] = (u8)word;
    }
}
