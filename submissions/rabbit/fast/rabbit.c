/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Rabbit, with the state in registers.
 * Specification: M. Boesgaard, M. Vesterager, T. Pedersen, J. Christiansen, O. Scavenius,
 * "Rabbit: A New High-Performance Stream Cipher", Fast Software Encryption 2003; with the IV
 * set-up of "The Stream Cipher Rabbit", eSTREAM (2005).
 *
 * The eight counters and their carries are one number of 256 bits, to which the eight constants
 * are added: word j of counters is its bits 32j .. 32j + 31. It does not depend on the rest.
 */

#include "ecrypt-sync.h"

#if (defined(__AVX2__) && !defined(__TINYC__))
#include <immintrin.h>
#define RABBIT_AVX2
#endif

#define A0 U32C(0x4D34D34D)
#define A1 U32C(0xD34D34D3)
#define A2 U32C(0x34D34D34)

/* ------------------------------------------------------------------------- */
/* One step, in C */

/* c += a + carry, and the new carry */
#define COUNT(c, a)                                                                               \
    do {                                                                                          \
        const u32 sum = U32V((c) + (a));                                                          \
        const u32 next = U32V(sum + carry);                                                       \
        carry = (u32)(sum < (a)) | (u32)(next < sum);                                             \
        (c) = next;                                                                               \
    } while (0)

#define G(g, x, c)                                                                                \
    do {                                                                                          \
        const u64 sum = U32V((x) + (c));                                                          \
        const u64 square = sum * sum;                                                             \
        (g) = (u32)(square & U32C(0xFFFFFFFF)) ^ (u32)(square >> 32);                             \
    } while (0)

static void step(rabbit_state *s)
{
    u32 g0;
    u32 g1;
    u32 g2;
    u32 g3;
    u32 g4;
    u32 g5;
    u32 g6;
    u32 g7;
    u32 *x = s->x;
    u32 *c = s->c;
    u32 carry = s->carry;

    COUNT(c[0], A0);
    COUNT(c[1], A1);
    COUNT(c[2], A2);
    COUNT(c[3], A0);
    COUNT(c[4], A1);
    COUNT(c[5], A2);
    COUNT(c[6], A0);
    COUNT(c[7], A1);
    s->carry = carry;

    G(g0, x[0], c[0]);
    G(g1, x[1], c[1]);
    G(g2, x[2], c[2]);
    G(g3, x[3], c[3]);
    G(g4, x[4], c[4]);
    G(g5, x[5], c[5]);
    G(g6, x[6], c[6]);
    G(g7, x[7], c[7]);

    x[0] = U32V(g0 + ROTL32(g7, 16) + ROTL32(g6, 16));
    x[1] = U32V(g1 + ROTL32(g0, 8) + g7);
    x[2] = U32V(g2 + ROTL32(g1, 16) + ROTL32(g0, 16));
    x[3] = U32V(g3 + ROTL32(g2, 8) + g1);
    x[4] = U32V(g4 + ROTL32(g3, 16) + ROTL32(g2, 16));
    x[5] = U32V(g5 + ROTL32(g4, 8) + g3);
    x[6] = U32V(g6 + ROTL32(g5, 16) + ROTL32(g4, 16));
    x[7] = U32V(g7 + ROTL32(g6, 8) + g5);
}

/* word j of the key stream */
#define STREAM(x, j)                                                                              \
    ((x)[2 * (j)] ^ ((x)[(2 * (j) + 5) & 7] >> 16) ^ U32V((x)[(2 * (j) + 3) & 7] << 16))

/* ------------------------------------------------------------------------- */
/* Whole blocks */

#ifdef RABBIT_AVX2

/* the 256-bit counter, as four words of 64 bits: c += a + carry */
#ifdef __x86_64__
#define COUNT64(c, a) (carry = _addcarry_u64(carry, c, a, &(c)))
#else
#define COUNT64(c, a)                                                                             \
    do {                                                                                          \
        const unsigned long long sum = (c) + (a);                                                 \
        const unsigned long long next = sum + carry;                                              \
        carry = (unsigned char)((sum < (a)) | (next < sum));                                      \
        (c) = next;                                                                               \
    } while (0)
#endif

/* output = input ^ blocks of key stream; without input, the key stream */
static void blocks(rabbit_state *s, const u8 *input, u8 *output, u32 count)
{
    /* even j: what stands there, rotated by 16; odd j: the same, not rotated */
    const __m256i second = _mm256_setr_epi8(2, 3, 0, 1, 4, 5, 6, 7, 10, 11, 8, 9, 12, 13, 14, 15,
                                            2, 3, 0, 1, 4, 5, 6, 7, 10, 11, 8, 9, 12, 13, 14, 15);
    /* even j: what stands at j + 1, rotated by 16; odd j: nothing */
    const __m256i first = _mm256_setr_epi8(6, 7, 4, 5, -1, -1, -1, -1, 14, 15, 12, 13, -1, -1, -1,
                                           -1, 6, 7, 4, 5, -1, -1, -1, -1, 14, 15, 12, 13, -1, -1,
                                           -1, -1);
    /* odd j: what stands at j - 1, rotated by 8; even j: nothing */
    const __m256i below = _mm256_setr_epi8(-1, -1, -1, -1, 3, 0, 1, 2, -1, -1, -1, -1, 11, 8, 9,
                                           10, -1, -1, -1, -1, 3, 0, 1, 2, -1, -1, -1, -1, 11, 8,
                                           9, 10);
    const __m256i evens = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)s->x);
    unsigned long long c0 = s->c[0] | ((unsigned long long)s->c[1] << 32);
    unsigned long long c1 = s->c[2] | ((unsigned long long)s->c[3] << 32);
    unsigned long long c2 = s->c[4] | ((unsigned long long)s->c[5] << 32);
    unsigned long long c3 = s->c[6] | ((unsigned long long)s->c[7] << 32);
    unsigned char carry = (unsigned char)s->carry;

    for (; count > 0; --count, output += 16) {
        __m256i v;
        __m256i even;
        __m256i odd;
        __m256i g;
        __m256i by2;
        __m256i x5;
        __m256i x3;
        __m128i stream;

        COUNT64(c0, 0xD34D34D34D34D34DULL);
        COUNT64(c1, 0x4D34D34D34D34D34ULL);
        COUNT64(c2, 0x34D34D34D34D34D3ULL);
        COUNT64(c3, 0xD34D34D34D34D34DULL);

        v = _mm256_add_epi32(x, _mm256_set_epi64x((long long)c3, (long long)c2, (long long)c1,
                                                  (long long)c0));
        odd = _mm256_srli_epi64(v, 32);
        even = _mm256_mul_epu32(v, v);
        odd = _mm256_mul_epu32(odd, odd);
        g = _mm256_xor_si256(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA),
                             _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA));

        /*
         * by2: g_j-2 at j. Even x_j: g_j + (g_j-1 <<< 16) + (g_j-2 <<< 16);
         * odd x_j: g_j + (g_j-1 <<< 8) + g_j-2.
         */
        by2 = _mm256_permute4x64_epi64(g, 0x93);
        x = _mm256_add_epi32(_mm256_add_epi32(g, _mm256_shuffle_epi8(g, below)),
                             _mm256_add_epi32(_mm256_shuffle_epi8(by2, first),
                                              _mm256_shuffle_epi8(by2, second)));

        /* words 2j, 2j + 5 and 2j + 3 of x: lanes j, j + 2 and j + 1 of 64 bits */
        x5 = _mm256_srli_epi64(_mm256_permute4x64_epi64(x, 0x4E), 48);
        x3 = _mm256_srli_epi64(_mm256_slli_epi32(_mm256_permute4x64_epi64(x, 0x39), 16), 32);
        stream = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(
            _mm256_xor_si256(x, _mm256_xor_si256(x5, x3)), evens));
        if (input != 0) {
            stream = _mm_xor_si128(stream,
                                   _mm_loadu_si128((const __m128i *)(const void *)input));
            input += 16;
        }
        _mm_storeu_si128((__m128i *)(void *)output, stream);
    }

    _mm256_storeu_si256((__m256i *)(void *)s->x, x);
    s->c[0] = (u32)c0;
    s->c[1] = (u32)(c0 >> 32);
    s->c[2] = (u32)c1;
    s->c[3] = (u32)(c1 >> 32);
    s->c[4] = (u32)c2;
    s->c[5] = (u32)(c2 >> 32);
    s->c[6] = (u32)c3;
    s->c[7] = (u32)(c3 >> 32);
    s->carry = (u32)carry;
}

#else

/* output = input ^ blocks of key stream; without input, the key stream */
static void blocks(rabbit_state *s, const u8 *input, u8 *output, u32 count)
{
    rabbit_state t = *s;
    u32 word;

    for (; count > 0; --count, output += 16) {
        step(&t);
        if (input != 0) {
            word = U8TO32_LITTLE(input) ^ STREAM(t.x, 0);
            U32TO8_LITTLE(output, word);
            word = U8TO32_LITTLE(input + 4) ^ STREAM(t.x, 1);
            U32TO8_LITTLE(output + 4, word);
            word = U8TO32_LITTLE(input + 8) ^ STREAM(t.x, 2);
            U32TO8_LITTLE(output + 8, word);
            word = U8TO32_LITTLE(input + 12) ^ STREAM(t.x, 3);
            U32TO8_LITTLE(output + 12, word);
            input += 16;
        } else {
            word = STREAM(t.x, 0);
            U32TO8_LITTLE(output, word);
            word = STREAM(t.x, 1);
            U32TO8_LITTLE(output + 4, word);
            word = STREAM(t.x, 2);
            U32TO8_LITTLE(output + 8, word);
            word = STREAM(t.x, 3);
            U32TO8_LITTLE(output + 12, word);
        }
    }
    *s = t;
}

#endif

/* ------------------------------------------------------------------------- */
/* The API */

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    rabbit_state *s = &ctx->master;
    u32 k[4];
    u32 j;

    (void)keysize;
    (void)ivsize;
    for (j = 0; j < 4; ++j)
        k[j] = U8TO32_LITTLE(key + 4 * j);

    for (j = 0; j < 4; ++j) {
        const u32 k1 = k[(j + 1) & 3];
        const u32 k2 = k[(j + 2) & 3];
        const u32 k3 = k[(j + 3) & 3];

        /* odd numbered variables, from two words each: j is that of variable 2j + 1 */
        s->x[2 * j] = k[j];
        s->x[2 * j + 1] = U32V(k3 << 16) | (k2 >> 16);
        s->c[2 * j] = ROTL32(k2, 16);
        s->c[2 * j + 1] = (k[j] & U32C(0xFFFF0000)) | (k1 & 0xFFFF);
    }
    s->carry = 0;

    for (j = 0; j < 4; ++j)
        step(s);
    for (j = 0; j < 8; ++j)
        s->c[j] ^= s->x[(j + 4) & 7];
    ctx->work = *s;
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    rabbit_state s = ctx->master;
    const u32 low = U8TO32_LITTLE(iv);
    const u32 high = U8TO32_LITTLE(iv + 4);
    u32 j;

    for (j = 0; j < 8; j += 4) {
        s.c[j] ^= low;
        s.c[j + 1] ^= (high & U32C(0xFFFF0000)) | (low >> 16);
        s.c[j + 2] ^= high;
        s.c[j + 3] ^= U32V(high << 16) | (low & 0xFFFF);
    }
    step(&s);
    step(&s);
    step(&s);
    step(&s);
    ctx->work = s;
}

/* the last bytes of a message */
static void part(rabbit_state *s, const u8 *input, u8 *output, u32 length)
{
    u8 buffer[16] = {0};
    u32 i;

    if (input != 0)
        for (i = 0; i < length; ++i)
            buffer[i] = input[i];
    blocks(s, buffer, buffer, 1);
    for (i = 0; i < length; ++i)
        output[i] = buffer[i];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    const u32 whole = msglen & ~(u32)15;

    (void)action;
    blocks(&ctx->work, input, output, whole / 16);
    if (whole < msglen)
        part(&ctx->work, input + whole, output + whole, msglen - whole);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    const u32 whole = length & ~(u32)15;

    blocks(&ctx->work, 0, keystream, whole / 16);
    if (whole < length)
        part(&ctx->work, 0, keystream + whole, length - whole);
}
