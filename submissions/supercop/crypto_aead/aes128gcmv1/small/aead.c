/* SPDX-License-Identifier: CC0-1.0 */
/*
 * AES-128-GCM (FIPS 197, SP 800-38D), small in code and memory: round keys are made on the way,
 * the S-box is computed, and one loop takes in data, messages and ciphertexts.
 */

#include "crypto_aead.h"
#include "crypto_declassify.h"
#include "crypto_verify_16.h"
#include <stdint.h>

#define TAG crypto_aead_ABYTES
#define NONCE crypto_aead_NPUBBYTES

typedef uint32_t word;
typedef unsigned char byte;

enum { COLUMNS = 0, BITS = 3 }; /* the first byte is the least, or the most significant one */

typedef struct {
    word key[4];
    word h[4];
    word y[4];
    byte counter[16];
    byte mask[16];
} gcm;

/* Adds 16 bytes to four words. */
static void add(word *w, const byte *x, byte order)
{
    byte i;

    for (i = 0; i < 16; ++i)
        w[i >> 2] ^= (word)x[i] << 8 * ((i ^ order) & 3);
}

static void clear(word *w)
{
    w[0] = w[1] = w[2] = w[3] = 0;
}

static word right(word u, byte bits)
{
    return u >> bits | u << (32 - bits);
}

/* In GF(2^8), for each byte. */
static word twice(word u)
{
    return (u & 0x7f7f7f7f) << 1 ^ (u >> 7 & 0x01010101) * 0x1b;
}

static word product(word u, word v)
{
    word sum = 0;
    byte i;

    for (i = 0; i < 8; ++i) {
        sum ^= u & (v & 0x01010101) * 255;
        u = twice(u);
        v >>= 1;
    }
    return sum;
}

/* 1/u = u^254, and the sum of five rotations. */
static word sub_bytes(word u)
{
    word v = u;
    byte i;

    for (i = 0; i < 6; ++i)
        v = product(product(v, v), u);
    u = v = product(v, v);
    for (i = 0; i < 4; ++i) {
        v = (v & 0x7f7f7f7f) << 1 | (v >> 7 & 0x01010101);
        u ^= v;
    }
    return u ^ 0x63636363;
}

static void encrypt(byte out[16], const byte in[16], const word first[4])
{
    word s[4], t[4], k[4], u, v, constant = 1;
    byte i, j, round;

    clear(s);
    add(s, in, COLUMNS);
    for (i = 0; i < 4; ++i)
        s[i] ^= k[i] = first[i];
    for (round = 10; round; --round) {
        u = sub_bytes(right(k[3], 8)) ^ constant;
        constant = twice(constant);
        for (i = 0; i < 4; ++i) {
            t[i] = sub_bytes(s[i]);
            u = k[i] ^= u;
        }
        for (i = 0; i < 4; ++i) {
            u = 0;
            for (j = 4; j--;)
                u = u << 8 | (t[(i + j) & 3] >> 8 * j & 255);
            v = right(u, 8);
            if (round > 1)
                u = twice(u ^ v) ^ v ^ right(u, 16) ^ right(u, 24);
            s[i] = u ^ k[i];
        }
    }
    for (i = 0; i < 16; ++i)
        out[i] = (byte)(s[i >> 2] >> 8 * (i & 3));
}

/* y = y h in GF(2^128). */
static void multiply(word y[4], const word h[4])
{
    word v[4], z[4], bit;
    byte i, j;

    clear(z);
    for (j = 0; j < 4; ++j)
        v[j] = h[j];
    for (i = 0; i < 128; ++i) {
        bit = 0 - (y[i >> 5] >> (31 - (i & 31)) & 1);
        for (j = 0; j < 4; ++j)
            z[j] ^= v[j] & bit;
        bit = 0 - (v[3] & 1);
        for (j = 3; j; --j)
            v[j] = v[j] >> 1 | v[j - 1] << 31;
        v[0] = v[0] >> 1 ^ (bit & 0xe1000000);
    }
    for (j = 0; j < 4; ++j)
        y[j] = z[j];
}

/* Authenticates len bytes; encrypts them before it (`out`), or decrypts them behind it. */
static void absorb(gcm *g, byte *out, const byte *in, unsigned long long len, byte opens)
{
    byte block[16], at = 0, i, c;

    for (; len; --len) {
        if (out && !at) {
            for (i = 15; i >= NONCE && !++g->counter[i]; --i)
                ;
            encrypt(block, g->counter, g->key);
        }
        c = *in++;
        if (out) {
            *out = c ^ block[at];
            if (!opens)
                c = *out;
            ++out;
        }
        g->y[at >> 2] ^= (word)c << 8 * (~at & 3);
        at = (at + 1) & 15;
        if (!at || len == 1)
            multiply(g->y, g->h);
    }
}

static void start(gcm *g, const byte *k, const byte *npub, const byte *ad,
                  unsigned long long adlen)
{
    byte i;

    clear(g->key);
    clear(g->h);
    clear(g->y);
    add(g->key, k, COLUMNS);
    for (i = 0; i < 16; ++i)
        g->mask[i] = 0;
    encrypt(g->mask, g->mask, g->key);
    add(g->h, g->mask, BITS);
    for (i = 0; i < 16; ++i)
        g->counter[i] = i < NONCE ? npub[i] : i == 15;
    encrypt(g->mask, g->counter, g->key);
    absorb(g, 0, ad, adlen, 0);
}

static void finish(byte tag[TAG], gcm *g, unsigned long long adlen, unsigned long long len)
{
    byte i;

    g->y[0] ^= (word)(adlen >> 29);
    g->y[1] ^= (word)(adlen << 3);
    g->y[2] ^= (word)(len >> 29);
    g->y[3] ^= (word)(len << 3);
    multiply(g->y, g->h);
    for (i = 0; i < TAG; ++i)
        tag[i] = (byte)(g->mask[i] ^ g->y[i >> 2] >> 8 * (~i & 3));
}

int crypto_aead_encrypt(byte *c, unsigned long long *clen, const byte *m,
                        unsigned long long mlen, const byte *ad, unsigned long long adlen,
                        const byte *nsec, const byte *npub, const byte *k)
{
    gcm g;

    (void)nsec;
    start(&g, k, npub, ad, adlen);
    absorb(&g, c, m, mlen, 0);
    finish(c + mlen, &g, adlen, mlen);
    *clen = mlen + TAG;
    return 0;
}

int crypto_aead_decrypt(byte *m, unsigned long long *mlen, byte *nsec, const byte *c,
                        unsigned long long clen, const byte *ad, unsigned long long adlen,
                        const byte *npub, const byte *k)
{
    unsigned long long len = clen - TAG;
    byte tag[TAG];
    int wrong;
    gcm g;

    (void)nsec;
    if (clen < TAG)
        return -1;
    start(&g, k, npub, ad, adlen);
    absorb(&g, m, c, len, 1);
    finish(tag, &g, adlen, len);
    wrong = crypto_verify_16(tag, c + len);
    crypto_declassify(&wrong, sizeof wrong); /* all may know whether it was forged */
    *mlen = len;
    for (; wrong && len; --len)
        *m++ = 0;
    return wrong;
}
