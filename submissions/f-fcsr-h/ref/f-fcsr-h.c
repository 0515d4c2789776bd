/* SPDX-License-Identifier: CC0-1.0 */
/*
 * F-FCSR-H, one clock per byte of key stream, in the terms of the specification:
 * Francois Arnault and Thierry P. Berger, "F-FCSR: design of a new class of stream ciphers", FSE
 * 2005, and with Cedric Lauradoux, "Update on F-FCSR stream cipher", eSTREAM (2006).
 *
 * F-FCSR-H is here as the test vectors of eSTREAM have it, which are those of the first version:
 * 160 clocks without output follow the loading of key and IV. The second version (2006) differs
 * there.
 *
 * What the specification writes for every cell i is one operation on words here: bit i of a
 * register is bit i mod 32 of word i / 32. The numbering of bytes is that of the authors' test
 * vectors: key and IV are big-endian numbers, the key in the lower half, the IV above it.
 */

#include "ecrypt-sync.h"

/* d = (1 - q) / 2, which says where the register has feedback; also the filter. */
static const u32 d[FCSR_WORDS] = {
    0x3dd4254e, 0xaf46d590, 0x8623dc8a, 0x26619fc5, 0xae985dff
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

/* The filter: bit j of the byte is the sum of d_i m_i over i = j mod 8. */
static u8 filter(const u32 *m)
{
    u32 sum = 0;
    u32 w;

    for (w = 0; w < FCSR_WORDS; ++w)
        sum ^= m[w] & d[w];
    sum ^= sum >> 16;
    return (u8)(sum ^ (sum >> 8));
}

static u8 next_byte(ECRYPT_ctx *ctx)
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
    for (i = 0; i < 10; ++i)
        ctx->key[i] = key[i];
}

/* m := key + 2^80 IV, without carries. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < FCSR_WORDS; ++i)
        ctx->m[i] = ctx->c[i] = 0;
    for (i = 0; i < 10; ++i) {
        set_byte(ctx->m, 9 - i, ctx->key[i]);
        set_byte(ctx->m, 19 - i, iv[i]);
    }

    for (i = 0; i < 160; ++i)
        clock_fcsr(ctx->m, ctx->c);
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
