/* SPDX-License-Identifier: CC0-1.0 */
/*
 * BLAKE3 with 32 bytes of output and no key: O'Connor, Aumasson, Neves, Wilcox-O'Hearn: BLAKE3
 * (2020): tables are section 2.2 with the compression, chunks 2.4, parents 2.5.
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

/* Table 2: from each round to the next, words of the message are permuted so. */
static const unsigned char permutation[16] = {
    2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8,
};

/* Chaining values of complete subtrees, left of the chunk that is taken now. */
struct stack {
    uint32_t value[DEPTH][8];
    int height;
};

static uint32_t right(uint32_t u, int bits)
{
    return u >> bits | u << (32 - bits);
}

static void mix(uint32_t v[16], int a, int b, int c, int d, uint32_t x, uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = right(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = right(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = right(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = right(v[b] ^ v[c], 7);
}

static void permute(uint32_t m[16])
{
    uint32_t old[16];
    int i;

    for (i = 0; i < 16; ++i)
        old[i] = m[i];
    for (i = 0; i < 16; ++i)
        m[i] = old[permutation[i]];
}

/* h becomes the first half of the output; m is used up. */
static void compress(uint32_t h[8], uint32_t m[16], uint64_t chunk, uint32_t length,
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
    for (i = 0; i < ROUNDS; ++i) {
        mix(v, 0, 4, 8, 12, m[0], m[1]);
        mix(v, 1, 5, 9, 13, m[2], m[3]);
        mix(v, 2, 6, 10, 14, m[4], m[5]);
        mix(v, 3, 7, 11, 15, m[6], m[7]);
        mix(v, 0, 5, 10, 15, m[8], m[9]);
        mix(v, 1, 6, 11, 12, m[10], m[11]);
        mix(v, 2, 7, 8, 13, m[12], m[13]);
        mix(v, 3, 4, 9, 14, m[14], m[15]);
        permute(m);
    }
    for (i = 0; i < 8; ++i)
        h[i] = v[i] ^ v[8 + i];
}

/* Section 2.4: the chaining value of a chunk of `length` bytes; `last` flags its last block. */
static void take_chunk(uint32_t h[8], const unsigned char *in, unsigned int length,
                       uint64_t number, uint32_t last)
{
    uint32_t m[16];
    unsigned int i, taken = 0, size;
    uint32_t flags = CHUNK_START;

    for (i = 0; i < 8; ++i)
        h[i] = IV[i];
    do {
        size = length - taken < BLOCK ? length - taken : BLOCK;
        for (i = 0; i < 16; ++i)
            m[i] = 0;
        for (i = 0; i < size; ++i)
            m[i / 4] |= (uint32_t)in[taken + i] << 8 * (i % 4);
        taken += size;
        if (taken == length)
            flags |= last;
        compress(h, m, number, size, flags);
        flags = 0;
    } while (taken < length);
}

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

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    struct stack stack;
    uint32_t root = ROOT;
    uint32_t h[8];
    uint64_t number = 0, complete;
    unsigned int i;

    stack.height = 0;
    for (; inlen > CHUNK; in += CHUNK, inlen -= CHUNK) {
        take_chunk(h, in, CHUNK, number, CHUNK_END);
        ++number;
        for (complete = number; complete % 2 == 0; complete /= 2)
            join(&stack, h, 0);
        for (i = 0; i < 8; ++i)
            stack.value[stack.height][i] = h[i];
        ++stack.height;
        root = 0; /* the last chunk is not the root */
    }
    take_chunk(h, in, (unsigned int)inlen, number, CHUNK_END | root);
    while (stack.height > 0)
        join(&stack, h, stack.height == 1 ? ROOT : 0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> 8 * (i % 4) & 255);
    return 0;
}
