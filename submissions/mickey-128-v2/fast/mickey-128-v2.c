/* SPDX-License-Identifier: CC0-1.0 */
/*
 * MICKEY-128 2.0, in words of 64 bits and without branches.
 * Specification: Steve Babbage and Matthew Dodd, "The stream cipher MICKEY-128 2.0", eSTREAM
 * phase 3 (2006).
 *
 * A register lies at the upper end of its words: a shift drops the bit that leaves it, and the bit
 * that is fed back is the highest one. Whatever a bit decides is done with a mask made of that bit.
 *
 * The first bit of a key, IV or key stream is the most significant bit of its first byte (the
 * convention of the authors' test vectors). The masks are those of the authors' code.
 */

#include "ecrypt-sync.h"

/* The specification's tables RTAPS, COMP0, COMP1, FB0 and FB0 ^ FB1 as masks. */
#define RTAPS_0 U64C(0x42114d3100000000)
#define RTAPS_1 U64C(0x9c679626f3ec4c59)
#define RTAPS_2 U64C(0x375253af803bbe32)
#define COMP0_0 U64C(0x5dd6f25e00000000)
#define COMP0_1 U64C(0x7900706279260955)
#define COMP0_2 U64C(0x0fbe06be37afd931)
#define COMP1_0 U64C(0x7d191f3000000000)
#define COMP1_1 U64C(0x7c00c3e0feb63c98)
#define COMP1_2 U64C(0x7ff45bb56660e345)
#define FB0_0 U64C(0xc43c1faf00000000)
#define FB0_1 U64C(0x66e54d810e2fa322)
#define FB0_2 U64C(0x83630bc1d4544b91)
#define FB01_0 U64C(0x5fc8680400000000)
#define FB01_1 U64C(0x097f55377e562fb2)
#define FB01_2 U64C(0x92c48b2eb81f3576)

/* All but bit 0 of a register, whose next value has no other terms. */
#define NOT_FIRST U64C(0xfffffffeffffffff)

/* All ones or zero. */
#define ALL(bit) ((u64)0 - (bit))

/*
 * CLOCK_KG with its CLOCK_R and CLOCK_S; the inputs are 0 or 1 as u64.
 * A macro, so that registers are local variables.
 */
#define CLOCK(r, s, input_r, input_s)                                                             \
    do {                                                                                          \
        const u64 control_r = ALL((((s).w[1] >> 22) ^ ((r).w[2] >> 10)) & 1);                     \
        const u64 control_s = ALL((((s).w[2] >> 10) ^ ((r).w[1] >> 21)) & 1);                     \
        const u64 feedback_r = ALL(((r).w[2] >> 63) ^ (input_r));                                 \
        const u64 feedback_s = ALL(((s).w[2] >> 63) ^ (input_s));                                 \
        MICKEY_register shifted, hat;                                                             \
                                                                                                  \
        shifted.w[0] = ((r).w[0] << 1);                                                           \
        shifted.w[1] = ((r).w[1] << 1) ^ ((r).w[0] >> 63);                                        \
        shifted.w[2] = ((r).w[2] << 1) ^ ((r).w[1] >> 63);                                        \
        (r).w[0] = shifted.w[0] ^ ((r).w[0] & control_r) ^ (RTAPS_0 & feedback_r);                \
        (r).w[1] = shifted.w[1] ^ ((r).w[1] & control_r) ^ (RTAPS_1 & feedback_r);                \
        (r).w[2] = shifted.w[2] ^ ((r).w[2] & control_r) ^ (RTAPS_2 & feedback_r);                \
                                                                                                  \
        hat.w[0] = ((s).w[0] ^ COMP0_0) & (((s).w[0] >> 1) ^ ((s).w[1] << 63) ^ COMP1_0);         \
        hat.w[1] = ((s).w[1] ^ COMP0_1) & (((s).w[1] >> 1) ^ ((s).w[2] << 63) ^ COMP1_1);         \
        hat.w[2] = ((s).w[2] ^ COMP0_2) & (((s).w[2] >> 1) ^ COMP1_2);                            \
        hat.w[0] = (hat.w[0] & NOT_FIRST) ^ ((s).w[0] << 1);                                      \
        hat.w[1] = hat.w[1] ^ ((s).w[1] << 1) ^ ((s).w[0] >> 63);                                 \
        hat.w[2] = hat.w[2] ^ ((s).w[2] << 1) ^ ((s).w[1] >> 63);                                 \
        (s).w[0] = hat.w[0] ^ ((FB0_0 ^ (FB01_0 & control_s)) & feedback_s);                      \
        (s).w[1] = hat.w[1] ^ ((FB0_1 ^ (FB01_1 & control_s)) & feedback_s);                      \
        (s).w[2] = hat.w[2] ^ ((FB0_2 ^ (FB01_2 & control_s)) & feedback_s);                      \
    } while (0)

/* Eight bits of key stream. */
#define NEXT_BYTE(r, s, byte)                                                                     \
    do {                                                                                          \
        u32 bit_;                                                                                 \
                                                                                                  \
        (byte) = 0;                                                                               \
        for (bit_ = 0; bit_ < 8; ++bit_) {                                                        \
            (byte) = ((byte) << 1) | ((((r).w[0] ^ (s).w[0]) >> 32) & 1);                         \
            CLOCK(r, s, 0, 0);                                                                    \
        }                                                                                         \
    } while (0)

/* A clock with mixing: s_80 is added to the input of r. */
#define MIX(r, s, input) CLOCK(r, s, (input) ^ (((s).w[1] >> 48) & 1), input)

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    for (i = 0; i < 16; ++i)
        ctx->key[i] = key[i];
    ctx->ivsize = ivsize;
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const MICKEY_register zero = { { 0, 0, 0 } };
    MICKEY_register r = zero;
    MICKEY_register s = zero;
    u32 i;

    for (i = 0; i < ctx->ivsize; ++i) {
        const u64 bit = ((u64)iv[i / 8] >> (7 - i % 8)) & 1;

        MIX(r, s, bit);
    }
    for (i = 0; i < 128; ++i) {
        const u64 bit = ((u64)ctx->key[i / 8] >> (7 - i % 8)) & 1;

        MIX(r, s, bit);
    }
    for (i = 0; i < 160; ++i)
        MIX(r, s, (u64)0);

    ctx->r = r;
    ctx->s = s;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    MICKEY_register r = ctx->r;
    MICKEY_register s = ctx->s;
    u64 byte;
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        NEXT_BYTE(r, s, byte);
        output[i] = (u8)(input[i] ^ byte);
    }

    ctx->r = r;
    ctx->s = s;
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    MICKEY_register r = ctx->r;
    MICKEY_register s = ctx->s;
    u64 byte;
    u32 i;

    for (i = 0; i < length; ++i) {
        NEXT_BYTE(r, s, byte);
        keystream[i] = (u8)byte;
    }

    ctx->r = r;
    ctx->s = s;
}
