/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha, written after D. J. Bernstein, "ChaCha, a variant of Salsa20" (2008).
 *
 * With AVX-512, 32, 16 and 8 blocks at once, with AVX2, 8, with SSE2, 4: vector i holds word i
 * of each of them. Single blocks, and all blocks elsewhere, go through unrolled C.
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
 * A round down the columns and one along the diagonals, on words x0 .. x15. A is the kind of
 * word: A_ADD, A_XOR, A_ROT16 and so on are its operations.
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

#define COLUMNS(A, x)                                                                             \
    QUARTERROUND(A, x##0, x##4, x##8, x##12);                                                     \
    QUARTERROUND(A, x##1, x##5, x##9, x##13);                                                     \
    QUARTERROUND(A, x##2, x##6, x##10, x##14);                                                    \
    QUARTERROUND(A, x##3, x##7, x##11, x##15)

#define DIAGONALS(A, x)                                                                           \
    QUARTERROUND(A, x##0, x##5, x##10, x##15);                                                    \
    QUARTERROUND(A, x##1, x##6, x##11, x##12);                                                    \
    QUARTERROUND(A, x##2, x##7, x##8, x##13);                                                     \
    QUARTERROUND(A, x##3, x##4, x##9, x##14)

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
        COLUMNS(WORD, x);
        DIAGONALS(WORD, x);
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

#if (defined(CHACHA_AVX2) || defined(CHACHA_SSE2))

/*
 * The last bytes of a message: length of them, fewer than part has. Inlined 50 times, it makes
 * clang 14 keep so much at hand that the rest is slower by a quarter.
 */
__attribute__((noinline)) static void xor_bytes(const u8 *in, u8 *out, const u8 *part, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        out[i] = (u8)(in[i] ^ part[i]);
}

#endif

/* As much of v as belongs to the message of length bytes. */
#define OUT(A, offset, v)                                                                         \
    do {                                                                                          \
        if (length >= (offset) + sizeof(A)) {                                                     \
            A##_STORE(out + (offset), A##_XOR(A##_LOAD(in + (offset)), v));                       \
        } else if (length > (offset)) {                                                           \
            u8 part[sizeof(A)];                                                                   \
                                                                                                  \
            A##_STORE(part, v);                                                                   \
            xor_bytes(in + (offset), out + (offset), part, length - (offset));                    \
        }                                                                                         \
    } while (0)

/*
 * Words x0 .. x15 of as many blocks as A has lanes, of which the first has the number s[12],
 * s[13] plus first. Each lane has its own carry into the upper word of the number.
 */
#define START(A, x, first)                                                                        \
    A x##0 = A##_SPLAT(s[0]), x##1 = A##_SPLAT(s[1]), x##2 = A##_SPLAT(s[2]);                     \
    A x##3 = A##_SPLAT(s[3]), x##4 = A##_SPLAT(s[4]), x##5 = A##_SPLAT(s[5]);                     \
    A x##6 = A##_SPLAT(s[6]), x##7 = A##_SPLAT(s[7]), x##8 = A##_SPLAT(s[8]);                     \
    A x##9 = A##_SPLAT(s[9]), x##10 = A##_SPLAT(s[10]), x##11 = A##_SPLAT(s[11]);                 \
    A x##14 = A##_SPLAT(s[14]), x##15 = A##_SPLAT(s[15]);                                         \
    const A x##low = A##_ADD(A##_SPLAT(s[12]), A##_ADD(A##_SPLAT(first), A##_INDEX));             \
    const A x##high = A##_CARRY(A##_SPLAT(s[13]), x##low, A##_SPLAT(s[12]));                      \
    A x##12 = x##low, x##13 = x##high

/* The message from byte `at` on is encrypted with what the rounds made of START. */
#define FINISH(A, x, at)                                                                          \
    x##0 = A##_ADD(x##0, A##_SPLAT(s[0]));                                                        \
    x##1 = A##_ADD(x##1, A##_SPLAT(s[1]));                                                        \
    x##2 = A##_ADD(x##2, A##_SPLAT(s[2]));                                                        \
    x##3 = A##_ADD(x##3, A##_SPLAT(s[3]));                                                        \
    x##4 = A##_ADD(x##4, A##_SPLAT(s[4]));                                                        \
    x##5 = A##_ADD(x##5, A##_SPLAT(s[5]));                                                        \
    x##6 = A##_ADD(x##6, A##_SPLAT(s[6]));                                                        \
    x##7 = A##_ADD(x##7, A##_SPLAT(s[7]));                                                        \
    x##8 = A##_ADD(x##8, A##_SPLAT(s[8]));                                                        \
    x##9 = A##_ADD(x##9, A##_SPLAT(s[9]));                                                        \
    x##10 = A##_ADD(x##10, A##_SPLAT(s[10]));                                                     \
    x##11 = A##_ADD(x##11, A##_SPLAT(s[11]));                                                     \
    x##12 = A##_ADD(x##12, x##low);                                                               \
    x##13 = A##_ADD(x##13, x##high);                                                              \
    x##14 = A##_ADD(x##14, A##_SPLAT(s[14]));                                                     \
    x##15 = A##_ADD(x##15, A##_SPLAT(s[15]));                                                     \
                                                                                                  \
    TRANSPOSE(A, x##0, x##1, x##2, x##3);                                                         \
    TRANSPOSE(A, x##4, x##5, x##6, x##7);                                                         \
    TRANSPOSE(A, x##8, x##9, x##10, x##11);                                                       \
    TRANSPOSE(A, x##12, x##13, x##14, x##15);                                                     \
                                                                                                  \
    A##_OUT_BLOCKS(at, x##0, x##4, x##8, x##12);                                                  \
    A##_OUT_BLOCKS((at) + 64, x##1, x##5, x##9, x##13);                                           \
    A##_OUT_BLOCKS((at) + 128, x##2, x##6, x##10, x##14);                                         \
    A##_OUT_BLOCKS((at) + 192, x##3, x##7, x##11, x##15)

/* void name(s, in, out, length): out = in ^ the first length bytes of as many blocks as A has */
#define DEFINE_LANES(name, A)                                                                     \
    static void name(const u32 s[16], const u8 *in, u8 *out, u32 length)                          \
    {                                                                                             \
        START(A, x, 0);                                                                           \
        int i;                                                                                    \
                                                                                                  \
        for (i = 0; i < CHACHA_ROUNDS; i += 2) {                                                  \
            COLUMNS(A, x);                                                                        \
            DIAGONALS(A, x);                                                                      \
        }                                                                                         \
        FINISH(A, x, 0);                                                                          \
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
#define W16_INDEX _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define W16_CARRY(high, low, before)                                                              \
    _mm512_mask_add_epi32(high, _mm512_cmplt_epu32_mask(low, before), high, W16_SPLAT(1))

/* quarter k of p, q, r, s is the block 4k after the one at byte at */
#define W16_OUT_BLOCKS(at, p, q, r, s)                                                            \
    do {                                                                                          \
        const W16 pq01 = _mm512_shuffle_i32x4(p, q, 0x44);                                        \
        const W16 pq23 = _mm512_shuffle_i32x4(p, q, 0xEE);                                        \
        const W16 rs01 = _mm512_shuffle_i32x4(r, s, 0x44);                                        \
        const W16 rs23 = _mm512_shuffle_i32x4(r, s, 0xEE);                                        \
        OUT(W16, at, _mm512_shuffle_i32x4(pq01, rs01, 0x88));                                     \
        OUT(W16, (at) + 256, _mm512_shuffle_i32x4(pq01, rs01, 0xDD));                             \
        OUT(W16, (at) + 512, _mm512_shuffle_i32x4(pq23, rs23, 0x88));                             \
        OUT(W16, (at) + 768, _mm512_shuffle_i32x4(pq23, rs23, 0xDD));                             \
    } while (0)

DEFINE_LANES(xor_16_blocks, W16)

/*
 * As each round waits for the one before it, 16 blocks leave the processor's vector units idle
 * half of the time; the state of 32 blocks is just as many vectors as there are registers.
 */
static void xor_32_blocks(const u32 s[16], const u8 *in, u8 *out, u32 length)
{
    START(W16, x, 0);
    START(W16, y, 16);
    int i;

    for (i = 0; i < CHACHA_ROUNDS; i += 2) {
        COLUMNS(W16, x);
        COLUMNS(W16, y);
        DIAGONALS(W16, x);
        DIAGONALS(W16, y);
    }
    FINISH(W16, x, 0);
    FINISH(W16, y, 1024);
}

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
#define W8_INDEX _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define W8_BIASED(v) _mm256_xor_si256(v, W8_SPLAT(U32C(0x80000000))) /* compares are signed */
#define W8_CARRY(high, low, before)                                                               \
    _mm256_sub_epi32(high, _mm256_cmpgt_epi32(W8_BIASED(before), W8_BIASED(low)))

/* the lower halves of p, q, r, s are the block at byte at, the upper ones the fourth after it */
#define W8_OUT_BLOCKS(at, p, q, r, s)                                                             \
    OUT(W8, at, _mm256_permute2x128_si256(p, q, 0x20));                                           \
    OUT(W8, (at) + 32, _mm256_permute2x128_si256(r, s, 0x20));                                    \
    OUT(W8, (at) + 256, _mm256_permute2x128_si256(p, q, 0x31));                                   \
    OUT(W8, (at) + 288, _mm256_permute2x128_si256(r, s, 0x31))

DEFINE_LANES(xor_8_blocks, W8)
#define LANES 8
#define XOR_LANES xor_8_blocks

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
#define W4_INDEX _mm_setr_epi32(0, 1, 2, 3)
#define W4_BIASED(v) _mm_xor_si128(v, W4_SPLAT(U32C(0x80000000))) /* compares are signed */
#define W4_CARRY(high, low, before)                                                               \
    _mm_sub_epi32(high, _mm_cmpgt_epi32(W4_BIASED(before), W4_BIASED(low)))

#define W4_OUT_BLOCKS(at, p, q, r, s)                                                             \
    OUT(W4, at, p);                                                                               \
    OUT(W4, (at) + 16, q);                                                                        \
    OUT(W4, (at) + 32, r);                                                                        \
    OUT(W4, (at) + 48, s)

DEFINE_LANES(xor_4_blocks, W4)
#define LANES 4
#define XOR_LANES xor_4_blocks

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

#ifdef LANES
/* All but what is cheaper block by block; returns how many bytes that is. */
static u32 xor_lanes(u32 s[16], const u8 *in, u8 *out, u32 length)
{
    u32 done = 0;

    while (length - done >= WORTH_ALL_LANES) {
        u32 part = length - done;

#ifdef CHACHA_AVX512
        if (part > 1024) {
            part = (part < 2048) ? part : 2048;
            xor_32_blocks(s, in + done, out + done, part);
        } else if (part > 64 * LANES) {
            xor_16_blocks(s, in + done, out + done, part);
        } else
#endif
        {
            part = (part < 64 * LANES) ? part : 64 * LANES;
            XOR_LANES(s, in + done, out + done, part);
        }
        advance(s, (part + 63) / 64);
        done += part;
    }
    return done;
}
#endif

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 *s = ctx->input;
    u8 block[64] = {0};
    u32 i;

    (void)action;
#ifdef LANES
    i = xor_lanes(s, input, output, msglen);
    input += i;
    output += i;
    msglen -= i;
#endif

    for (; msglen >= 64; msglen -= 64) {
        xor_block(s, input, output);
        advance(s, 1);
        input += 64;
        output += 64;
    }
    if (msglen > 0) {
        xor_block(s, block, block);
        advance(s, 1);
        for (i = 0; i < msglen; ++i)
            output[i] = (u8)(input[i] ^ block[i]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = 0;
    ECRYPT_process_bytes(0, ctx, keystream, keystream, length);
}
