/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Edon-R-256: Gligoroski and others: Cryptographic hash function Edon-R (2008), as submitted to
 * NIST: the quasigroup operation is section 2.2 with its two orthogonal Latin squares, the
 * hash section 2.4: each block of the message, in words X, is mixed into a double pipe of
 * sixteen words by four rows of two quasigroup operations.
 */

#include <stdint.h>
#include "crypto_hash.h"

typedef uint32_t word;

#define WORD 4 /* bytes */
#define BLOCK (16 * WORD)
#define LENGTH 8 /* bytes at the end of the padding */

/* The bytes of the first double pipe are FIRST, FIRST + 1, ... from its first word's top. */
#define FIRST 0x40

/*
 * Each operand is multiplied with two matrices that its Latin square, read downwards, gives:
 * its first five rows are the words that are added up, the last three those that are xored.
 */
static const unsigned char square[2][8][8] = {
    {
        {0, 7, 1, 3, 2, 4, 6, 5},
        {4, 1, 7, 6, 3, 0, 5, 2},
        {7, 0, 4, 2, 5, 3, 1, 6},
        {1, 4, 0, 5, 6, 2, 7, 3},
        {2, 3, 6, 7, 1, 5, 0, 4},
        {5, 2, 3, 1, 7, 6, 4, 0},
        {3, 6, 5, 0, 4, 7, 2, 1},
        {6, 5, 2, 4, 0, 1, 3, 7},
    },
    {
        {0, 4, 2, 3, 1, 6, 5, 7},
        {7, 6, 3, 2, 5, 4, 1, 0},
        {5, 3, 1, 6, 0, 2, 7, 4},
        {1, 0, 5, 4, 3, 7, 2, 6},
        {2, 1, 0, 7, 4, 5, 6, 3},
        {3, 5, 7, 0, 6, 1, 4, 2},
        {4, 7, 6, 1, 2, 0, 3, 5},
        {6, 2, 4, 5, 7, 3, 0, 1},
    },
};

/* Added to the first word, then how far each is rotated to the left. */
static const word constant[2] = {~(word)0 / 3 * 2, ~(word)0 / 3};

static const unsigned char rotation[2][8] = {
    {0, 4, 8, 13, 17, 22, 24, 29},
    {0, 5, 9, 11, 15, 20, 25, 27},
};

static word left(word u, int bits)
{
    return u << bits | u >> (8 * WORD - 1 - bits) >> 1;
}

/* One of the two permutations of 8 words. */
static void transform(word to[8], const word from[8], int which)
{
    word sum[8];
    int i, row;

    for (i = 0; i < 8; ++i) {
        sum[i] = i == 0 ? constant[which] : 0;
        for (row = 0; row < 5; ++row)
            sum[i] += from[square[which][row][i]];
        sum[i] = left(sum[i], rotation[which][i]);
    }
    for (i = 0; i < 8; ++i)
        to[i] = sum[square[which][5][i]] ^ sum[square[which][6][i]] ^ sum[square[which][7][i]];
}

/* The quasigroup operation; z may be x or y. */
static void multiply(word z[8], const word x[8], const word y[8])
{
    word a[8], b[8];
    int i;

    transform(a, x, 0);
    transform(b, y, 1);
    for (i = 0; i < 8; ++i)
        z[(i + 5) % 8] = a[i] + b[i];
}

/* The function R: `pipe` is P, 0 and 1 are its halves; so are those of the block X. */
static void compress(word pipe[2][8], const unsigned char block[BLOCK])
{
    word X[2][8] = {{0}}, reversed[2][8], v[2][8];
    int i;

    for (i = 0; i < BLOCK; ++i)
        X[i / WORD / 8][i / WORD % 8] |= (word)block[i] << 8 * (i % WORD);
    for (i = 0; i < 8; ++i) {
        reversed[0][i] = X[0][7 - i];
        reversed[1][i] = X[1][7 - i];
    }
    multiply(v[0], reversed[1], X[0]);
    multiply(v[1], v[0], X[1]);
    multiply(v[0], pipe[1], v[0]);
    multiply(v[1], v[0], v[1]);
    multiply(v[0], v[0], pipe[0]);
    multiply(v[1], v[1], v[0]);
    multiply(pipe[0], reversed[0], v[0]);
    multiply(pipe[1], pipe[0], v[1]);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    const unsigned long long total = inlen;
    unsigned char last[2 * BLOCK] = {0};
    word pipe[2][8] = {{0}};
    const word *const digest = pipe[1] + 8 - crypto_hash_BYTES / WORD;
    unsigned int size, i;

    for (i = 0; i < BLOCK; ++i)
        pipe[i / WORD / 8][i / WORD % 8] |= (word)(FIRST + i) << 8 * (WORD - 1 - i % WORD);
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(pipe, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < BLOCK - LENGTH ? BLOCK : 2 * BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - LENGTH + i] = (unsigned char)(total << 3 >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(pipe, last + i);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(digest[i / WORD] >> 8 * (i % WORD) & 255);
    return 0;
}
