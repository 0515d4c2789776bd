/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ChaCha20 and Poly1305 (RFC 8439), small in code and memory: one quarter round, numbers of 17
 * bytes, and one loop that takes in data, messages and ciphertexts.
 */

#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "crypto_verify_16.h"
#include <stdint.h>

#define TAG crypto_aead_ABYTES

typedef uint32_t word;
typedef unsigned char byte;

typedef struct {
    word matrix[16];
    byte block[64];
    byte r[17], s[16], h[17]; /* of Poly1305: least significant byte first */
} sealing;

static word left(word u, byte bits)
{
    return u << bits | u >> (32 - bits);
}

static word load(const byte *x)
{
    return x[0] | (word)x[1] << 8 | (word)x[2] << 16 | (word)x[3] << 24;
}

/* Sections 2.1 to 2.3: 80 quarter rounds, of columns and diagonals in turn; then it counts. */
static void next_block(sealing *a)
{
    word x[16];
    byte i, column, turn, q, r, s;

    for (i = 0; i < 16; ++i)
        x[i] = a->matrix[i];
    for (i = 0; i < 80; ++i) {
        column = i & 3;
        turn = i >> 2 & 1;
        q = 4 | ((column + turn) & 3);
        r = 8 | ((column + 2 * turn) & 3);
        s = 12 | ((column + 3 * turn) & 3);
        x[column] += x[q];
        x[s] = left(x[s] ^ x[column], 16);
        x[r] += x[s];
        x[q] = left(x[q] ^ x[r], 12);
        x[column] += x[q];
        x[s] = left(x[s] ^ x[column], 8);
        x[r] += x[s];
        x[q] = left(x[q] ^ x[r], 7);
    }
    for (i = 0; i < 64; ++i)
        a->block[i] = (byte)((x[i >> 2] + a->matrix[i >> 2]) >> 8 * (i & 3));
    ++a->matrix[12];
}

/* Adds 17 bytes; what is carried out of them is 0. */
static void add(byte h[17], const byte *x)
{
    word u = 0;
    byte i;

    for (i = 0; i < 17; ++i) {
        u += (word)h[i] + x[i];
        h[i] = (byte)u;
        u >>= 8;
    }
}

/*
 * h = h r modulo 2^130 - 5, below 2^130 + 2^8: 2^136 is 2^6 5 = 320. A sum of 17 products is
 * below 17 320 2^16 < 2^29.
 */
static void multiply(byte h[17], const byte r[17])
{
    word sum[17], u;
    byte i, j;

    for (i = 0; i < 17; ++i) {
        u = 0;
        for (j = 0; j < 17; ++j)
            u += (word)h[j] * r[j > i ? 17 + i - j : i - j] * (j > i ? 320 : 1);
        sum[i] = u;
    }
    for (j = 0; j < 2; ++j) { /* the second time carries what the first one brought from above */
        u = 0;
        for (i = 0; i < 17; ++i) {
            u += sum[i];
            sum[i] = u & (i < 16 ? 255 : 3);
            u >>= i < 16 ? 8 : 2;
        }
        sum[0] += 5 * u;
    }
    u = 0;
    for (i = 0; i < 17; ++i) {
        u += sum[i];
        h[i] = (byte)u;
        u >>= 8;
    }
}

/* Authenticates len bytes; encrypts them before it (`out`), or decrypts them behind it. */
static void absorb(sealing *a, byte *out, const byte *in, unsigned long long len, byte opens)
{
    byte part[17], at = 0, used = 64, i, c;

    for (; len; --len) {
        if (out && used == 64) {
            next_block(a);
            used = 0;
        }
        c = *in++;
        if (out) {
            *out = c ^ a->block[used++];
            if (!opens)
                c = *out;
            ++out;
        }
        part[at++] = c;
        if (at == 16 || len == 1) {
            for (i = at; i < 16; ++i)
                part[i] = 0;
            part[16] = 1;
            add(a->h, part);
            multiply(a->h, a->r);
            at = 0;
        }
    }
}

/* Section 2.6, and the associated data. */
static void start(sealing *a, const byte *k, const byte *npub, const byte *ad,
                  unsigned long long adlen)
{
    static const byte sigma[17] = "expand 32-byte k";
    byte i;

    for (i = 0; i < 16; ++i)
        a->matrix[i] = i < 4     ? load(sigma + 4 * i)
                       : i < 12  ? load(k + 4 * (i - 4))
                       : i == 12 ? 0
                                 : load(npub + 4 * (i - 13));
    next_block(a);
    for (i = 0; i < 16; ++i) {
        a->r[i] = a->block[i] & ((i & 3) == 3 ? 15 : i & 3 || !i ? 255 : 252);
        a->s[i] = a->block[16 + i];
        a->h[i] = 0;
    }
    a->r[16] = a->h[16] = 0;
    absorb(a, 0, ad, adlen, 0);
}

/* Section 2.8: both lengths; then h modulo 2^130 - 5, and s. */
static void finish(byte tag[TAG], sealing *a, unsigned long long adlen, unsigned long long len)
{
    static const byte five[17] = {5};
    byte lengths[16], g[17], i, keep;

    for (i = 0; i < 8; ++i) {
        lengths[i] = (byte)(adlen >> 8 * i);
        lengths[8 + i] = (byte)(len >> 8 * i);
    }
    absorb(a, 0, lengths, 16, 0);
    for (i = 0; i < 17; ++i)
        g[i] = a->h[i];
    add(g, five);
    keep = (byte)((g[16] >> 2) - 1); /* h + 5 reaches 2^130 if a bit is there */
    for (i = 0; i < 17; ++i)
        a->h[i] = (byte)((a->h[i] & keep) | (g[i] & ~keep));
    for (i = 0; i < 16; ++i)
        g[i] = a->s[i];
    g[16] = 0;
    add(g, a->h);
    for (i = 0; i < TAG; ++i)
        tag[i] = g[i];
}

int crypto_aead_encrypt(byte *c, unsigned long long *clen, const byte *m,
                        unsigned long long mlen, const byte *ad, unsigned long long adlen,
                        const byte *nsec, const byte *npub, const byte *k)
{
    sealing a;

    (void)nsec;
    start(&a, k, npub, ad, adlen);
    absorb(&a, c, m, mlen, 0);
    finish(c + mlen, &a, adlen, mlen);
    *clen = mlen + TAG;
    return 0;
}

int crypto_aead_decrypt(byte *m, unsigned long long *mlen, byte *nsec, const byte *c,
                        unsigned long long clen, const byte *ad, unsigned long long adlen,
                        const byte *npub, const byte *k)
{
    unsigned long long len = clen - TAG;
    byte tag[TAG];
    sealing a;
    int wrong;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(&a, k, npub, ad, adlen);
    absorb(&a, m, c, len, 1);
    finish(tag, &a, adlen, len);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    *mlen = len;
    for (; wrong && len; --len)
        *m++ = 0;
    return wrong;
}
