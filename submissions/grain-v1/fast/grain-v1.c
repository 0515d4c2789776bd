/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Grain v1, 16 steps at a time.
 * Specification: Martin Hell, Thomas Johansson and Willi Meier, "Grain - A Stream Cipher for
 * Constrained Environments", eSTREAM portfolio (2007).
 *
 * No step uses a bit above number 64 of a register, so 16 steps depend on the 80 bits that are
 * there and are computed side by side, one per bit of a word, the earliest in bit 0. A shifted
 * word has further bits above these 16; they are dropped when the result enters the register.
 *
 * Bit 0 of a key, IV or key stream is the least significant bit of its first byte (the convention
 * of the authors' test vectors): registers are little-endian numbers.
 */

#include "ecrypt-sync.h"

/* Bit n of a register, for each of 16 steps: n <= 48 in the one, 16 <= n <= 64 in the other. */
#define LOW(r, n) ((r).low >> (n))
#define HIGH(r, n) ((r).high >> ((n) - 16))

#define ENTER(r, bits)                                                                            \
    do {                                                                                          \
        (r).low = (r).high;                                                                       \
        (r).high = ((r).high >> 16) | ((bits) << 48);                                             \
    } while (0)

/*
 * 16 steps; the low 16 bits of z receive the output. feedback is all ones while the
 * cipher is initialised, else zero. A macro, so that registers are local variables.
 */
#define STEPS(s, b, z, feedback)                                                                  \
    do {                                                                                          \
        const u64 b9 = LOW(b, 9), b15 = LOW(b, 15), b21 = LOW(b, 21), b28 = LOW(b, 28);           \
        const u64 b33 = LOW(b, 33), b37 = LOW(b, 37), b45 = LOW(b, 45), b52 = HIGH(b, 52);        \
        const u64 b60 = HIGH(b, 60), b63 = HIGH(b, 63);                                           \
        const u64 x0 = LOW(s, 3), x1 = LOW(s, 25), x2 = LOW(s, 46), x3 = HIGH(s, 64);             \
        const u64 b33_28_21 = b33 & b28 & b21;                                                    \
        const u64 b52_45 = b52 & b45;                                                             \
        const u64 b63_60 = b63 & b60;                                                             \
        u64 f, g;                                                                                 \
                                                                                                  \
        f = HIGH(s, 62) ^ HIGH(s, 51) ^ LOW(s, 38) ^ LOW(s, 23) ^ LOW(s, 13) ^ (s).low;           \
                                                                                                  \
        g = (s).low ^ (b).low ^ HIGH(b, 62) ^ b60 ^ b52 ^ b45 ^ b37 ^ b33 ^ b28 ^ b21 ^ b9;       \
        g ^= LOW(b, 14) ^ b63_60 ^ (b37 & b33) ^ (b15 & b9) ^ (b60 & b52_45) ^ b33_28_21;         \
        g ^= (b63 & b45 & b28 & b9) ^ (b60 & b52 & b37 & b33) ^ (b63_60 & b21 & b15);             \
        g ^= (b63_60 & b52_45 & b37) ^ (b33_28_21 & b15 & b9) ^ (b52_45 & b37 & b33_28_21);       \
                                                                                                  \
        /* h(x0, x1, x2, x3, b63), factored by x2. */                                             \
        (z) = x1 ^ b63 ^ (x3 & (x0 ^ b63));                                                       \
        (z) ^= x2 & (x3 ^ (x0 & (x1 ^ x3 ^ b63)) ^ (b63 & (x1 ^ x3)));                            \
        (z) ^= LOW(b, 1) ^ LOW(b, 2) ^ LOW(b, 4) ^ LOW(b, 10) ^ LOW(b, 31) ^ LOW(b, 43);          \
        (z) ^= HIGH(b, 56);                                                                       \
                                                                                                  \
        ENTER(s, f ^ ((z) & (feedback)));                                                         \
        ENTER(b, g ^ ((z) & (feedback)));                                                         \
    } while (0)

/* The key stream of 64 steps. */
#define STEPS_64(s, b, z)                                                                         \
    do {                                                                                          \
        u64 z0, z1, z2, z3;                                                                       \
                                                                                                  \
        STEPS(s, b, z0, 0);                                                                       \
        STEPS(s, b, z1, 0);                                                                       \
        STEPS(s, b, z2, 0);                                                                       \
        STEPS(s, b, z3, 0);                                                                       \
        (z) = (z0 & 0xffff) | ((z1 & 0xffff) << 16) | ((z2 & 0xffff) << 32) | (z3 << 48);         \
    } while (0)

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    ctx->key.low = U8TO64_LITTLE(key);
    ctx->key.high = U8TO64_LITTLE(key + 2);
}

/* Key initialization: the IV is followed by ones. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u64 all = ~(u64)0;
    GRAIN_register b = ctx->key;
    GRAIN_register s;
    u64 z;
    u32 i;

    s.low = U8TO64_LITTLE(iv);
    s.high = (s.low >> 16) | (all << 48);
    for (i = 0; i < 160; i += 16)
        STEPS(s, b, z, all);

    ctx->s = s;
    ctx->b = b;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    GRAIN_register s = ctx->s;
    GRAIN_register b = ctx->b;
    u64 z;
    u32 i;

    (void)action;
    for (; msglen >= 8; msglen -= 8, input += 8, output += 8) {
        STEPS_64(s, b, z);
        z ^= U8TO64_LITTLE(input);
        U64TO8_LITTLE(output, z);
    }

    if (msglen > 0) {
        STEPS_64(s, b, z);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ (u8)(z >> (8 * i)));
    }

    ctx->s = s;
    ctx->b = b;
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    GRAIN_register s = ctx->s;
    GRAIN_register b = ctx->b;
    u64 z;
    u32 i;

    for (; length >= 8; length -= 8, keystream += 8) {
        STEPS_64(s, b, z);
        U64TO8_LITTLE(keystream, z);
    }

    if (length > 0) {
        STEPS_64(s, b, z);
        for (i = 0; i < length; ++i)
            keystream[i] = (u8)(z >> (8 * i));
    }

    ctx->s = s;
    ctx->b = b;
}
