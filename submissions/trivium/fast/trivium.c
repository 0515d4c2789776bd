/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Trivium, 64 steps at a time.
 * Specification: Christophe De Canniere and Bart Preneel, "Trivium Specifications",
 * eSTREAM portfolio (2008).
 *
 * No bit is used before it is 66 steps old, so 64 steps depend on older bits only and can be
 * computed side by side, one per bit of a word, the earliest in bit 0. The oldest bit that is
 * used is 111 steps old: two words per register are enough.
 *
 * s_n is the bit that entered register a n steps ago; s_(93+n) and s_(177+n) are the same for b
 * and c. Key and IV are little-endian numbers whose most significant bit is K_1 or IV_1 (the
 * convention of the authors' test vectors): their bits, too, are in order of time.
 */

#include "ecrypt-sync.h"

/* For each of 64 steps, the bit that entered register r n steps before it; 64 < n < 128. */
#define AGO(r, n) (((r).old >> (128 - (n))) | ((r).recent << ((n) - 64)))

#define ENTER(r, word)                                                                            \
    do {                                                                                          \
        (r).old = (r).recent;                                                                     \
        (r).recent = (word);                                                                      \
    } while (0)

/*
 * 64 steps of the specification's section 2.1; z receives the key stream.
 * A macro, so that a, b and c are local variables and stay in machine registers.
 */
#define STEPS(a, b, c, z)                                                                         \
    do {                                                                                          \
        u64 t1 = AGO(a, 66) ^ AGO(a, 93);                                                         \
        u64 t2 = AGO(b, 69) ^ AGO(b, 84);                                                         \
        u64 t3 = AGO(c, 66) ^ AGO(c, 111);                                                        \
                                                                                                  \
        (z) = t1 ^ t2 ^ t3;                                                                       \
        t1 ^= (AGO(a, 91) & AGO(a, 92)) ^ AGO(b, 78);                                             \
        t2 ^= (AGO(b, 82) & AGO(b, 83)) ^ AGO(c, 87);                                             \
        t3 ^= (AGO(c, 109) & AGO(c, 110)) ^ AGO(a, 69);                                           \
        ENTER(a, t3);                                                                             \
        ENTER(b, t1);                                                                             \
        ENTER(c, t2);                                                                             \
    } while (0)

/* The register into which the size bits of a key or an IV were shifted after 128 zeros. */
static TRIVIUM_register load(const u8 *bytes, u32 size)
{
    TRIVIUM_register r = { 0, 0 };
    u32 i;

    for (i = 0; i < size / 8; ++i) {
        r.old = (r.old >> 8) | (r.recent << 56);
        r.recent = (r.recent >> 8) | ((u64)bytes[i] << 56);
    }
    return r;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    ctx->key = load(key, keysize);
    ctx->ivsize = ivsize;
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    TRIVIUM_register a = ctx->key;
    TRIVIUM_register b = load(iv, ctx->ivsize);
    TRIVIUM_register c = { 0, 0 };
    u64 z;
    u32 i;

    c.old = (u64)7 << (128 - 111); /* s_288, s_287, s_286 */
    for (i = 0; i < 4 * 288; i += 64)
        STEPS(a, b, c, z);
    (void)z;

    ctx->a = a;
    ctx->b = b;
    ctx->c = c;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    TRIVIUM_register a = ctx->a;
    TRIVIUM_register b = ctx->b;
    TRIVIUM_register c = ctx->c;
    u64 z;
    u32 i;

    (void)action;
    for (; msglen >= 8; msglen -= 8, input += 8, output += 8) {
        STEPS(a, b, c, z);
        z ^= U8TO64_LITTLE(input);
        U64TO8_LITTLE(output, z);
    }

    if (msglen > 0) {
        STEPS(a, b, c, z);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ (u8)(z >> (8 * i)));
    }

    ctx->a = a;
    ctx->b = b;
    ctx->c = c;
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    TRIVIUM_register a = ctx->a;
    TRIVIUM_register b = ctx->b;
    TRIVIUM_register c = ctx->c;
    u64 z;
    u32 i;

    for (; length >= 8; length -= 8, keystream += 8) {
        STEPS(a, b, c, z);
        U64TO8_LITTLE(keystream, z);
    }

    if (length > 0) {
        STEPS(a, b, c, z);
        for (i = 0; i < length; ++i)
            keystream[i] = (u8)(z >> (8 * i));
    }

    ctx->a = a;
    ctx->b = b;
    ctx->c = c;
}
