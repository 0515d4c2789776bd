/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Edon-R-256, unrolled: Gligoroski and others: Cryptographic hash function Edon-R (2008), as
 * submitted to NIST: the quasigroup operation is section 2.2 with its two orthogonal Latin
 * squares, the hash section 2.4: each block of the message, in words X, is mixed into a double
 * pipe of sixteen words by four rows of two quasigroup operations.
 */

#include <stdint.h>
#include "crypto_hash.h"

typedef uint32_t word;

#define WORD 4 /* bytes */
#define BLOCK (16 * WORD)
#define LENGTH 8 /* bytes at the end of the padding */

/* The bytes of the first double pipe are FIRST, FIRST + 1, ... from its first word's top. */
#define FIRST 0x40

#define LEFT(u, bits) ((u) << (bits) | (u) >> (8 * WORD - (bits)))

static word load(const unsigned char *x)
{
    return (word)x[0] | (word)x[1] << 8 | (word)x[2] << 16 | (word)x[3] << 24;
}

/*
 * The quasigroup operation; z may be x or y. Each operand passes two steps: sums of five words,
 * rotated, then sums of three without carries; what several of them share is made once.
 */
static inline void multiply(word z[8], const word x[8], const word y[8])
{
    word s[8], a[8], p, q, r, u;

    p = x[0] + x[4];
    q = x[1] + x[7];
    r = x[2] + x[3];
    u = x[5] + x[6];
    s[0] = ~(word)0 / 3 * 2 + p + q + x[2];
    s[1] = LEFT(p + q + x[3], 4);
    s[2] = LEFT(p + q + x[6], 8);
    s[3] = LEFT(r + u + x[7], 13);
    s[4] = LEFT(r + u + x[1], 17);
    s[5] = LEFT(p + r + x[5], 22);
    s[6] = LEFT(q + u + x[0], 24);
    s[7] = LEFT(r + u + x[4], 29);
    p = s[0] ^ s[4];
    q = s[1] ^ s[7];
    r = s[2] ^ s[3];
    u = s[5] ^ s[6];
    a[0] = u ^ s[3];
    a[1] = u ^ s[2];
    a[2] = r ^ s[5];
    a[3] = p ^ s[1];
    a[4] = p ^ s[7];
    a[5] = q ^ s[6];
    a[6] = r ^ s[4];
    a[7] = q ^ s[0];

    p = y[0] + y[1];
    q = y[2] + y[5];
    r = y[3] + y[4];
    u = y[6] + y[7];
    s[0] = ~(word)0 / 3 + p + q + y[7];
    s[1] = LEFT(p + r + y[6], 5);
    s[2] = LEFT(p + q + y[3], 9);
    s[3] = LEFT(r + u + y[2], 11);
    s[4] = LEFT(p + r + y[5], 15);
    s[5] = LEFT(q + u + y[4], 20);
    s[6] = LEFT(q + u + y[1], 25);
    s[7] = LEFT(r + u + y[0], 27);
    p = s[0] ^ s[1];
    q = s[2] ^ s[5];
    r = s[3] ^ s[4];
    u = s[6] ^ s[7];
    z[5] = a[0] + (r ^ s[6]);
    z[6] = a[1] + (q ^ s[7]);
    z[7] = a[2] + (u ^ s[4]);
    z[0] = a[3] + (p ^ s[5]);
    z[1] = a[4] + (u ^ s[2]);
    z[2] = a[5] + (p ^ s[3]);
    z[3] = a[6] + (r ^ s[0]);
    z[4] = a[7] + (q ^ s[1]);
}

/* The function R: `pipe` is P, 0 and 1 are its halves; so are those of the block X. */
static void compress(word pipe[2][8], const unsigned char block[BLOCK])
{
    word X[2][8], reversed[2][8], v[2][8];
    int i;

    for (i = 0; i < 8; ++i) {
        X[0][i] = load(block + WORD * i);
        X[1][i] = load(block + WORD * (8 + i));
    }
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
