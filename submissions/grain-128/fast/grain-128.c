/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Grain-128, 32 steps at a time.
 * Specification: Martin Hell, Thomas Johansson, Alexander Maximov and Willi Meier, "A Stream
 * Cipher Proposal: Grain-128", ISIT 2006 and eSTREAM phase 3, its design and initialization.
 *
 * No step uses a bit above number 96 of a register, so 32 steps depend on the 128 bits that are
 * there and are computed side by side, one per bit of a word, the earliest in bit 0. A shifted
 * word has further bits above these 32; they are dropped when the result enters the register.
 *
 * Bit 0 of a key, IV or key stream is the least significant bit of its first byte (the convention
 * of the authors' test vectors): registers are little-endian numbers.
 */

#include "ecrypt-sync.h"

/* Bit n of a register, for each of 32 steps: n <= 32, 32 <= n <= 64, 64 <= n <= 96. */
#define LOW(r, n) ((r).low >> (n))
#define MIDDLE(r, n) ((r).middle >> ((n) - 32))
#define HIGH(r, n) ((r).high >> ((n) - 64))

#define ENTER(r, bits)                                                                            \
    do {                                                                                          \
        (r).low = (r).middle;                                                                     \
        (r).middle = (r).high;                                                                    \
        (r).high = ((r).high >> 32) | ((bits) << 32);                                             \
    } while (0)

/*
 * 32 steps; the low 32 bits of z receive the output. feedback is all ones while the cipher is
 * initialised, else zero. A macro, so that registers are local variables.
 */
#define STEPS(s, b, z, feedback)                                                                  \
    do {                                                                                          \
        const u64 b12 = LOW(b, 12), b95 = HIGH(b, 95);                                            \
        u64 f, g;                                                                                 \
                                                                                                  \
        f = (s).low ^ LOW(s, 7) ^ MIDDLE(s, 38) ^ HIGH(s, 70) ^ HIGH(s, 81) ^ HIGH(s, 96);        \
                                                                                                  \
        g = (s).low ^ (b).low ^ LOW(b, 26) ^ MIDDLE(b, 56) ^ HIGH(b, 91) ^ HIGH(b, 96);           \
        g ^= (LOW(b, 3) & HIGH(b, 67)) ^ (LOW(b, 11) & LOW(b, 13)) ^ (LOW(b, 17) & LOW(b, 18));   \
        g ^= (LOW(b, 27) & MIDDLE(b, 59)) ^ (MIDDLE(b, 40) & MIDDLE(b, 48));                      \
        g ^= (MIDDLE(b, 61) & HIGH(b, 65)) ^ (HIGH(b, 68) & HIGH(b, 84));                         \
                                                                                                  \
        (z) = (b12 & LOW(s, 8)) ^ (LOW(s, 13) & LOW(s, 20)) ^ (b95 & MIDDLE(s, 42));              \
        (z) ^= (MIDDLE(s, 60) & HIGH(s, 79)) ^ (b12 & b95 & HIGH(s, 95)) ^ HIGH(s, 93);           \
        (z) ^= LOW(b, 2) ^ LOW(b, 15) ^ MIDDLE(b, 36) ^ MIDDLE(b, 45) ^ HIGH(b, 64);              \
        (z) ^= HIGH(b, 73) ^ HIGH(b, 89);                                                         \
                                                                                                  \
        ENTER(s, f ^ ((z) & (feedback)));                                                         \
        ENTER(b, g ^ ((z) & (feedback)));                                                         \
    } while (0)

/* The key stream of 64 steps. */
#define STEPS_64(s, b, z)                                                                         \
    do {                                                                                          \
        u64 z0, z1;                                                                               \
                                                                                                  \
        STEPS(s, b, z0, 0);                                                                       \
        STEPS(s, b, z1, 0);                                                                       \
        (z) = (z0 & 0xffffffff) | (z1 << 32);                                                     \
    } while (0)

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    ctx->key.low = U8TO64_LITTLE(key);
    ctx->key.middle = U8TO64_LITTLE(key + 4);
    ctx->key.high = U8TO64_LITTLE(key + 8);
}

/* Key and IV initialization: the IV is followed by ones. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u64 all = ~(u64)0;
    GRAIN_register b = ctx->key;
    GRAIN_register s;
    u64 z;
    u32 i;

    s.low = U8TO64_LITTLE(iv);
    s.middle = U8TO64_LITTLE(iv + 4);
    s.high = (s.middle >> 32) | (all << 32);
    for (i = 0; i < 256; i += 32)
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
