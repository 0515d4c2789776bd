/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Blue Midnight Wish 256, unrolled, as in the second round of the SHA-3 competition: Gligoroski,
 * Klima: Cryptographic hash function Blue Midnight Wish (2009): padding is section 3.1, the first
 * double pipe 3.2, the functions f0, f1, f2 and their tables 3.3 (tables 2.1 to 2.4), the hash
 * with its final invocation section 4.
 */

#include <stdint.h>
#include "crypto_hash.h"

typedef uint32_t word;

#define WORD 4 /* bytes */
#define BLOCK (16 * WORD)
#define LENGTH 8 /* bytes at the end of the padding */
/* The bytes of the first double pipe are FIRST, FIRST + 1, ... from its first word's top. */
#define FIRST 0x40

/* The constant of f1: word number j of Q adds j times it. */
#define STEP (~(word)0 / 48)

#define LEFT(u, bits) ((u) << (bits) | (u) >> (8 * WORD - (bits)))

#define S0(u) ((u) >> 1 ^ (u) << 3 ^ LEFT(u, 4) ^ LEFT(u, 19))
#define S1(u) ((u) >> 1 ^ (u) << 2 ^ LEFT(u, 8) ^ LEFT(u, 23))
#define S2(u) ((u) >> 2 ^ (u) << 1 ^ LEFT(u, 12) ^ LEFT(u, 25))
#define S3(u) ((u) >> 2 ^ (u) << 2 ^ LEFT(u, 15) ^ LEFT(u, 29))
#define S4(u) ((u) >> 1 ^ (u))
#define S5(u) ((u) >> 2 ^ (u))

/* What both kinds of expansion add for word number 16 + i; R is M, each word rotated. */
#define ELEMENT(i)                                                                                \
    ((R[i] + R[((i) + 3) % 16] - R[((i) + 10) % 16] + (word)(16 + (i)) * STEP) ^ H[((i) + 7) % 16])

#define EXPAND_1(i)                                                                               \
    (Q[16 + (i)] = S1(Q[i]) + S2(Q[(i) + 1]) + S3(Q[(i) + 2]) + S0(Q[(i) + 3]) +                  \
                   S1(Q[(i) + 4]) + S2(Q[(i) + 5]) + S3(Q[(i) + 6]) + S0(Q[(i) + 7]) +            \
                   S1(Q[(i) + 8]) + S2(Q[(i) + 9]) + S3(Q[(i) + 10]) + S0(Q[(i) + 11]) +          \
                   S1(Q[(i) + 12]) + S2(Q[(i) + 13]) + S3(Q[(i) + 14]) + S0(Q[(i) + 15]) +        \
                   ELEMENT(i))

/* `sum` is the one of Q[i], Q[i + 2] to Q[i + 12]; it goes on to i + 2. */
#define EXPAND_2(i, sum)                                                                          \
    do {                                                                                          \
        Q[16 + (i)] = sum + LEFT(Q[(i) + 1], 3) + LEFT(Q[(i) + 3], 7) + LEFT(Q[(i) + 5], 13) +    \
                      LEFT(Q[(i) + 7], 16) + LEFT(Q[(i) + 9], 19) + LEFT(Q[(i) + 11], 23) +       \
                      LEFT(Q[(i) + 13], 27) + S4(Q[(i) + 14]) + S5(Q[(i) + 15]) + ELEMENT(i);     \
        sum += Q[(i) + 14] - Q[i];                                                                \
    } while (0)

#define X(i) (M[i] ^ H[i])

static word load(const unsigned char *x)
{
    return (word)x[0] | (word)x[1] << 8 | (word)x[2] << 16 | (word)x[3] << 24;
}

static void compress(word H[16], const word M[16])
{
    word Q[32], R[16];
    word even, odd, XL, XH;
    int i;

    for (i = 0; i < 16; ++i)
        R[i] = M[i] << (i + 1) | M[i] >> (8 * WORD - 1 - i);

    Q[0] = X(5) - X(7) + X(10) + X(13) + X(14);
    Q[1] = X(6) - X(8) + X(11) + X(14) - X(15);
    Q[2] = X(0) + X(7) + X(9) - X(12) + X(15);
    Q[3] = X(0) - X(1) + X(8) - X(10) + X(13);
    Q[4] = X(1) + X(2) + X(9) - X(11) - X(14);
    Q[5] = X(3) - X(2) + X(10) - X(12) + X(15);
    Q[6] = X(4) - X(0) - X(3) - X(11) + X(13);
    Q[7] = X(1) - X(4) - X(5) - X(12) - X(14);
    Q[8] = X(2) - X(5) - X(6) + X(13) - X(15);
    Q[9] = X(0) - X(3) + X(6) - X(7) + X(14);
    Q[10] = X(8) - X(1) - X(4) - X(7) + X(15);
    Q[11] = X(8) - X(0) - X(2) - X(5) + X(9);
    Q[12] = X(1) + X(3) - X(6) - X(9) + X(10);
    Q[13] = X(2) + X(4) + X(7) + X(10) + X(11);
    Q[14] = X(3) - X(5) + X(8) - X(11) - X(12);
    Q[15] = X(12) - X(4) - X(6) - X(9) + X(13);

    Q[0] = S0(Q[0]) + H[1];
    Q[1] = S1(Q[1]) + H[2];
    Q[2] = S2(Q[2]) + H[3];
    Q[3] = S3(Q[3]) + H[4];
    Q[4] = S4(Q[4]) + H[5];
    Q[5] = S0(Q[5]) + H[6];
    Q[6] = S1(Q[6]) + H[7];
    Q[7] = S2(Q[7]) + H[8];
    Q[8] = S3(Q[8]) + H[9];
    Q[9] = S4(Q[9]) + H[10];
    Q[10] = S0(Q[10]) + H[11];
    Q[11] = S1(Q[11]) + H[12];
    Q[12] = S2(Q[12]) + H[13];
    Q[13] = S3(Q[13]) + H[14];
    Q[14] = S4(Q[14]) + H[15];
    Q[15] = S0(Q[15]) + H[0];

    EXPAND_1(0);
    EXPAND_1(1);
    even = Q[2] + Q[4] + Q[6] + Q[8] + Q[10] + Q[12] + Q[14];
    odd = Q[3] + Q[5] + Q[7] + Q[9] + Q[11] + Q[13] + Q[15];
    EXPAND_2(2, even);
    EXPAND_2(3, odd);
    EXPAND_2(4, even);
    EXPAND_2(5, odd);
    EXPAND_2(6, even);
    EXPAND_2(7, odd);
    EXPAND_2(8, even);
    EXPAND_2(9, odd);
    EXPAND_2(10, even);
    EXPAND_2(11, odd);
    EXPAND_2(12, even);
    EXPAND_2(13, odd);
    EXPAND_2(14, even);
    EXPAND_2(15, odd);

    XL = Q[16] ^ Q[17] ^ Q[18] ^ Q[19] ^ Q[20] ^ Q[21] ^ Q[22] ^ Q[23];
    XH = XL ^ Q[24] ^ Q[25] ^ Q[26] ^ Q[27] ^ Q[28] ^ Q[29] ^ Q[30] ^ Q[31];
    H[0] = (XH << 5 ^ Q[16] >> 5 ^ M[0]) + (XL ^ Q[24] ^ Q[0]);
    H[1] = (XH >> 7 ^ Q[17] << 8 ^ M[1]) + (XL ^ Q[25] ^ Q[1]);
    H[2] = (XH >> 5 ^ Q[18] << 5 ^ M[2]) + (XL ^ Q[26] ^ Q[2]);
    H[3] = (XH >> 1 ^ Q[19] << 5 ^ M[3]) + (XL ^ Q[27] ^ Q[3]);
    H[4] = (XH >> 3 ^ Q[20] ^ M[4]) + (XL ^ Q[28] ^ Q[4]);
    H[5] = (XH << 6 ^ Q[21] >> 6 ^ M[5]) + (XL ^ Q[29] ^ Q[5]);
    H[6] = (XH >> 4 ^ Q[22] << 6 ^ M[6]) + (XL ^ Q[30] ^ Q[6]);
    H[7] = (XH >> 11 ^ Q[23] << 2 ^ M[7]) + (XL ^ Q[31] ^ Q[7]);
    H[8] = LEFT(H[4], 9) + (XH ^ Q[24] ^ M[8]) + (XL << 8 ^ Q[23] ^ Q[8]);
    H[9] = LEFT(H[5], 10) + (XH ^ Q[25] ^ M[9]) + (XL >> 6 ^ Q[16] ^ Q[9]);
    H[10] = LEFT(H[6], 11) + (XH ^ Q[26] ^ M[10]) + (XL << 6 ^ Q[17] ^ Q[10]);
    H[11] = LEFT(H[7], 12) + (XH ^ Q[27] ^ M[11]) + (XL << 4 ^ Q[18] ^ Q[11]);
    H[12] = LEFT(H[0], 13) + (XH ^ Q[28] ^ M[12]) + (XL >> 3 ^ Q[19] ^ Q[12]);
    H[13] = LEFT(H[1], 14) + (XH ^ Q[29] ^ M[13]) + (XL >> 4 ^ Q[20] ^ Q[13]);
    H[14] = LEFT(H[2], 15) + (XH ^ Q[30] ^ M[14]) + (XL >> 7 ^ Q[21] ^ Q[14]);
    H[15] = LEFT(H[3], 16) + (XH ^ Q[31] ^ M[15]) + (XL >> 2 ^ Q[22] ^ Q[15]);
}

static void take(word H[16], const unsigned char block[BLOCK])
{
    word M[16];
    int i;

    for (i = 0; i < 16; ++i)
        M[i] = load(block + WORD * i);
    compress(H, M);
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    const unsigned long long total = inlen;
    unsigned char last[2 * BLOCK] = {0};
    word H[16] = {0}, final[16];
    const word *const digest = final + 16 - crypto_hash_BYTES / WORD;
    unsigned int size, i;

    for (i = 0; i < BLOCK; ++i)
        H[i / WORD] |= (word)(FIRST + i) << 8 * (WORD - 1 - i % WORD);
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        take(H, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < BLOCK - LENGTH ? BLOCK : 2 * BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - LENGTH + i] = (unsigned char)(total << 3 >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        take(H, last + i);
    for (i = 0; i < 16; ++i) /* aa..a0 to aa..af */
        final[i] = ~(word)0 / 3 * 2 - 10 + i;
    compress(final, H);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(digest[i / WORD] >> 8 * (i % WORD) & 255);
    return 0;
}
