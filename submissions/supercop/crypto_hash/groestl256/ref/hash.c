/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Groestl-256: Gauravaram and others: Groestl, a SHA-3 candidate (2011, final round): the
 * hash is section 3.2, the permutations 3.4, the first value 3.5, padding 3.6. The S-box is
 * that of AES, looked up: addresses depend on the message.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define COLUMNS 8
#define BLOCK 64
#define ROUNDS 10

static const unsigned char S[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

/* ShiftBytes: how far each row moves to the left, in P and in Q. */
static const unsigned char shift[2][8] = {
    {0, 1, 2, 3, 4, 5, 6, 7},
    {1, 3, 5, 7, 0, 2, 4, 6},
};

/* MixBytes: the first row of the circulant matrix. */
static const unsigned char matrix[8] = {2, 2, 3, 4, 5, 3, 5, 7};

/* The product with x in GF(2^8), whose polynomial is x^8 + x^4 + x^3 + x + 1. */
static unsigned char twice(unsigned char a)
{
    return (unsigned char)((a << 1 ^ (a >> 7) * 0x1b) & 255);
}

/* a[column][row]; is_q says which of the two permutations. */
static void add_round_constant(unsigned char a[COLUMNS][8], int round, int is_q)
{
    int column, row;

    for (column = 0; column < COLUMNS; ++column) {
        if (is_q)
            for (row = 0; row < 8; ++row)
                a[column][row] ^= 0xff;
        a[column][is_q ? 7 : 0] ^= (unsigned char)(column << 4 ^ round);
    }
}

static void sub_and_shift_bytes(unsigned char a[COLUMNS][8], int is_q)
{
    unsigned char moved[COLUMNS][8];
    int column, row;

    for (column = 0; column < COLUMNS; ++column)
        for (row = 0; row < 8; ++row)
            moved[column][row] = S[a[(column + shift[is_q][row]) % COLUMNS][row]];
    for (column = 0; column < COLUMNS; ++column)
        for (row = 0; row < 8; ++row)
            a[column][row] = moved[column][row];
}

static void mix_column(unsigned char a[8])
{
    unsigned char times[8][8] = {{0}}; /* times[k][i] is k a[i] */
    int row, i;

    for (i = 0; i < 8; ++i) {
        times[1][i] = a[i];
        times[2][i] = twice(a[i]);
        times[4][i] = twice(times[2][i]);
        times[3][i] = times[2][i] ^ a[i];
        times[5][i] = times[4][i] ^ a[i];
        times[7][i] = times[4][i] ^ times[3][i];
    }
    for (row = 0; row < 8; ++row) {
        a[row] = 0;
        for (i = 0; i < 8; ++i)
            a[row] ^= times[matrix[(i - row + 8) % 8]][i];
    }
}

static void permute(unsigned char out[BLOCK], const unsigned char in[BLOCK], int is_q)
{
    unsigned char a[COLUMNS][8];
    int column, i;

    for (i = 0; i < BLOCK; ++i)
        a[i / 8][i % 8] = in[i];
    for (i = 0; i < ROUNDS; ++i) {
        add_round_constant(a, i, is_q);
        sub_and_shift_bytes(a, is_q);
        for (column = 0; column < COLUMNS; ++column)
            mix_column(a[column]);
    }
    for (i = 0; i < BLOCK; ++i)
        out[i] = a[i / 8][i % 8];
}

static void compress(unsigned char h[BLOCK], const unsigned char m[BLOCK])
{
    unsigned char p[BLOCK], q[BLOCK];
    int i;

    for (i = 0; i < BLOCK; ++i)
        p[i] = h[i] ^ m[i];
    permute(p, p, 0);
    permute(q, m, 1);
    for (i = 0; i < BLOCK; ++i)
        h[i] ^= p[i] ^ q[i];
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    unsigned char last[2 * BLOCK] = {0};
    unsigned char h[BLOCK] = {0};
    unsigned long long blocks = inlen / BLOCK;
    unsigned int size, i;

    h[BLOCK - 2] = crypto_hash_BYTES * 8 / 256;
    h[BLOCK - 1] = crypto_hash_BYTES * 8 % 256;
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    blocks += size / BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(blocks >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(h, last + i);
    permute(last, h, 0);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = h[BLOCK - crypto_hash_BYTES + i] ^ last[BLOCK - crypto_hash_BYTES + i];
    return 0;
}
