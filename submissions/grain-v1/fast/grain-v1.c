/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Grain v1, 16 steps at a time while it is initialised, then 64.
 * Specification: Martin Hell, Thomas Johansson and Willi Meier, "Grain - A Stream Cipher for
 * Constrained Environments", eSTREAM portfolio (2007).
 *
 * No step uses a bit above number 64 of a register, so 16 steps depend on the 80 bits that are
 * there and are computed side by side, one per bit of a word, the earliest in bit 0. A shifted
 * word has further bits above these 16; they are dropped when the result enters the register.
 * The key stream does not enter the registers once they are initialised: it is computed for 64
 * steps at once, after them.
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

/* The filter function h, factored by x2. */
#define H(x0, x1, x2, x3, x4)                                                                     \
    ((x1) ^ (x4) ^ ((x3) & ((x0) ^ (x4)))                                                         \
     ^ ((x2) & ((x3) ^ ((x0) & ((x1) ^ (x3) ^ (x4))) ^ ((x4) & ((x1) ^ (x3))))))

/*
 * 16 steps of the initialization, whose output z is fed back into both registers.
 * Macros, this one and the next, so that registers are local variables.
 */
#define INITIAL_STEPS(s, b)                                                                       \
    do {                                                                                          \
        const u64 b9 = LOW(b, 9), b15 = LOW(b, 15), b21 = LOW(b, 21), b28 = LOW(b, 28);           \
        const u64 b33 = LOW(b, 33), b37 = LOW(b, 37), b45 = LOW(b, 45), b52 = HIGH(b, 52);        \
        const u64 b60 = HIGH(b, 60), b63 = HIGH(b, 63);                                           \
        const u64 x0 = LOW(s, 3), x1 = LOW(s, 25), x2 = LOW(s, 46), x3 = HIGH(s, 64);             \
        const u64 b33_28_21 = b33 & b28 & b21;                                                    \
        const u64 b52_45 = b52 & b45;                                                             \
        const u64 b63_60 = b63 & b60;                                                             \
        u64 f, g, z;                                                                              \
                                                                                                  \
        f = HIGH(s, 62) ^ HIGH(s, 51) ^ LOW(s, 38) ^ LOW(s, 23) ^ LOW(s, 13) ^ (s).low;           \
                                                                                                  \
        g = (s).low ^ (b).low ^ HIGH(b, 62) ^ b60 ^ b52 ^ b45 ^ b37 ^ b33 ^ b28 ^ b21 ^ b9;       \
        g ^= LOW(b, 14) ^ b63_60 ^ (b37 & b33) ^ (b15 & b9) ^ (b60 & b52_45) ^ b33_28_21;         \
        g ^= (b63 & b45 & b28 & b9) ^ (b60 & b52 & b37 & b33) ^ (b63_60 & b21 & b15);             \
        g ^= (b63_60 & b52_45 & b37) ^ (b33_28_21 & b15 & b9) ^ (b52_45 & b37 & b33_28_21);       \
                                                                                                  \
        z = H(x0, x1, x2, x3, b63);                                                               \
        z ^= LOW(b, 1) ^ LOW(b, 2) ^ LOW(b, 4) ^ LOW(b, 10) ^ LOW(b, 31) ^ LOW(b, 43);            \
        z ^= HIGH(b, 56);                                                                         \
                                                                                                  \
        ENTER(s, f ^ z);                                                                          \
        ENTER(b, g ^ z);                                                                          \
    } while (0)

/*
 * 32 steps without output or feedback. What uses bits up to number 48 only is computed for all 32
 * at once: f for the LFSR, and for the NFSR its terms t and the factors p, q, r, u, v of
 * b_52 b_60, b_52, b_63, b_60 b_63 and b_52 b_60 b_63. FINISH does the rest for 16 of them.
 */
#define STEPS_32(s, b)                                                                            \
    do {                                                                                          \
        const u64 b9 = LOW(b, 9), b15 = LOW(b, 15), b21 = LOW(b, 21), b28 = LOW(b, 28);           \
        const u64 b33 = HIGH(b, 33), b37 = HIGH(b, 37), b45 = HIGH(b, 45);                        \
        const u64 c = b33 & b28 & b21;                                                            \
        const u64 p = b45 ^ (b37 & b33);                                                          \
        const u64 v = b45 & b37;                                                                  \
        const u64 q = v & c;                                                                      \
        const u64 r = b45 & b28 & b9;                                                             \
        const u64 u = ~(b21 & b15);                                                               \
        const u64 t = (s).low ^ (b).low ^ LOW(b, 14) ^ b9 ^ b21 ^ b28 ^ b33 ^ b37 ^ p             \
                      ^ ((b15 & b9) | c);                                                         \
        const u64 f = (s).low ^ LOW(s, 13) ^ LOW(s, 23) ^ HIGH(s, 38);                            \
                                                                                                  \
        FINISH(s, b, f, t, p, q, r, u, v);                                                        \
        FINISH(s, b, f >> 16, t >> 16, p >> 16, q >> 16, r >> 16, u >> 16, v >> 16);              \
    } while (0)

#define FINISH(s, b, f, t, p, q, r, u, v)                                                         \
    do {                                                                                          \
        const u64 b52 = HIGH(b, 52), b60 = HIGH(b, 60), b63 = HIGH(b, 63);                        \
        u64 g;                                                                                    \
                                                                                                  \
        g = (t) ^ HIGH(b, 62) ^ b60 ^ b52 ^ (b52 & ((b60 & (p)) ^ (q)));                          \
        g ^= b63 & ((r) ^ (b60 & ((u) ^ (b52 & (v)))));                                           \
        ENTER(b, g);                                                                              \
        ENTER(s, (f) ^ HIGH(s, 51) ^ HIGH(s, 62));                                                \
    } while (0)

/* Bit n of a register for each of 64 steps: of its words before the first and after the last. */
#define WINDOW(before, after, n) (((before) >> (n)) | ((after) << (64 - (n))))

/* The key stream of 64 steps. */
#define STEPS_64(s, b, z)                                                                         \
    do {                                                                                          \
        const u64 s0 = (s).low, b0 = (b).low;                                                     \
        u64 x0, x1, x2, x3, x4;                                                                   \
                                                                                                  \
        STEPS_32(s, b);                                                                           \
        STEPS_32(s, b);                                                                           \
        x0 = WINDOW(s0, (s).low, 3);                                                              \
        x1 = WINDOW(s0, (s).low, 25);                                                             \
        x2 = WINDOW(s0, (s).low, 46);                                                             \
        x3 = (s).low;                                                                             \
        x4 = WINDOW(b0, (b).low, 63);                                                             \
        (z) = H(x0, x1, x2, x3, x4);                                                              \
        (z) ^= WINDOW(b0, (b).low, 1) ^ WINDOW(b0, (b).low, 2) ^ WINDOW(b0, (b).low, 4);          \
        (z) ^= WINDOW(b0, (b).low, 10) ^ WINDOW(b0, (b).low, 31) ^ WINDOW(b0, (b).low, 43);       \
        (z) ^= WINDOW(b0, (b).low, 56);                                                           \
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
    GRAIN_register b = ctx->key;
    GRAIN_register s;
    u32 i;

    s.low = U8TO64_LITTLE(iv);
    s.high = (s.low >> 16) | ((u64)0xffff << 48);
    for (i = 0; i < 160; i += 16)
        INITIAL_STEPS(s, b);

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
