/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Salsa20, written after D. J. Bernstein, "Salsa20 specification" (2005), and
 * "The Salsa20 family of stream ciphers" (2008) for Salsa20/12 and Salsa20/8.
 *
 * With AVX2, 8 blocks at once, with SSE2, 4: vector i holds word i of each of
 * them. Single blocks, and all blocks elsewhere, go through unrolled C.
 */

#include "ecrypt-sync.h"

#if (defined(__AVX2__) && !defined(__TINYC__))
#include <immintrin.h>
#define LANES 8
#elif (defined(__SSE2__) && !defined(__TINYC__))
#include <emmintrin.h>
#define LANES 4
#else
#define LANES 1
#endif

/*
 * From this many bytes on, all lanes at once cost less than block by block, even
 * if most of their output is thrown away: two blocks cost the same either way
 * (gcc 12 and clang 14 on an AMD EPYC, SSE2 and AVX2).
 */
#define WORTH_ALL_LANES (2 * 64 + 1)

/*
 * One column round and one row round on x0 .. x15, for any type of word:
 * step(a, b, c, n) is a ^= (b + c) <<< n.
 */
#define QUARTERROUND(step, a, b, c, d) \
    step(b, a, d, 7); step(c, b, a, 9); step(d, c, b, 13); step(a, d, c, 18)

#define DOUBLEROUND(step) \
    QUARTERROUND(step, x0, x4, x8, x12); \
    QUARTERROUND(step, x5, x9, x13, x1); \
    QUARTERROUND(step, x10, x14, x2, x6); \
    QUARTERROUND(step, x15, x3, x7, x11); \
    QUARTERROUND(step, x0, x1, x2, x3); \
    QUARTERROUND(step, x5, x6, x7, x4); \
    QUARTERROUND(step, x10, x11, x8, x9); \
    QUARTERROUND(step, x15, x12, x13, x14)

/* ------------------------------------------------------------------------- */
/* One block */

#define WORD_STEP(a, b, c, n) a ^= ROTL32((b) + (c), n)

#define WORD_OUT(i) \
    U32TO8_LITTLE(out + 4 * (i), \
        U32V(x##i + s[i]) ^ U8TO32_LITTLE(in + 4 * (i)))

/* out = in ^ the block of number s[8], s[9] */
static void xor_block(const u32 s[16], const u8 *in, u8 *out)
{
    u32 x0 = s[0], x1 = s[1], x2 = s[2], x3 = s[3];
    u32 x4 = s[4], x5 = s[5], x6 = s[6], x7 = s[7];
    u32 x8 = s[8], x9 = s[9], x10 = s[10], x11 = s[11];
    u32 x12 = s[12], x13 = s[13], x14 = s[14], x15 = s[15];
    int i;

    for (i = 0; i < SALSA20_ROUNDS; i += 2) {
        DOUBLEROUND(WORD_STEP);
    }

    WORD_OUT(0); WORD_OUT(1); WORD_OUT(2); WORD_OUT(3);
    WORD_OUT(4); WORD_OUT(5); WORD_OUT(6); WORD_OUT(7);
    WORD_OUT(8); WORD_OUT(9); WORD_OUT(10); WORD_OUT(11);
    WORD_OUT(12); WORD_OUT(13); WORD_OUT(14); WORD_OUT(15);
}

/* ------------------------------------------------------------------------- */
/* LANES blocks */

#if (LANES > 1)

#if (LANES == 8)

typedef __m256i vec;
#define SPLAT(w) _mm256_set1_epi32((int)(w))
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define ADD _mm256_add_epi32
#define XOR _mm256_xor_si256
#define SHL _mm256_slli_epi32
#define SHR _mm256_srli_epi32
#define LOW32 _mm256_unpacklo_epi32
#define HIGH32 _mm256_unpackhi_epi32
#define LOW64 _mm256_unpacklo_epi64
#define HIGH64 _mm256_unpackhi_epi64

#else

typedef __m128i vec;
#define SPLAT(w) _mm_set1_epi32((int)(w))
#define LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)
#define ADD _mm_add_epi32
#define XOR _mm_xor_si128
#define SHL _mm_slli_epi32
#define SHR _mm_srli_epi32
#define LOW32 _mm_unpacklo_epi32
#define HIGH32 _mm_unpackhi_epi32
#define LOW64 _mm_unpacklo_epi64
#define HIGH64 _mm_unpackhi_epi64

#endif

/* the two halves of a rotated word have no bit in common */
#define VEC_STEP(a, b, c, n) \
    do { \
        const vec sum = ADD(b, c); \
        a = XOR(XOR(a, SHL(sum, n)), SHR(sum, 32 - (n))); \
    } while (0)

/*
 * Words a, b, c, d of each block become 16 bytes of block 0, 1, 2, 3; with
 * AVX2, the upper halves become 16 bytes of block 4, 5, 6, 7.
 */
#define TRANSPOSE(a, b, c, d) \
    do { \
        const vec ab = LOW32(a, b), AB = HIGH32(a, b); \
        const vec cd = LOW32(c, d), CD = HIGH32(c, d); \
        a = LOW64(ab, cd); \
        b = HIGH64(ab, cd); \
        c = LOW64(AB, CD); \
        d = HIGH64(AB, CD); \
    } while (0)

#define OUT(offset, v) STORE(out + (offset), XOR(LOAD(in + (offset)), v))

#if (LANES == 8)

#define OUT_BLOCK(j, p, q, r, s) \
    OUT(64 * (j), _mm256_permute2x128_si256(p, q, 0x20)); \
    OUT(64 * (j) + 32, _mm256_permute2x128_si256(r, s, 0x20)); \
    OUT(64 * (j) + 256, _mm256_permute2x128_si256(p, q, 0x31)); \
    OUT(64 * (j) + 288, _mm256_permute2x128_si256(r, s, 0x31))

#else

#define OUT_BLOCK(j, p, q, r, s) \
    OUT(64 * (j), p); \
    OUT(64 * (j) + 16, q); \
    OUT(64 * (j) + 32, r); \
    OUT(64 * (j) + 48, s)

#endif

/* out = in ^ LANES blocks, the first of number s[8], s[9] */
static void xor_lanes(const u32 s[16], const u8 *in, u8 *out)
{
    vec x0 = SPLAT(s[0]), x1 = SPLAT(s[1]), x2 = SPLAT(s[2]), x3 = SPLAT(s[3]);
    vec x4 = SPLAT(s[4]), x5 = SPLAT(s[5]), x6 = SPLAT(s[6]), x7 = SPLAT(s[7]);
    vec x10 = SPLAT(s[10]), x11 = SPLAT(s[11]), x12 = SPLAT(s[12]);
    vec x13 = SPLAT(s[13]), x14 = SPLAT(s[14]), x15 = SPLAT(s[15]);
    vec x8, x9;
    u32 low[LANES], high[LANES];
    int i;

    /* each lane has its own carry into the upper word of the block number */
    for (i = 0; i < LANES; ++i) {
        low[i] = s[8] + (u32)i;
        high[i] = s[9] + (low[i] < s[8]);
    }
    x8 = LOAD(low);
    x9 = LOAD(high);

    for (i = 0; i < SALSA20_ROUNDS; i += 2) {
        DOUBLEROUND(VEC_STEP);
    }

    x0 = ADD(x0, SPLAT(s[0]));
    x1 = ADD(x1, SPLAT(s[1]));
    x2 = ADD(x2, SPLAT(s[2]));
    x3 = ADD(x3, SPLAT(s[3]));
    x4 = ADD(x4, SPLAT(s[4]));
    x5 = ADD(x5, SPLAT(s[5]));
    x6 = ADD(x6, SPLAT(s[6]));
    x7 = ADD(x7, SPLAT(s[7]));
    x8 = ADD(x8, LOAD(low));
    x9 = ADD(x9, LOAD(high));
    x10 = ADD(x10, SPLAT(s[10]));
    x11 = ADD(x11, SPLAT(s[11]));
    x12 = ADD(x12, SPLAT(s[12]));
    x13 = ADD(x13, SPLAT(s[13]));
    x14 = ADD(x14, SPLAT(s[14]));
    x15 = ADD(x15, SPLAT(s[15]));

    TRANSPOSE(x0, x1, x2, x3);
    TRANSPOSE(x4, x5, x6, x7);
    TRANSPOSE(x8, x9, x10, x11);
    TRANSPOSE(x12, x13, x14, x15);

    OUT_BLOCK(0, x0, x4, x8, x12);
    OUT_BLOCK(1, x1, x5, x9, x13);
    OUT_BLOCK(2, x2, x6, x10, x14);
    OUT_BLOCK(3, x3, x7, x11, x15);
}

#endif

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
        ctx->input[5 * i] = constants[i];
        ctx->input[1 + i] = U8TO32_LITTLE(key + 4 * i);
        ctx->input[11 + i] = U8TO32_LITTLE(second + 4 * i);
    }
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    ctx->input[6] = U8TO32_LITTLE(iv);
    ctx->input[7] = U8TO32_LITTLE(iv + 4);
    ctx->input[8] = 0;
    ctx->input[9] = 0;
}

static void advance(u32 s[16], u32 blocks)
{
    s[8] = U32V(s[8] + blocks);
    if (s[8] < blocks)
        s[9] = U32V(s[9] + 1);
}

/* a part of what generator makes: length bytes, at most 64 * LANES */
static void xor_part(void (*generator)(const u32 *, const u8 *, u8 *),
    u32 s[16], const u8 *in, u8 *out, u32 length)
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

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input,
    u8 *output, u32 msglen)
{
    u32 *s = ctx->input;

    (void)action;

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
