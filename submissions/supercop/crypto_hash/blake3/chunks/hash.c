/* SPDX-License-Identifier: CC0-1.0 */
/*
 * BLAKE3 with 32 bytes of output and no key, eight chunks at once where there is AVX2:
 * O'Connor, Aumasson, Neves, Wilcox-O'Hearn: BLAKE3 (2020): the tree is section 2.1, tables are
 * section 2.2 with the compression, chunks 2.4, parents 2.5.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64
#define CHUNK 1024
#define ROUNDS 7
#define DEPTH 54 /* of the tree, at most */

enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8 };

/* Table 1. */
static const uint32_t IV[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

/* Table 2, applied again and again: which words of the message each round takes. */
static const unsigned char schedule[ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1},
    {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4},
    {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13},
};

/* Chaining values of complete subtrees, left of the chunk that is taken now. */
struct stack {
    uint32_t value[DEPTH][8];
    int height;
};

#define RIGHT(u, bits) ((u) >> (bits) | (u) << (32 - (bits)))

#define MIX(a, b, c, d, x, y)                                                                     \
    do {                                                                                          \
        v[a] += v[b] + m[x];                                                                      \
        v[d] = RIGHT(v[d] ^ v[a], 16);                                                            \
        v[c] += v[d];                                                                             \
        v[b] = RIGHT(v[b] ^ v[c], 12);                                                            \
        v[a] += v[b] + m[y];                                                                      \
        v[d] = RIGHT(v[d] ^ v[a], 8);                                                             \
        v[c] += v[d];                                                                             \
        v[b] = RIGHT(v[b] ^ v[c], 7);                                                             \
    } while (0)

#define ROUND(s)                                                                                  \
    do {                                                                                          \
        MIX(0, 4, 8, 12, (s)[0], (s)[1]);                                                         \
        MIX(1, 5, 9, 13, (s)[2], (s)[3]);                                                         \
        MIX(2, 6, 10, 14, (s)[4], (s)[5]);                                                        \
        MIX(3, 7, 11, 15, (s)[6], (s)[7]);                                                        \
        MIX(0, 5, 10, 15, (s)[8], (s)[9]);                                                        \
        MIX(1, 6, 11, 12, (s)[10], (s)[11]);                                                      \
        MIX(2, 7, 8, 13, (s)[12], (s)[13]);                                                       \
        MIX(3, 4, 9, 14, (s)[14], (s)[15]);                                                       \
    } while (0)

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] | (uint32_t)x[1] << 8 | (uint32_t)x[2] << 16 | (uint32_t)x[3] << 24;
}

/* h becomes the first half of the output. */
static void compress(uint32_t h[8], const uint32_t m[16], uint64_t chunk, uint32_t length,
                     uint32_t flags)
{
    uint32_t v[16];
    int i;

    for (i = 0; i < 8; ++i)
        v[i] = h[i];
    for (i = 0; i < 4; ++i)
        v[8 + i] = IV[i];
    v[12] = (uint32_t)chunk;
    v[13] = (uint32_t)(chunk >> 32);
    v[14] = length;
    v[15] = flags;
    ROUND(schedule[0]);
    ROUND(schedule[1]);
    ROUND(schedule[2]);
    ROUND(schedule[3]);
    ROUND(schedule[4]);
    ROUND(schedule[5]);
    ROUND(schedule[6]);
    for (i = 0; i < 8; ++i)
        h[i] = v[i] ^ v[8 + i];
}

/* Section 2.4: the chaining value of a chunk of `length` bytes; `last` flags its last block. */
static void take_chunk(uint32_t h[8], const unsigned char *in, unsigned int length,
                       uint64_t number, uint32_t last)
{
    unsigned char block[BLOCK] = {0};
    uint32_t m[16];
    uint32_t flags = CHUNK_START;
    unsigned int i;

    for (i = 0; i < 8; ++i)
        h[i] = IV[i];
    for (; length > BLOCK; in += BLOCK, length -= BLOCK) {
        for (i = 0; i < 16; ++i)
            m[i] = load(in + 4 * i);
        compress(h, m, number, BLOCK, flags);
        flags = 0;
    }
    for (i = 0; i < length; ++i)
        block[i] = in[i];
    for (i = 0; i < 16; ++i)
        m[i] = load(block + 4 * i);
    compress(h, m, number, length, flags | last);
}

#if defined(__AVX2__)
#include <immintrin.h>

#define LANES 8

typedef __m256i lanes;

#define add(a, b) _mm256_add_epi32(a, b)
#define xor(a, b) _mm256_xor_si256(a, b)
#define all(u) _mm256_set1_epi32((int)(u))

#if defined(__AVX512VL__)
#define right(a, bits) _mm256_ror_epi32(a, bits)
#else
static inline lanes right(lanes a, int bits)
{
    if (bits == 16)
        return _mm256_shuffle_epi8(
            a, _mm256_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13, 2, 3, 0, 1,
                                6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
    if (bits == 8)
        return _mm256_shuffle_epi8(
            a, _mm256_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12, 1, 2, 3, 0,
                                5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12));
    return _mm256_or_si256(_mm256_srli_epi32(a, bits), _mm256_slli_epi32(a, 32 - bits));
}

#endif

/* Eight words of each of eight chunks: m[i] is word i of all. */
static inline void transpose(lanes m[8], const unsigned char *in)
{
    lanes row[8], t[8], u[8];
    int i;

    for (i = 0; i < 8; ++i)
        row[i] = _mm256_loadu_si256((const lanes *)(const void *)(in + CHUNK * i));
    for (i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_epi32(row[i], row[i + 1]);
        t[i + 1] = _mm256_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (i = 0; i < 8; i += 4) {
        u[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
        u[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
        u[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
        u[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    for (i = 0; i < 4; ++i) {
        m[i] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x20);
        m[4 + i] = _mm256_permute2x128_si256(u[i], u[4 + i], 0x31);
    }
}

static inline lanes get(const uint32_t from[LANES])
{
    return _mm256_loadu_si256((const lanes *)(const void *)from);
}

static inline void put(uint32_t to[LANES], lanes a)
{
    _mm256_storeu_si256((lanes *)(void *)to, a);
}
#endif

#if defined(LANES)

#define MIX_LANES(a, b, c, d, x, y)                                                               \
    do {                                                                                          \
        v[a] = add(v[a], add(v[b], m[x]));                                                        \
        v[d] = right(xor(v[d], v[a]), 16);                                                        \
        v[c] = add(v[c], v[d]);                                                                   \
        v[b] = right(xor(v[b], v[c]), 12);                                                        \
        v[a] = add(v[a], add(v[b], m[y]));                                                        \
        v[d] = right(xor(v[d], v[a]), 8);                                                         \
        v[c] = add(v[c], v[d]);                                                                   \
        v[b] = right(xor(v[b], v[c]), 7);                                                         \
    } while (0)

#define ROUND_LANES(s)                                                                            \
    do {                                                                                          \
        MIX_LANES(0, 4, 8, 12, (s)[0], (s)[1]);                                                   \
        MIX_LANES(1, 5, 9, 13, (s)[2], (s)[3]);                                                   \
        MIX_LANES(2, 6, 10, 14, (s)[4], (s)[5]);                                                  \
        MIX_LANES(3, 7, 11, 15, (s)[6], (s)[7]);                                                  \
        MIX_LANES(0, 5, 10, 15, (s)[8], (s)[9]);                                                  \
        MIX_LANES(1, 6, 11, 12, (s)[10], (s)[11]);                                                \
        MIX_LANES(2, 7, 8, 13, (s)[12], (s)[13]);                                                 \
        MIX_LANES(3, 4, 9, 14, (s)[14], (s)[15]);                                                 \
    } while (0)

/* The chaining values of LANES complete chunks, from chunk `number` on. */
static void take_chunks(uint32_t values[LANES][8], const unsigned char *in, uint64_t number)
{
    uint32_t words[LANES], low[LANES], high[LANES];
    lanes h[8], v[16], m[16], chunk[2];
    int i, j, block;

    for (i = 0; i < LANES; ++i) {
        low[i] = (uint32_t)(number + (unsigned int)i);
        high[i] = (uint32_t)((number + (unsigned int)i) >> 32);
    }
    chunk[0] = get(low);
    chunk[1] = get(high);
    for (i = 0; i < 8; ++i)
        h[i] = all(IV[i]);
    for (block = 0; block < CHUNK / BLOCK; ++block) {
        transpose(m, in + BLOCK * block);
        transpose(m + 8, in + BLOCK * block + BLOCK / 2);
        for (i = 0; i < 8; ++i)
            v[i] = h[i];
        for (i = 0; i < 4; ++i)
            v[8 + i] = all(IV[i]);
        v[12] = chunk[0];
        v[13] = chunk[1];
        v[14] = all(BLOCK);
        v[15] = all(block == 0 ? CHUNK_START : block == CHUNK / BLOCK - 1 ? CHUNK_END : 0);
        ROUND_LANES(schedule[0]);
        ROUND_LANES(schedule[1]);
        ROUND_LANES(schedule[2]);
        ROUND_LANES(schedule[3]);
        ROUND_LANES(schedule[4]);
        ROUND_LANES(schedule[5]);
        ROUND_LANES(schedule[6]);
        for (i = 0; i < 8; ++i)
            h[i] = xor(v[i], v[8 + i]);
    }
    for (i = 0; i < 8; ++i) {
        put(words, h[i]);
        for (j = 0; j < LANES; ++j)
            values[j][i] = words[j];
    }
}
#endif

/* Section 2.5: h becomes the parent of the topmost value of the stack and of h. */
static void join(struct stack *stack, uint32_t h[8], uint32_t flags)
{
    uint32_t m[16];
    int i;

    --stack->height;
    for (i = 0; i < 8; ++i) {
        m[i] = stack->value[stack->height][i];
        m[8 + i] = h[i];
        h[i] = IV[i];
    }
    compress(h, m, 0, BLOCK, PARENT | flags);
}

/* Section 2.1: chunk number `number` has the value h, and more will follow. */
static void append(struct stack *stack, uint32_t h[8], uint64_t number)
{
    uint64_t complete;
    int i;

    for (complete = number + 1; complete % 2 == 0; complete /= 2)
        join(stack, h, 0);
    for (i = 0; i < 8; ++i)
        stack->value[stack->height][i] = h[i];
    ++stack->height;
}

/* The last chunk, or the only one, has the value h. */
static int finish(unsigned char *out, struct stack *stack, uint32_t h[8])
{
    unsigned int i;

    while (stack->height > 0)
        join(stack, h, stack->height == 1 ? ROOT : 0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    struct stack stack;
    uint32_t h[8];
    uint64_t number = 0;
#if defined(LANES)
    unsigned int i;
    uint32_t values[LANES][8];
#endif

    stack.height = 0;
#if defined(LANES)
    for (; inlen >= LANES * CHUNK; in += LANES * CHUNK, inlen -= LANES * CHUNK) {
        take_chunks(values, in, number);
        for (i = 0; i < LANES - 1; ++i)
            append(&stack, values[i], number++);
        if (inlen == LANES * CHUNK)
            return finish(out, &stack, values[i]);
        append(&stack, values[i], number++);
    }
#endif
    for (; inlen > CHUNK; in += CHUNK, inlen -= CHUNK, ++number) {
        take_chunk(h, in, CHUNK, number, CHUNK_END);
        append(&stack, h, number);
    }
    take_chunk(h, in, (unsigned int)inlen, number, number > 0 ? CHUNK_END : CHUNK_END | ROOT);
    return finish(out, &stack, h);
}
