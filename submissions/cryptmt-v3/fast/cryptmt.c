/* SPDX-License-Identifier: CC0-1.0 */
/*
 * CryptMT version 3, a whole turn of the mother generator per block, with SSE2 where there is.
 * Specification: Makoto Matsumoto, Mutsuo Saito, Takuji Nishimura and Mariko Hagita, "CryptMT3
 * Stream Cipher", New Stream Cipher Designs, LNCS 4986 (2008); eSTREAM submission, "CryptMT
 * Stream Cipher Version 3" (2007).
 *
 * Permutations, shifts and constants were taken, as facts, from the designers' implementation.
 *
 * Words of 128 bits are four of 32 bits, the least significant first.
 * The booter's register becomes longer at its end with each step, and what a step gives takes
 * the place of the word that leaves it, so that the mother generator's first register is there
 * when the first block is over.
 */

#include "ecrypt-sync.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK ECRYPT_BLOCKLENGTH

#define N 156 /* words of the mother generator's register */
#define M 108 /* the middle tap */

#define PERIOD U32C(0x4D734E48) /* a word that makes the mother generator's period certain */

/* The mask in the recursion. */
#define MASK0 U32C(0xFFDFAFDF)
#define MASK1 U32C(0xF5DABFFF)
#define MASK2 U32C(0xFFDBFFFF)
#define MASK3 U32C(0xEF7BFFFF)

/* The product of the odd numbers 2a + 1 and 2b + 1 of 33 bits, without its lowest bit. */
#define TIMES(a, b) U32V(2 * (a) * (b) + (a) + (b))

/* Steps of the booter: step i gives s_i and makes s_(i+L). */
static void boot(u32 (*s)[4], u32 L, u32 acc[4], u32 steps)
{
    u32 a0 = acc[0];
    u32 a1 = acc[1];
    u32 a2 = acc[2];
    u32 a3 = acc[3];
    u32 i;

    for (i = 0; i < steps; ++i) {
        const u32 *u = s[i + L - 2];
        const u32 *v = s[i + L - 1];
        u32 *next = s[i + L];
        const u32 p0 = s[i][0] + u[0];
        const u32 p1 = s[i][1] + u[1];
        const u32 p2 = s[i][2] + u[2];
        const u32 p3 = s[i][3] + u[3];
        const u32 q0 = v[3] ^ (v[0] >> 11);
        const u32 q1 = v[2] ^ (v[1] >> 11);
        const u32 q2 = v[0] ^ (v[2] >> 11);
        const u32 q3 = v[1] ^ (v[3] >> 11);

        a0 = TIMES(a0, q0);
        a1 = TIMES(a1, q1);
        a2 = TIMES(a2, q2);
        a3 = TIMES(a3, q3);
        next[0] = (p3 ^ (p0 >> 13)) - a0;
        next[1] = (p0 ^ (p1 >> 13)) - a1;
        next[2] = (p1 ^ (p2 >> 13)) - a2;
        next[3] = (p2 ^ (p3 >> 13)) - a3;
        s[i][0] = p0;
        s[i][1] = p1;
        s[i][2] = p2;
        s[i][3] = p3;
    }
    acc[0] = a0;
    acc[1] = a1;
    acc[2] = a2;
    acc[3] = a3;
}

#if defined(__SSE2__)

typedef __m128i word;

/*
 * The memory of the filter: y_0 and y_2, y_1 and y_3 in the lower halves of 64 bits, where
 * they can be multiplied. The upper halves hold anything.
 */
typedef struct {
    __m128i even;
    __m128i odd;
} memory;

static inline word get(const u32 *s)
{
    return _mm_loadu_si128((const __m128i *)(const void *)s);
}

static inline void put(u32 *s, word x)
{
    _mm_storeu_si128((__m128i *)(void *)s, x);
}

static inline word recursion(word x0, word xM, word previous)
{
    const __m128i mask = _mm_set_epi32((int)MASK3, (int)MASK2, (int)MASK1, (int)MASK0);
    const __m128i a = _mm_xor_si128(_mm_shuffle_epi32(x0, _MM_SHUFFLE(0, 3, 2, 1)),
                                    _mm_shuffle_epi32(xM, _MM_SHUFFLE(2, 0, 3, 1)));

    return _mm_xor_si128(_mm_xor_si128(a, _mm_srli_epi64(xM, 3)), _mm_and_si128(previous, mask));
}

static inline memory get_memory(const u32 y[4])
{
    memory m;

    m.even = get(y);
    m.odd = _mm_srli_epi64(m.even, 32);
    return m;
}

static inline void put_memory(u32 y[4], memory m)
{
    put(y, _mm_unpacklo_epi32(_mm_shuffle_epi32(m.even, _MM_SHUFFLE(3, 1, 2, 0)),
                              _mm_shuffle_epi32(m.odd, _MM_SHUFFLE(3, 1, 2, 0))));
}

/* y times x, whose double is x2. */
static inline __m128i absorb(__m128i y, __m128i x, __m128i x2)
{
    return _mm_add_epi32(_mm_mul_epu32(y, x2), _mm_add_epi32(y, x));
}

static inline memory step(memory m, word x)
{
    const __m128i even = _mm_xor_si128(m.even, _mm_srli_epi32(m.odd, 1));
    const __m128i turned = _mm_shuffle_epi32(m.even, _MM_SHUFFLE(1, 0, 3, 2));
    const __m128i odd = _mm_xor_si128(m.odd, _mm_srli_epi32(turned, 1));
    const __m128i x2 = _mm_add_epi32(x, x);

    m.even = absorb(even, x, x2);
    m.odd = absorb(odd, _mm_srli_epi64(x, 32), _mm_srli_epi64(x2, 32));
    return m;
}

static inline __m128i half(__m128i y)
{
    return _mm_xor_si128(y, _mm_srli_epi32(y, 16));
}

/* The key stream of two steps: 16 bits of the first below 16 bits of the second. */
static inline __m128i both(__m128i first, __m128i second)
{
    return _mm_or_si128(_mm_and_si128(half(first), _mm_set1_epi32(0xFFFF)),
                        _mm_slli_epi32(half(second), 16));
}

/* The filter takes in two words and makes 16 bytes. */
static inline memory filter(memory m, word x, word z, const u8 *input, u8 *output)
{
    const __m128i lower = _mm_set_epi32(0, -1, 0, -1);
    const memory first = step(m, x);
    const memory second = step(first, z);
    const __m128i even = both(first.even, second.even);
    const __m128i odd = both(first.odd, second.odd);
    const __m128i k = _mm_or_si128(_mm_and_si128(even, lower), _mm_slli_epi64(odd, 32));
    const __m128i text = _mm_loadu_si128((const __m128i *)(const void *)input);

    _mm_storeu_si128((__m128i *)(void *)output, _mm_xor_si128(k, text));
    return second;
}

#else

typedef struct {
    u32 w[4];
} word;

typedef word memory;

static inline word get(const u32 *s)
{
    word x;

    x.w[0] = s[0];
    x.w[1] = s[1];
    x.w[2] = s[2];
    x.w[3] = s[3];
    return x;
}

static inline void put(u32 *s, word x)
{
    s[0] = x.w[0];
    s[1] = x.w[1];
    s[2] = x.w[2];
    s[3] = x.w[3];
}

static inline word recursion(word x0, word xM, word previous)
{
    const u32 *a = x0.w;
    const u32 *b = xM.w;
    const u32 *c = previous.w;
    word x;

    x.w[0] = a[1] ^ b[1] ^ (b[0] >> 3) ^ U32V(b[1] << 29) ^ (c[0] & MASK0);
    x.w[1] = a[2] ^ b[3] ^ (b[1] >> 3) ^ (c[1] & MASK1);
    x.w[2] = a[3] ^ b[0] ^ (b[2] >> 3) ^ U32V(b[3] << 29) ^ (c[2] & MASK2);
    x.w[3] = a[0] ^ b[2] ^ (b[3] >> 3) ^ (c[3] & MASK3);
    return x;
}

#define get_memory get
#define put_memory put

static inline memory step(memory m, word x)
{
    const u32 y0 = m.w[0] ^ (m.w[1] >> 1);
    const u32 y1 = m.w[1] ^ (m.w[2] >> 1);
    const u32 y2 = m.w[2] ^ (m.w[3] >> 1);
    const u32 y3 = m.w[3] ^ (m.w[0] >> 1);

    m.w[0] = TIMES(y0, x.w[0]);
    m.w[1] = TIMES(y1, x.w[1]);
    m.w[2] = TIMES(y2, x.w[2]);
    m.w[3] = TIMES(y3, x.w[3]);
    return m;
}

/* The filter takes in two words and makes 16 bytes: of each step 16 bits of four words. */
static inline memory filter(memory m, word x, word z, const u8 *input, u8 *output)
{
    const memory first = step(m, x);
    const memory second = step(first, z);
    u32 i;

    for (i = 0; i < 4; ++i) {
        const u32 a = first.w[i] ^ (first.w[i] >> 16);
        const u32 b = second.w[i] ^ (second.w[i] >> 16);
        const u32 w = ((a & 0xFFFF) | U32V(b << 16)) ^ U8TO32_LITTLE(input + 4 * i);

        U32TO8_LITTLE(output + 4 * i, w);
    }
    return second;
}

#endif

/* Up to 78 pieces of 16 bytes from words that are there. */
static void drain(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 pieces)
{
    memory m = get_memory(ctx->y);
    u32 i;

    for (i = 0; i < 2 * pieces; i += 2)
        m = filter(m, get(ctx->s[i]), get(ctx->s[i + 1]), input + 8 * i, output + 8 * i);
    put_memory(ctx->y, m);
}

/* The mother generator's register is words 1 .. N of s. Two of its words are renewed and used. */
#define RENEW(i, middle)                                                                          \
    do {                                                                                          \
        const word x = recursion(get(s[i]), get(s[middle]), previous);                            \
        const word z = recursion(get(s[(i) + 1]), get(s[(middle) + 1]), x);                       \
                                                                                                  \
        put(s[i], x);                                                                             \
        put(s[(i) + 1], z);                                                                       \
        previous = z;                                                                             \
        m = filter(m, x, z, input + 8 * ((i) - 1), output + 8 * ((i) - 1));                       \
    } while (0)

/* Up to 78 pieces of 16 bytes from words that are made now. */
static void turn(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 pieces)
{
    u32(*s)[4] = ctx->s;
    memory m = get_memory(ctx->y);
    word previous = get(s[N]);
    const u32 end = 2 * pieces + 1;
    const u32 wrap = end < N - M + 1 ? end : N - M + 1;
    u32 i;

    for (i = 1; i < wrap; i += 2)
        RENEW(i, i + M);
    for (; i < end; i += 2)
        RENEW(i, i + M - N);
    put_memory(ctx->y, m);
}

/* Up to a block. Only whole blocks may be followed by others. */
static void process(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 pieces)
{
    if (ctx->started) {
        turn(ctx, input, output, pieces);
        return;
    }

    boot(ctx->s, ctx->L, ctx->acc, 2 * pieces);
    drain(ctx, input, output, pieces);
    if (pieces == N / 2) {
        ctx->s[0][3] = PERIOD;
        put(ctx->s[N], recursion(get(ctx->s[0]), get(ctx->s[M]), get(ctx->s[N - 1])));
        ctx->started = 1;
    }
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    ctx->keywords = keysize / 32;
    ctx->ivwords = ivsize / 32;
    ctx->L = (keysize + ivsize) / 64;
    for (i = 0; i < ctx->keywords; ++i)
        ctx->key[i] = U8TO32_LITTLE(key + 4 * i);
}

/* IV, key, IV, key, with digits of pi added at the end; L + 2 steps of the booter. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u32 L = ctx->L;
    const u32 half_L = L / 2;
    const u32 *first;
    u32(*s)[4] = ctx->s;
    u32 i;
    u32 j;

    for (i = 0; i < ctx->ivwords; ++i)
        s[i / 4][i % 4] = s[half_L + i / 4][i % 4] = U8TO32_LITTLE(iv + 4 * i);
    for (j = 0; j < ctx->keywords; ++i, ++j)
        s[i / 4][i % 4] = s[half_L + i / 4][i % 4] = ctx->key[j];
    first = s[ctx->ivwords / 16 * 4];
    for (j = 0; j < 4; ++j)
        ctx->acc[j] = first[j] | 1;
    s[L - 1][0] += 314159;
    s[L - 1][1] += 265358;
    s[L - 1][2] += 979323;
    s[L - 1][3] += 846264;

    boot(s, L, ctx->acc, L + 2);
    for (j = 0; j < 4; ++j)
        ctx->y[j] = s[2 * L + 1][j];
    for (i = 0; i < L; ++i)
        for (j = 0; j < 4; ++j)
            s[i][j] = s[L + 2 + i][j];
    ctx->started = 0;
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 last[BLOCK];
    u32 i;

    (void)action;
    for (; msglen >= BLOCK; msglen -= BLOCK, input += BLOCK, output += BLOCK)
        process(ctx, input, output, N / 2);

    if (msglen > 0) {
        for (i = 0; i < msglen; ++i)
            last[i] = input[i];
        for (; i % 16 != 0; ++i)
            last[i] = 0;
        process(ctx, last, last, i / 16);
        for (i = 0; i < msglen; ++i)
            output[i] = last[i];
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = 0;
    ECRYPT_process_bytes(0, ctx, keystream, keystream, length);
}
