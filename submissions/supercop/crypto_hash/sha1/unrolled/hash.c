/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SHA-1, unrolled: FIPS 180-4 (2015): functions are section 4.1.1, constants 4.2.1, padding
 * 5.1.1, the first state 5.3.1, the rest 6.1.3 (a schedule of sixteen words). SHA-1 is broken:
 * it is here to be compared with.
 */

#include <stdint.h>
#include "crypto_hash.h"

#define BLOCK 64

static const uint32_t first_state[5] = {
    0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0,
};

#define LEFT(u, bits) ((u) << (bits) | (u) >> (32 - (bits)))

#define CH(x, y, z) ((((y) ^ (z)) & (x)) ^ (z))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))
#define MAJ(x, y, z) (((x) & (y)) | (((x) | (y)) & (z)))

/* Word t of the schedule, of which the last sixteen are kept. */
#define NEXT(t)                                                                                   \
    (W[(t) % 16] = LEFT(W[((t) + 13) % 16] ^ W[((t) + 8) % 16] ^ W[((t) + 2) % 16] ^ W[(t) % 16], \
                        1))
#define WORD(t) ((t) < 16 ? W[(t) % 16] : NEXT(t))

#define STEP(f, K, a, b, c, d, e, t)                                                              \
    do {                                                                                          \
        e += LEFT(a, 5) + f(b, c, d) + K + WORD(t);                                               \
        b = LEFT(b, 30);                                                                          \
    } while (0)

/* Five steps bring each word back to its place. */
#define FIVE(f, K, t)                                                                             \
    do {                                                                                          \
        STEP(f, K, a, b, c, d, e, t);                                                             \
        STEP(f, K, e, a, b, c, d, (t) + 1);                                                       \
        STEP(f, K, d, e, a, b, c, (t) + 2);                                                       \
        STEP(f, K, c, d, e, a, b, (t) + 3);                                                       \
        STEP(f, K, b, c, d, e, a, (t) + 4);                                                       \
    } while (0)

#define TWENTY(f, K, t)                                                                           \
    do {                                                                                          \
        FIVE(f, K, t);                                                                            \
        FIVE(f, K, (t) + 5);                                                                      \
        FIVE(f, K, (t) + 10);                                                                     \
        FIVE(f, K, (t) + 15);                                                                     \
    } while (0)

static uint32_t load(const unsigned char *x)
{
    return (uint32_t)x[0] << 24 | (uint32_t)x[1] << 16 | (uint32_t)x[2] << 8 | (uint32_t)x[3];
}

static void compress(uint32_t h[5], const unsigned char block[BLOCK])
{
    uint32_t W[16];
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    int i;

    for (i = 0; i < 16; ++i)
        W[i] = load(block + 4 * i);
    TWENTY(CH, 0x5a827999, 0);
    TWENTY(PARITY, 0x6ed9eba1, 20);
    TWENTY(MAJ, 0x8f1bbcdc, 40);
    TWENTY(PARITY, 0xca62c1d6, 60);
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

int crypto_hash(unsigned char *out, const unsigned char *in, unsigned long long inlen)
{
    const unsigned long long total = inlen;
    unsigned char last[2 * BLOCK] = {0};
    unsigned int size, i;
    uint32_t h[5];

    for (i = 0; i < 5; ++i)
        h[i] = first_state[i];
    for (; inlen >= BLOCK; in += BLOCK, inlen -= BLOCK)
        compress(h, in);
    for (i = 0; i < inlen; ++i)
        last[i] = in[i];
    last[inlen] = 0x80;
    size = inlen < 56 ? BLOCK : 2 * BLOCK;
    for (i = 0; i < 8; ++i)
        last[size - 1 - i] = (unsigned char)(total << 3 >> 8 * i & 255);
    for (i = 0; i < size; i += BLOCK)
        compress(h, last + i);
    for (i = 0; i < crypto_hash_BYTES; ++i)
        out[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)) & 255);
    return 0;
}
