/* SPDX-License-Identifier: CC0-1.0 */
/*
 * F-FCSR-H, in words of 64 bits that stay in machine registers.
 * Specification: Francois Arnault and Thierry P. Berger, "F-FCSR: design of a new class of stream
 * ciphers", FSE 2005, and with Cedric Lauradoux, "Update on F-FCSR stream cipher", eSTREAM (2006).
 *
 * F-FCSR-H is here as the test vectors of eSTREAM have it, which are those of the first version:
 * 160 clocks without output follow the loading of key and IV. The second version (2006) differs
 * there.
 *
 * The sum of m_(i+1), d_i c_i and d_i m_0 and its carry are computed for all cells at once; bit 0
 * of the register is bit 0 of the first word. Key and IV are big-endian numbers, the key in the
 * lower half, the IV above it (the convention of the authors' test vectors).
 */

#include "ecrypt-sync.h"

/* d = (1 - q) / 2: where the register has feedback; also the filter. */
#define D_0 U64C(0xaf46d5903dd4254e)
#define D_1 U64C(0x26619fc58623dc8a)
#define D_2 U64C(0x00000000ae985dff)

/* One clock. A macro, as the next ones, so that registers are local variables. */
#define CLOCK(m, c)                                                                               \
    do {                                                                                          \
        const u64 m_0 = (u64)0 - ((m).w[0] & 1);                                                  \
        FCSR_register shifted, feedback, sum;                                                     \
                                                                                                  \
        shifted.w[0] = ((m).w[0] >> 1) | ((m).w[1] << 63);                                        \
        shifted.w[1] = ((m).w[1] >> 1) | ((m).w[2] << 63);                                        \
        shifted.w[2] = ((m).w[2] >> 1);                                                           \
        feedback.w[0] = D_0 & m_0;                                                                \
        feedback.w[1] = D_1 & m_0;                                                                \
        feedback.w[2] = D_2 & m_0;                                                                \
        sum.w[0] = shifted.w[0] ^ (c).w[0];                                                       \
        sum.w[1] = shifted.w[1] ^ (c).w[1];                                                       \
        sum.w[2] = shifted.w[2] ^ (c).w[2];                                                       \
        (c).w[0] = (shifted.w[0] & (c).w[0]) | (sum.w[0] & feedback.w[0]);                        \
        (c).w[1] = (shifted.w[1] & (c).w[1]) | (sum.w[1] & feedback.w[1]);                        \
        (c).w[2] = (shifted.w[2] & (c).w[2]) | (sum.w[2] & feedback.w[2]);                        \
        (m).w[0] = sum.w[0] ^ feedback.w[0];                                                      \
        (m).w[1] = sum.w[1] ^ feedback.w[1];                                                      \
        (m).w[2] = sum.w[2] ^ feedback.w[2];                                                      \
    } while (0)

/* One clock and the 8 bits that the filter makes of the new state: i = j mod 8 for bit j. */
#define NEXT(m, c, z)                                                                             \
    do {                                                                                          \
        CLOCK(m, c);                                                                              \
        (z) = ((m).w[0] & D_0) ^ ((m).w[1] & D_1) ^ ((m).w[2] & D_2);                             \
        (z) ^= (z) >> 32;                                                                         \
        (z) ^= (z) >> 16;                                                                         \
        (z) ^= (z) >> 8;                                                                          \
        (z) &= 0xff;                                                                              \
    } while (0)

/* 64 bits of key stream. */
#define NEXT_64(m, c, z)                                                                          \
    do {                                                                                          \
        u64 part_;                                                                                \
        u32 shift_;                                                                               \
                                                                                                  \
        (z) = 0;                                                                                  \
        for (shift_ = 0; shift_ < 64; shift_ += 8) {                                              \
            NEXT(m, c, part_);                                                                    \
            (z) |= part_ << shift_;                                                               \
        }                                                                                         \
    } while (0)

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

/* m := key + 2^80 IV, without carries; 160 clocks. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const FCSR_register zero = { { 0, 0, 0 } };
    FCSR_register m, c = zero;
    u32 i;

    m.w[0] = U8TO64_BIG(ctx->key + 2);
    m.w[1] = ((u64)U8TO16_BIG(ctx->key)) | (U8TO64_BIG(iv + 2) << 16);
    m.w[2] = (U8TO64_BIG(iv) >> 32) & 0xffffffff;
    for (i = 0; i < 160; ++i)
        CLOCK(m, c);

    ctx->m = m;
    ctx->c = c;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    FCSR_register m = ctx->m;
    FCSR_register c = ctx->c;
    u64 z;
    u32 i;

    (void)action;
    for (; msglen >= 8; msglen -= 8, input += 8, output += 8) {
        NEXT_64(m, c, z);
        z ^= U8TO64_LITTLE(input);
        U64TO8_LITTLE(output, z);
    }

    if (msglen > 0) {
        NEXT_64(m, c, z);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ (u8)(z >> (8 * i)));
    }

    ctx->m = m;
    ctx->c = c;
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    FCSR_register m = ctx->m;
    FCSR_register c = ctx->c;
    u64 z;
    u32 i;

    for (; length >= 8; length -= 8, keystream += 8) {
        NEXT_64(m, c, z);
        U64TO8_LITTLE(keystream, z);
    }

    if (length > 0) {
        NEXT_64(m, c, z);
        for (i = 0; i < length; ++i)
            keystream[i] = (u8)(z >> (8 * i));
    }

    ctx->m = m;
    ctx->c = c;
}
