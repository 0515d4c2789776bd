/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Blue Midnight Wish 256, as in the second round of the SHA-3 competition: Gligoroski, Klima:
 * Cryptographic hash function Blue Midnight Wish (2009): padding is section 3.1, the first
 * double pipe 3.2, the functions f0, f1, f2 and their tables 3.3 (tables 2.1 to 2.4), the hash
 * with its final invocation section 4.
 */

#include <stdint.h>
#include "crypto_hash.h"

typedef uint32_t word;

#define WORD 4 /* bytes */
#define BLOCK (16 * WORD)
#define LENGTH 8 /* bytes at the end of the padding */
#define EXPAND_1_ROUNDS 2

/* The bytes of the first double pipe are FIRST, FIRST + 1, ... from its first word's top. */
#define FIRST 0x40

/* The constant of f1: word number j of Q adds j times it. */
#define STEP (~(word)0 / 48)

/* s0 to s3: shifts to the right and left, two rotations to the left. */
static const unsigned char logical[4][4] = {
    {1, 3, 4, 19},
    {1, 2, 8, 23},
    {2, 1, 12, 25},
    {2, 2, 15, 29},
};

/* r1 to r7. */
static const unsigned char rotation[7] = {3, 7, 13, 16, 19, 23, 27};

/* f0: W[i] adds the words first, then second to fifth with the signs that `minus` lacks. */
static const struct {
    unsigned char word[5], minus[5];
} f0_table[16] = {
    {{5, 7, 10, 13, 14}, {0, 1, 0, 0, 0}}, {{6, 8, 11, 14, 15}, {0, 1, 0, 0, 1}},
    {{0, 7, 9, 12, 15}, {0, 0, 0, 1, 0}},  {{0, 1, 8, 10, 13}, {0, 1, 0, 1, 0}},
    {{1, 2, 9, 11, 14}, {0, 0, 0, 1, 1}},  {{3, 2, 10, 12, 15}, {0, 1, 0, 1, 0}},
    {{4, 0, 3, 11, 13}, {0, 1, 1, 1, 0}},  {{1, 4, 5, 12, 14}, {0, 1, 1, 1, 1}},
    {{2, 5, 6, 13, 15}, {0, 1, 1, 0, 1}},  {{0, 3, 6, 7, 14}, {0, 1, 0, 1, 0}},
    {{8, 1, 4, 7, 15}, {0, 1, 1, 1, 0}},   {{8, 0, 2, 5, 9}, {0, 1, 1, 1, 0}},
    {{1, 3, 6, 9, 10}, {0, 0, 1, 1, 0}},   {{2, 4, 7, 10, 11}, {0, 0, 0, 0, 0}},
    {{3, 5, 8, 11, 12}, {0, 1, 0, 1, 1}},  {{12, 4, 6, 9, 13}, {0, 1, 1, 1, 0}},
};

/* f2: shifts to the left, or to the right where negative. */
static const signed char xh_shift[8] = {5, -7, -5, -1, -3, 6, -4, -11};
static const signed char q_shift[8] = {-5, 8, 5, 5, 0, -6, 6, 2};
static const signed char xl_shift[8] = {8, -6, 6, 4, -3, -4, -7, -2};

static word left(word u, int bits)
{
    return u << bits | u >> (8 * WORD - bits);
}

static word shift(word u, int bits)
{
    return bits < 0 ? u >> -bits : u << bits;
}

static word s(int which, word u)
{
    const unsigned char *n;

    if (which > 3) /* s4 and s5 */
        return u >> (which - 3) ^ u;
    n = logical[which];
    return u >> n[0] ^ u << n[1] ^ left(u, n[2]) ^ left(u, n[3]);
}

static void f0(word Q[16], const word M[16], const word H[16])
{
    word W, term;
    int i, k;

    for (i = 0; i < 16; ++i) {
        W = 0;
        for (k = 0; k < 5; ++k) {
            term = M[f0_table[i].word[k]] ^ H[f0_table[i].word[k]];
            W += f0_table[i].minus[k] ? ~term + 1 : term;
        }
        Q[i] = s(i % 5, W) + H[(i + 1) % 16];
    }
}

/* What both kinds of expansion add for word number 16 + i. */
static word add_element(int i, const word M[16], const word H[16])
{
    const int j = (i + 3) % 16, k = (i + 10) % 16;
    word sum = left(M[i], i + 1) + left(M[j], j + 1) - left(M[k], k + 1);

    sum += (word)(16 + i) * STEP;
    return sum ^ H[(i + 7) % 16];
}

/* Q[i] to Q[i + 15] give Q[i + 16]. */
static word expand_1(const word q[16])
{
    word sum = 0;
    int k;

    for (k = 0; k < 16; ++k)
        sum += s((k + 1) % 4, q[k]);
    return sum;
}

static word expand_2(const word q[16])
{
    word sum = s(4, q[14]) + s(5, q[15]);
    int k;

    for (k = 0; k < 14; ++k)
        sum += k % 2 ? left(q[k], rotation[k / 2]) : q[k];
    return sum;
}

static void f1(word Q[32], const word M[16], const word H[16])
{
    int i;

    for (i = 0; i < 16; ++i)
        Q[16 + i] = (i < EXPAND_1_ROUNDS ? expand_1(Q + i) : expand_2(Q + i)) +
                    add_element(i, M, H);
}

static void f2(word H[16], const word M[16], const word Q[32])
{
    word XL = 0, XH;
    int i;

    for (i = 16; i < 24; ++i)
        XL ^= Q[i];
    XH = XL;
    for (i = 24; i < 32; ++i)
        XH ^= Q[i];
    for (i = 0; i < 8; ++i)
        H[i] = (shift(XH, xh_shift[i]) ^ shift(Q[16 + i], q_shift[i]) ^ M[i]) +
               (XL ^ Q[24 + i] ^ Q[i]);
    for (i = 0; i < 8; ++i)
        H[8 + i] = left(H[(i + 4) % 8], 9 + i) + (XH ^ Q[24 + i] ^ M[8 + i]) +
                   (shift(XL, xl_shift[i]) ^ Q[16 + (i + 7) % 8] ^ Q[8 + i]);
}

static void compress(word H[16], const word M[16])
{
    word Q[32];

    f0(Q, M, H);
    f1(Q, M, H);
    f2(H, M, Q);
}

static void take(word H[16], const unsigned char block[BLOCK])
{
    word M[16] = {0};
    int i;

    for (i = 0; i < BLOCK; ++i)
        M[i / WORD] |= (word)block[i] << 8 * (i % WORD);
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
