/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Trivium, 64 steps at a time, with all three registers in one vector where AVX-512 has shifts
 * across two words (VBMI2).
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

#if (defined(__AVX512VBMI2__) && defined(__AVX512VL__))

#include <immintrin.h>

/*
 * The three registers are lanes 0 to 2 of two vectors, and each is read at five places, so that
 * one instruction reads all three. What leaves a register enters the next one: instead of moving
 * it, the next 64 steps call that lane the next register, and after three times 64 all are back.
 * Lane 3 is zero.
 */
typedef struct {
    __m256i old;
    __m256i recent;
} registers;

/* How far back each register is read, where lane 0 is a, b or c; 64 less as in AGO. */
#define LANES_A(of_a, of_b, of_c) _mm256_setr_epi64x((of_a) - 64, (of_b) - 64, (of_c) - 64, 0)
#define LANES_B(of_a, of_b, of_c) LANES_A(of_b, of_c, of_a)
#define LANES_C(of_a, of_b, of_c) LANES_A(of_c, of_a, of_b)

#define VECTOR_AGO(r, LANES, of_a, of_b, of_c)                                                    \
    _mm256_shldv_epi64((r).recent, (r).old, LANES(of_a, of_b, of_c))

/* Lane i takes lane i + 1 of the three. */
#define NEXT_LANE(v) _mm256_permute4x64_epi64(v, 0xC9)

/* 64 steps; the lanes of t add up to the key stream. */
#define VECTOR_STEPS(r, LANES, t)                                                                 \
    do {                                                                                          \
        const __m256i both = _mm256_and_si256(VECTOR_AGO(r, LANES, 91, 82, 109),                  \
                                              VECTOR_AGO(r, LANES, 92, 83, 110));                 \
        const __m256i joined = NEXT_LANE(VECTOR_AGO(r, LANES, 69, 78, 87));                       \
                                                                                                  \
        (t) = _mm256_xor_si256(VECTOR_AGO(r, LANES, 66, 69, 66),                                  \
                               VECTOR_AGO(r, LANES, 93, 84, 111));                                \
        (r).old = NEXT_LANE((r).recent);                                                          \
        (r).recent = _mm256_xor_si256(_mm256_xor_si256(t, both), joined);                         \
    } while (0)

static registers gather(const TRIVIUM_register *a, const TRIVIUM_register *b,
                        const TRIVIUM_register *c)
{
    registers r;

    r.old = _mm256_set_epi64x(0, (long long)c->old, (long long)b->old, (long long)a->old);
    r.recent = _mm256_set_epi64x(0, (long long)c->recent, (long long)b->recent,
                                 (long long)a->recent);
    return r;
}

static void scatter(registers r, TRIVIUM_register *a, TRIVIUM_register *b, TRIVIUM_register *c)
{
    a->old = (u64)_mm256_extract_epi64(r.old, 0);
    b->old = (u64)_mm256_extract_epi64(r.old, 1);
    c->old = (u64)_mm256_extract_epi64(r.old, 2);
    a->recent = (u64)_mm256_extract_epi64(r.recent, 0);
    b->recent = (u64)_mm256_extract_epi64(r.recent, 1);
    c->recent = (u64)_mm256_extract_epi64(r.recent, 2);
}

/* The sums of the lanes of four vectors. */
static __m256i sums(__m256i t0, __m256i t1, __m256i t2, __m256i t3)
{
    const __m256i t01 = _mm256_xor_si256(_mm256_unpacklo_epi64(t0, t1),
                                         _mm256_unpackhi_epi64(t0, t1));
    const __m256i t23 = _mm256_xor_si256(_mm256_unpacklo_epi64(t2, t3),
                                         _mm256_unpackhi_epi64(t2, t3));

    return _mm256_xor_si256(_mm256_permute2x128_si256(t01, t23, 0x20),
                            _mm256_permute2x128_si256(t01, t23, 0x31));
}

/* output = input ^ 32 bytes of key stream; without input, the key stream */
static void put(const u8 *input, u8 *output, __m256i z)
{
    if (input != 0)
        z = _mm256_xor_si256(z, _mm256_loadu_si256((const __m256i *)(const void *)input));
    _mm256_storeu_si256((__m256i *)(void *)output, z);
}

/* Bytes that come from lanes, as there are four in a store and three in a turn. */
#define TURN_BYTES 96

/* As many whole turns as there are in length bytes; returns how many bytes that is. */
static u32 turns(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 length)
{
    registers r = gather(&ctx->a, &ctx->b, &ctx->c);
    __m256i t0;
    __m256i t1;
    __m256i t2;
    __m256i t3;
    u32 done;

    for (done = 0; length - done >= TURN_BYTES; done += TURN_BYTES) {
        VECTOR_STEPS(r, LANES_A, t0);
        VECTOR_STEPS(r, LANES_B, t1);
        VECTOR_STEPS(r, LANES_C, t2);
        VECTOR_STEPS(r, LANES_A, t3);
        put(input, output, sums(t0, t1, t2, t3));
        VECTOR_STEPS(r, LANES_B, t0);
        VECTOR_STEPS(r, LANES_C, t1);
        VECTOR_STEPS(r, LANES_A, t2);
        VECTOR_STEPS(r, LANES_B, t3);
        put(input == 0 ? 0 : input + 32, output + 32, sums(t0, t1, t2, t3));
        VECTOR_STEPS(r, LANES_C, t0);
        VECTOR_STEPS(r, LANES_A, t1);
        VECTOR_STEPS(r, LANES_B, t2);
        VECTOR_STEPS(r, LANES_C, t3);
        put(input == 0 ? 0 : input + 64, output + 64, sums(t0, t1, t2, t3));
        output += TURN_BYTES;
        if (input != 0)
            input += TURN_BYTES;
    }

    scatter(r, &ctx->a, &ctx->b, &ctx->c);
    return done;
}

/* The 4 * 288 steps of set-up. */
static void blank(ECRYPT_ctx *ctx)
{
    registers r = gather(&ctx->a, &ctx->b, &ctx->c);
    __m256i t;
    u32 i;

    for (i = 0; i < 4 * 288; i += 3 * 64) {
        VECTOR_STEPS(r, LANES_A, t);
        VECTOR_STEPS(r, LANES_B, t);
        VECTOR_STEPS(r, LANES_C, t);
    }
    scatter(r, &ctx->a, &ctx->b, &ctx->c);
}

#else

/* Without such lanes, all bytes are left to the caller. */
static u32 turns(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 length)
{
    (void)ctx;
    (void)input;
    (void)output;
    (void)length;
    return 0;
}

/* The 4 * 288 steps of set-up. */
static void blank(ECRYPT_ctx *ctx)
{
    TRIVIUM_register a = ctx->a;
    TRIVIUM_register b = ctx->b;
    TRIVIUM_register c = ctx->c;
    u64 z;
    u32 i;

    for (i = 0; i < 4 * 288; i += 64)
        STEPS(a, b, c, z);
    (void)z;

    ctx->a = a;
    ctx->b = b;
    ctx->c = c;
}

#endif

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
    ctx->a = ctx->key;
    ctx->b = load(iv, ctx->ivsize);
    ctx->c.old = (u64)7 << (128 - 111); /* s_288, s_287, s_286 */
    ctx->c.recent = 0;
    blank(ctx);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    const u32 done = turns(ctx, input, output, msglen);
    TRIVIUM_register a = ctx->a;
    TRIVIUM_register b = ctx->b;
    TRIVIUM_register c = ctx->c;
    u64 z;
    u32 i;

    (void)action;
    input += done;
    output += done;
    msglen -= done;
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
    const u32 done = turns(ctx, 0, keystream, length);
    TRIVIUM_register a = ctx->a;
    TRIVIUM_register b = ctx->b;
    TRIVIUM_register c = ctx->c;
    u64 z;
    u32 i;

    keystream += done;
    length -= done;
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
