/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha, written after D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008).
 *
 * With AVX-512, 16 and 8 blocks at once, with AVX2, 8, with SSE2, 4: vector i holds word i of
 * each of them. Single blocks, and all blocks elsewhere, go through unrolled C.
 */

#include "ecrypt-sync.h"

#if (!defined(__TINYC__))
#if (defined(__AVX512F__) && defined(__AVX512VL__))
#define CHACHA_AVX512
#endif
#if (defined(__AVX2__))
#define CHACHA_AVX2
#elif (defined(__SSE2__))
#define CHACHA_SSE2
#endif
#endif

/*
 * One round down the columns and one along the diagonals on x0 .. x15. A is the kind of word:
 * A_ADD, A_XOR, A_ROT16 and so on are its operations.
 */
#define QUARTERROUND(A, a, b, c, d)                                                               \
    a = A##_ADD(a, b);                                                                            \
    d = A##_XOR(d, a);                                                                            \
    d = A##_ROT16(d);                                                                             \
    c = A##_ADD(c, d);                                                                            \
    b = A##_XOR(b, c);                                                                            \
    b = A##_ROT12(b);                                                                             \
    a = A##_ADD(a, b);                                                                            \
    d = A##_XOR(d, a);                                                                            \
    d = A##_ROT8(d);                                                                              \
    c = A##_ADD(c, d);                                                                            \
    b = A##_XOR(b, c);                                                                            \
    b = A##_ROT7(b)

#define DOUBLEROUND(A)                                                                            \
    QUARTERROUND(A, x0, x4, x8, x12);                                                             \
    QUARTERROUND(A, x1, x5, x9, x13);                                                             \
    QUARTERROUND(A, x2, x6, x10, x14);                                                            \
    QUARTERROUND(A, x3, x7, x11, x15);                                                            \
    QUARTERROUND(A, x0, x5, x10, x15);                                                            \
    QUARTERROUND(A, x1, x6, x11, x12);                                                            \
    QUARTERROUND(A, x2, x7, x8, x13);                                                             \
    QUARTERROUND(A, x3, x4, x9, x14)

/* ------------------------------------------------------------------------- */
/* One block */

#define WORD_ADD(a, b) U32V((a) + (b))
#define WORD_XOR(a, b) ((a) ^ (b))
#define WORD_ROT16(a) ROTL32(a, 16)
#define WORD_ROT12(a) ROTL32(a, 12)
#define WORD_ROT8(a) ROTL32(a, 8)
#define WORD_ROT7(a) ROTL32(a, 7)

#define WORD_OUT(i)                                                                               \
    U32TO8_LITTLE(out + 4 * (i), U32V(x##i + s[i]) ^ U8TO32_LITTLE(in + 4 * (i)))

/* out = in ^ the block of number s[12], s[13] */
static void xor_block(const u32 s[16], const u8 *in, u8 *out)
{
    u32 x0 = s[0], x1 = s[1], x2 = s[2], x3 = s[3];
    u32 x4 = s[4], x5 = s[5], x6 = s[6], x7 = s[7];
    u32 x8 = s[8], x9 = s[9], x10 = s[10], x11 = s[11];
    u32 x12 = s[12], x13 = s[13], x14 = s[14], x15 = s[15];
    int i;

    for (i = 0; i < CHACHA_ROUNDS; i += 2) {
        DOUBLEROUND(WORD);
    }

    WORD_OUT(0);
    WORD_OUT(1);
    WORD_OUT(2);
    WORD_OUT(3);
    WORD_OUT(4);
    WORD_OUT(5);
    WORD_OUT(6);
    WORD_OUT(7);
    WORD_OUT(8);
    WORD_OUT(9);
    WORD_OUT(10);
    WORD_OUT(11);
    WORD_OUT(12);
    WORD_OUT(13);
    WORD_OUT(14);
    WORD_OUT(15);
}

/* ------------------------------------------------------------------------- */
/* Many blocks */

/*
 * Words a, b, c, d of each block become 16 bytes of block 0, 1, 2, 3; wider vectors do the same
 * for blocks 4 to 7, 8 to 11 and 12 to 15 in their other quarters.
 */
#define TRANSPOSE(A, a, b, c, d)                                                                  \
    do {                                                                                          \
        const A ab = A##_LOW32(a, b);                                                             \
        const A AB = A##_HIGH32(a, b);                                                            \
        const A cd = A##_LOW32(c, d);                                                             \
        const A CD = A##_HIGH32(c, d);                                                            \
        a = A##_LOW64(ab, cd);                                                                    \
        b = A##_HIGH64(ab, cd);                                                                   \
        c = A##_LOW64(AB, CD);                                                                    \
        d = A##_HIGH64(AB, CD);                                                                   \
    } while (0)

#define OUT(A, offset, v) A##_STORE(out + (offset), A##_XOR(A##_LOAD(in + (offset)), v))

/* void name(s, in, out): out = in ^ lanes blocks, the first of number s[12], s[13] */
#define DEFINE_LANES(name, A, lanes)                                                              \
    static void name(const u32 s[16], const u8 *in, u8 *out)                                      \
    {                                                                                             \
        A x0 = A##_SPLAT(s[0]), x1 = A##_SPLAT(s[1]), x2 = A##_SPLAT(s[2]);                       \
        A x3 = A##_SPLAT(s[3]), x4 = A##_SPLAT(s[4]), x5 = A##_SPLAT(s[5]);                       \
        A x6 = A##_SPLAT(s[6]), x7 = A##_SPLAT(s[7]), x8 = A##_SPLAT(s[8]);                       \
        A x9 = A##_SPLAT(s[9]), x10 = A##_SPLAT(s[10]), x11 = A##_SPLAT(s[11]);                   \
        A x14 = A##_SPLAT(s[14]), x15 = A##_SPLAT(s[15]);                                         \
        A x12, x13;                                                                               \
        u32 low[lanes], high[lanes];                                                              \
        int i;                                                                                    \
                                                                                                  \
        /* each lane has its own carry into the upper word of the block number */                 \
        for (i = 0; i < (lanes); ++i) {                                                           \
            low[i] = s[12] + (u32)i;                                                              \
            high[i] = s[13] + (low[i] < s[12]);                                                   \
        }                                                                                         \
        x12 = A##_LOAD(low);                                                                      \
        x13 = A##_LOAD(high);                                                                     \
                                                                                                  \
        for (i = 0; i < CHACHA_ROUNDS; i += 2) {                                                  \
            DOUBLEROUND(A);                                                                       \
        }                                                                                         \
                                                                                                  \
        x0 = A##_ADD(x0, A##_SPLAT(s[0]));                                                        \
        x1 = A##_ADD(x1, A##_SPLAT(s[1]));                                                        \
        x2 = A##_ADD(x2, A##_SPLAT(s[2]));                                                        \
        x3 = A##_ADD(x3, A##_SPLAT(s[3]));                                                        \
        x4 = A##_ADD(x4, A##_SPLAT(s[4]));                                                        \
        x5 = A##_ADD(x5, A##_SPLAT(s[5]));                                                        \
        x6 = A##_ADD(x6, A##_SPLAT(s[6]));                                                        \
        x7 = A##_ADD(x7, A##_SPLAT(s[7]));                                                        \
        x8 = A##_ADD(x8, A##_SPLAT(s[8]));                                                        \
        x9 = A##_ADD(x9, A##_SPLAT(s[9]));                                                        \
        x10 = A##_ADD(x10, A##_SPLAT(s[10]));                                                     \
        x11 = A##_ADD(x11, A##_SPLAT(s[11]));                                                     \
        x12 = A##_ADD(x12, A##_LOAD(low));                                                        \
        x13 = A##_ADD(x13, A##_LOAD(high));                                                       \
        x14 = A##_ADD(x14, A##_SPLAT(s[14]));                                                     \
        x15 = A##_ADD(x15, A##_SPLAT(s[15]));                                                     \
                                                                                                  \
        TRANSPOSE(A, x0, x1, x2, x3);                                                             \
        TRANSPOSE(A, x4, x5, x6, x7);                                                             \
        TRANSPOSE(A, x8, x9, x10, x11);                                                           \
        TRANSPOSE(A, x12, x13, x14, x15);                                                         \
                                                                                                  \
        A##_OUT_BLOCKS(0, x0, x4, x8, x12);                                                       \
        A##_OUT_BLOCKS(1, x1, x5, x9, x13);                                                       \
        A##_OUT_BLOCKS(2, x2, x6, x10, x14);                                                      \
        A##_OUT_BLOCKS(3, x3, x7, x11, x15);                                                      \
    }

#ifdef CHACHA_AVX512

#include <immintrin.h>

typedef __m512i W16;
#define W16_SPLAT(w) _mm512_set1_epi32((int)(w))
#define W16_LOAD(p) _mm512_loadu_si512((const void *)(p))
#define W16_STORE(p, v) _mm512_storeu_si512((void *)(p), v)
#define W16_ADD _mm512_add_epi32
#define W16_XOR _mm512_xor_si512
#define W16_ROT16(v) _mm512_rol_epi32(v, 16)
#define W16_ROT12(v) _mm512_rol_epi32(v, 12)
#define W16_ROT8(v) _mm512_rol_epi32(v, 8)
#define W16_ROT7(v) _mm512_rol_epi32(v, 7)
#define W16_LOW32 _mm512_unpacklo_epi32
#define W16_HIGH32 _mm512_unpackhi_epi32
#define W16_LOW64 _mm512_unpacklo_epi64
#define W16_HIGH64 _mm512_unpackhi_epi64

/* quarter k of p, q, r, s is block j + 4k */
#define W16_OUT_BLOCKS(j, p, q, r, s)                                                             \
    do {                                                                                          \
        const W16 pq01 = _mm512_shuffle_i32x4(p, q, 0x44);                                        \
        const W16 pq23 = _mm512_shuffle_i32x4(p, q, 0xEE);                                        \
        const W16 rs01 = _mm512_shuffle_i32x4(r, s, 0x44);                                        \
        const W16 rs23 = _mm512_shuffle_i32x4(r, s, 0xEE);                                        \
        OUT(W16, 64 * (j), _mm512_shuffle_i32x4(pq01, rs01, 0x88));                               \
        OUT(W16, 64 * (j) + 256, _mm512_shuffle_i32x4(pq01, rs01, 0xDD));                         \
        OUT(W16, 64 * (j) + 512, _mm512_shuffle_i32x4(pq23, rs23, 0x88));                         \
        OUT(W16, 64 * (j) + 768, _mm512_shuffle_i32x4(pq23, rs23, 0xDD));                         \
    } while (0)

DEFINE_LANES(xor_16_blocks, W16, 16)

#endif

#ifdef CHACHA_AVX2

#include <immintrin.h>

typedef __m256i W8;
#define W8_SPLAT(w) _mm256_set1_epi32((int)(w))
#define W8_LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define W8_STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define W8_ADD _mm256_add_epi32
#define W8_XOR _mm256_xor_si256
#ifdef CHACHA_AVX512
#define W8_ROT16(v) _mm256_rol_epi32(v, 16)
#define W8_ROT12(v) _mm256_rol_epi32(v, 12)
#define W8_ROT8(v) _mm256_rol_epi32(v, 8)
#define W8_ROT7(v) _mm256_rol_epi32(v, 7)
#else
#define W8_ROT16(v)                                                                               \
    _mm256_shuffle_epi8(v, _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, \
                                            2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define W8_ROT8(v)                                                                                \
    _mm256_shuffle_epi8(v, _mm256_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14, \
                                            3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14))
#define W8_ROT12(v) _mm256_or_si256(_mm256_slli_epi32(v, 12), _mm256_srli_epi32(v, 20))
#define W8_ROT7(v) _mm256_or_si256(_mm256_slli_epi32(v, 7), _mm256_srli_epi32(v, 25))
#endif
#define W8_LOW32 _mm256_unpacklo_epi32
#define W8_HIGH32 _mm256_unpackhi_epi32
#define W8_LOW64 _mm256_unpacklo_epi64
#define W8_HIGH64 _mm256_unpackhi_epi64

/* the lower halves of p, q, r, s are block j, the upper ones block j + 4 */
#define W8_OUT_BLOCKS(j, p, q, r, s)                                                              \
    OUT(W8, 64 * (j), _mm256_permute2x128_si256(p, q, 0x20));                                     \
    OUT(W8, 64 * (j) + 32, _mm256_permute2x128_si256(r, s, 0x20));                                \
    OUT(W8, 64 * (j) + 256, _mm256_permute2x128_si256(p, q, 0x31));                               \
    OUT(W8, 64 * (j) + 288, _mm256_permute2x128_si256(r, s, 0x31))

DEFINE_LANES(xor_lanes, W8, 8)
#define LANES 8

#endif

#ifdef CHACHA_SSE2

#include <emmintrin.h>

typedef __m128i W4;
#define W4_SPLAT(w) _mm_set1_epi32((int)(w))
#define W4_LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define W4_STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define W4_ADD _mm_add_epi32
#define W4_XOR _mm_xor_si128
#ifdef __SSSE3__
#include <tmmintrin.h>
#define W4_ROT16(v)                                                                               \
    _mm_shuffle_epi8(v, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13))
#define W4_ROT8(v)                                                                                \
    _mm_shuffle_epi8(v, _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14))
#else
#define W4_ROT16(v) _mm_shufflehi_epi16(_mm_shufflelo_epi16(v, 0xB1), 0xB1)
#define W4_ROT8(v) _mm_or_si128(_mm_slli_epi32(v, 8), _mm_srli_epi32(v, 24))
#endif
#define W4_ROT12(v) _mm_or_si128(_mm_slli_epi32(v, 12), _mm_srli_epi32(v, 20))
#define W4_ROT7(v) _mm_or_si128(_mm_slli_epi32(v, 7), _mm_srli_epi32(v, 25))
#define W4_LOW32 _mm_unpacklo_epi32
#define W4_HIGH32 _mm_unpackhi_epi32
#define W4_LOW64 _mm_unpacklo_epi64
#define W4_HIGH64 _mm_unpackhi_epi64

#define W4_OUT_BLOCKS(j, p, q, r, s)                                                              \
    OUT(W4, 64 * (j), p);                                                                         \
    OUT(W4, 64 * (j) + 16, q);                                                                    \
    OUT(W4, 64 * (j) + 32, r);                                                                    \
    OUT(W4, 64 * (j) + 48, s)

DEFINE_LANES(xor_lanes, W4, 4)
#define LANES 4

#endif

#ifndef LANES
#define LANES 1
#endif

/*
 * From this many bytes on, all lanes at once cost less than block by block, even if most of
 * their output is thrown away.
 */
#define WORTH_ALL_LANES (2 * 64 + 1)

/* ------------------------------------------------------------------------- */
/* The API */

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    /* "expand 32-byte k" and "expand 16-byte k" as little-endian words */
    static const u32 sigma[4] = {
        U32C(0x61707865), U32C(0x3320646E), U32C(0x79622D32), U32C(0x6B206574)
    };
    static const u32 tau[4] = {
        U32C(0x61707865), U32C(0x3120646E), U32C(0x79622D36), U32C(0x6B206574)
    };
    const u32 *constants = (keysize == 256) ? sigma : tau;
    const u8 *second = (keysize == 256) ? key + 16 : key;
    int i;

    (void)ivsize;
    for (i = 0; i < 4; ++i) {
        ctx->input[i] = constants[i];
        ctx->input[4 + i] = U8TO32_LITTLE(key + 4 * i);
        ctx->input[8 + i] = U8TO32_LITTLE(second + 4 * i);
    }
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    ctx->input[12] = 0;
    ctx->input[13] = 0;
    ctx->input[14] = U8TO32_LITTLE(iv);
    ctx->input[15] = U8TO32_LITTLE(iv + 4);
}

static void advance(u32 s[16], u32 blocks)
{
    s[12] = U32V(s[12] + blocks);
    if (s[12] < blocks)
        s[13] = U32V(s[13] + 1);
}

/* a part of what generator makes: length bytes, at most 64 * LANES */
static void xor_part(void (*generator)(const u32 *, const u8 *, u8 *), u32 s[16], const u8 *in,
                     u8 *out, u32 length)
{
    u8 buffer[64 * LANES] = {0};
    u32 i;

    for (i = 0; i < length; ++i)
        buffer[i] = in[i];
    generator(s, buffer, buffer);
    for (i = 0; i < length; ++i)
        out[i] = buffer[i];
    advance(s, (length + 63) / 64);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 *s = ctx->input;

    (void)action;

#ifdef CHACHA_AVX512
    for (; msglen >= 1024; msglen -= 1024) {
        xor_16_blocks(s, input, output);
        advance(s, 16);
        input += 1024;
        output += 1024;
    }
#endif

#if (LANES > 1)
    for (; msglen >= 64 * LANES; msglen -= 64 * LANES) {
        xor_lanes(s, input, output);
        advance(s, LANES);
        input += 64 * LANES;
        output += 64 * LANES;
    }
    if (msglen >= WORTH_ALL_LANES) {
        xor_part(xor_lanes, s, input, output, msglen);
        return;
    }
#endif

    for (; msglen >= 64; msglen -= 64) {
        xor_block(s, input, output);
        advance(s, 1);
        input += 64;
        output += 64;
    }
    if (msglen > 0)
        xor_part(xor_block, s, input, output, msglen);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = 0;
    ECRYPT_process_bytes(0, ctx, keystream, keystream, length);
}
