/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ML-DSA-44: FIPS 204, hedged, with an empty context. The matrix is never kept: of each entry
 * the coefficients are used as they come.
 *
 * A public key is rho, t1; a secret key is rho, K, tr, s1, s2, t0; a signed message is the
 * challenge's seed, z and the hint, and then the message.
 */
#include <string.h>

#include "crypto_declassify.h"
#include "crypto_sign.h"
#include "keccak.h"
#include "poly.h"
#include "randombytes.h"

enum { K = 4, L = 4, OMEGA = 80, CHALLENGE = 32 };
enum { T1 = 320, S = 96, T0 = 416, Z = 576, W1 = 192 }; /* bytes of a polynomial */
enum { S1_AT = 128, S2_AT = S1_AT + L * S, T0_AT = S2_AT + K * S };
enum { Z_AT = CHALLENGE, HINT_AT = Z_AT + L * Z, SIGNATURE = HINT_AT + OMEGA + K };
enum { PUBLIC = 32 + K * T1 };

typedef struct {
    unsigned char rho[32], mu[64], seed[64];
    poly s1[L], s2[K], t0[K]; /* in the NTT domain */
} signer;

/* H(a, b, c) */
static void shake256(unsigned char *out, size_t bytes, const unsigned char *a, size_t a_length,
                     const unsigned char *b, size_t b_length, const unsigned char *c,
                     size_t c_length)
{
    keccak k;

    keccak_start(&k, SHAKE256_RATE);
    keccak_absorb(&k, a, a_length);
    keccak_absorb(&k, b, b_length);
    keccak_absorb(&k, c, c_length);
    keccak_finish(&k, SHAKE_SUFFIX);
    keccak_squeeze(&k, out, bytes);
}

/* Algorithms 2 and 7: mu of a message with an empty context */
static void digest(unsigned char mu[64], const unsigned char tr[64], const unsigned char *m,
                   unsigned long long mlen)
{
    static const unsigned char pure[2] = {0, 0};

    shake256(mu, 64, tr, 64, pure, sizeof pure, m, (size_t)mlen);
}

/* Row i of the matrix by a vector: out of the NTT domain. */
static void multiply_row(poly *r, const unsigned char rho[32], int i, const poly v[L])
{
    memset(r, 0, sizeof *r);
    for (int j = 0; j < L; ++j)
        poly_add_entry(r, rho, i, j, &v[j]);
}

/* Algorithm 6: ML-DSA.KeyGen_internal */
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{
    static const unsigned char sizes[2] = {K, L};
    unsigned char xi[32], seeds[128], *secret = seeds + 32, *hedge = seeds + 96;
    poly s1[L], t, other;

    randombytes(xi, 32);
    shake256(seeds, sizeof seeds, xi, 32, sizes, 2, xi, 0);
    crypto_declassify(seeds, 32); /* rho is part of the public key */
    for (int j = 0; j < L; ++j) {
        poly_secret(&s1[j], secret, j);
        other = s1[j];
        poly_reflect(&other, ETA);
        poly_pack(sk + S1_AT + S * j, &other, 3);
        poly_ntt(&s1[j]);
    }
    for (int i = 0; i < K; ++i) {
        multiply_row(&t, seeds, i, s1);
        poly_inverse_ntt(&t);
        poly_secret(&other, secret, L + i);
        poly_add(&t, &other);
        poly_reflect(&other, ETA);
        poly_pack(sk + S2_AT + S * i, &other, 3);
        poly_power2round(&t, &other);
        poly_pack(pk + 32 + T1 * i, &t, 10);
        poly_reflect(&other, 1 << (D - 1));
        poly_pack(sk + T0_AT + T0 * i, &other, 13);
    }
    memcpy(pk, seeds, 32);
    memcpy(sk, seeds, 32);
    memcpy(sk + 32, hedge, 32);
    shake256(sk + 64, 64, pk, PUBLIC, pk, 0, pk, 0);
    return 0;
}

/* Algorithm 25 for one polynomial, into the NTT domain */
static void decode(poly *f, const unsigned char *in, int d, uint32_t b)
{
    poly_unpack(f, in, d);
    poly_reflect(f, b);
    poly_ntt(f);
}

/* Algorithm 7, lines 1 to 7 */
static void start(signer *s, const unsigned char *sk, const unsigned char *m,
                  unsigned long long mlen)
{
    unsigned char hedge[32];

    memcpy(s->rho, sk, 32);
    crypto_declassify(s->rho, 32); /* public, though it is part of the secret key */
    randombytes(hedge, 32);
    digest(s->mu, sk + 64, m, mlen);
    shake256(s->seed, 64, sk + 32, 32, hedge, 32, s->mu, 64);
    for (int j = 0; j < L; ++j)
        decode(&s->s1[j], sk + S1_AT + S * j, 3, ETA);
    for (int i = 0; i < K; ++i) {
        decode(&s->s2[i], sk + S2_AT + S * i, 3, ETA);
        decode(&s->t0[i], sk + T0_AT + T0 * i, 13, 1 << (D - 1));
    }
}

/* H(mu, w1Encode(HighBits(w))); a rejected one tells nothing of the key (section 3.2). */
static void make_challenge(unsigned char out[CHALLENGE], const unsigned char mu[64],
                           const poly w[K])
{
    unsigned char bytes[K * W1];
    poly high;

    for (int i = 0; i < K; ++i) {
        high = w[i];
        poly_high(&high);
        poly_pack(bytes + W1 * i, &high, 6);
    }
    shake256(out, CHALLENGE, mu, 64, bytes, sizeof bytes, bytes, 0);
    crypto_declassify(out, CHALLENGE);
}

/* f = c times a, out of the NTT domain */
static void product(poly *f, const poly *c, const poly *a)
{
    *f = *c;
    poly_multiply(f, a);
    poly_inverse_ntt(f);
}

/*
 * Algorithm 20: the places of one row's ones behind `have` of the rows before. Returns how many
 * there are then; more than OMEGA are counted and not written.
 */
static int add_hint(unsigned char hint[OMEGA + K], int row, int have, const poly *h)
{
    for (int n = 0; n < N; ++n)
        if (h->c[n]) {
            if (have < OMEGA)
                hint[have] = (unsigned char)n;
            ++have;
        }
    hint[OMEGA + row] = (unsigned char)(have & 255);
    return have;
}

/* Algorithm 7, lines 10 to 32, once: 1 if there is a signature. */
static int attempt(unsigned char *sig, const signer *s, int kappa)
{
    unsigned int bad = 0;
    poly y[L], w[K], c, f;
    int ones = 0;

    for (int j = 0; j < L; ++j) {
        memset(&y[j], 0, sizeof y[j]);
        poly_add_mask(&y[j], s->seed, kappa + j);
        poly_ntt(&y[j]);
    }
    for (int i = 0; i < K; ++i) {
        multiply_row(&w[i], s->rho, i, y);
        poly_inverse_ntt(&w[i]);
    }
    make_challenge(sig, s->mu, w);
    poly_challenge(&c, sig);
    poly_ntt(&c);
    for (int j = 0; j < L; ++j) {
        product(&f, &c, &s->s1[j]);
        poly_add_mask(&f, s->seed, kappa + j);
        bad |= poly_exceeds(&f, GAMMA1 - BETA);
        poly_reflect(&f, GAMMA1);
        poly_pack(sig + Z_AT + Z * j, &f, 18);
    }
    for (int i = 0; i < K; ++i) {
        product(&f, &c, &s->s2[i]);
        poly_subtract(&w[i], &f);
        bad |= poly_low_exceeds(&w[i], GAMMA2 - BETA);
    }
    crypto_declassify(&bad, sizeof bad); /* how often it is tried is independent of the key */
    if (bad)
        return 0;
    memset(sig + HINT_AT, 0, OMEGA);
    for (int i = 0; i < K; ++i) {
        product(&f, &c, &s->t0[i]);
        bad |= poly_exceeds(&f, GAMMA2);
        poly_hint(&f, &w[i]);
        crypto_declassify(&f, sizeof f); /* the signature shows it */
        ones = add_hint(sig + HINT_AT, i, ones, &f);
    }
    crypto_declassify(&bad, sizeof bad);
    return !bad && ones <= OMEGA;
}

/* Algorithm 2; sm has room for mlen + 2420 bytes and may be m or sk. */
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                unsigned long long mlen, const unsigned char *sk)
{
    int kappa = 0;
    signer s;

    start(&s, sk, m, mlen);
    memmove(sm + SIGNATURE, m, (size_t)mlen);
    while (!attempt(sm, &s, kappa))
        kappa += L;
    *smlen = mlen + SIGNATURE;
    return 0;
}

/* Algorithm 21: is it a hint? Each row's places ascend, and what is not used is 0. */
static int is_hint(const unsigned char hint[OMEGA + K])
{
    int at = 0;

    for (int i = 0; i < K; ++i) {
        const int first = at, end = hint[OMEGA + i];
        if (end < at || end > OMEGA)
            return 0;
        for (; at < end; ++at)
            if (at > first && hint[at - 1] >= hint[at])
                return 0;
    }
    for (; at < OMEGA; ++at)
        if (hint[at] != 0)
            return 0;
    return 1;
}

/* Algorithm 8, lines 8 to 13 */
static int verify(const unsigned char *sig, const unsigned char mu[64], const unsigned char *pk)
{
    const unsigned char *hint = sig + HINT_AT;
    unsigned char bytes[K * W1], again[CHALLENGE];
    poly z[L], c, t, w;
    int from = 0;

    if (!is_hint(hint))
        return -1;
    for (int j = 0; j < L; ++j) {
        poly_unpack(&z[j], sig + Z_AT + Z * j, 18);
        poly_reflect(&z[j], GAMMA1);
        if (poly_exceeds(&z[j], GAMMA1 - BETA))
            return -1;
        poly_ntt(&z[j]);
    }
    poly_challenge(&c, sig);
    poly_ntt(&c);
    for (int i = 0; i < K; ++i) {
        poly_unpack(&t, pk + 32 + T1 * i, 10);
        for (int n = 0; n < N; ++n)
            t.c[n] <<= D;
        poly_ntt(&t);
        poly_multiply(&t, &c);
        multiply_row(&w, pk, i, z);
        poly_subtract(&w, &t);
        poly_inverse_ntt(&w);
        poly_use_hint(&w, hint + from, hint[OMEGA + i] - from);
        poly_pack(bytes + W1 * i, &w, 6);
        from = hint[OMEGA + i];
    }
    shake256(again, CHALLENGE, mu, 64, bytes, sizeof bytes, bytes, 0);
    return memcmp(again, sig, CHALLENGE) == 0 ? 0 : -1;
}

/*
 * Algorithm 3. m has room for smlen bytes and may be sm or pk; what lies behind the message is
 * 0 afterwards. Of a refused message nothing is left: m is 0, the length too.
 */
int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                     unsigned long long smlen, const unsigned char *pk)
{
    unsigned char tr[64], mu[64];

    *mlen = 0;
    if (smlen < SIGNATURE)
        return -1;
    shake256(tr, 64, pk, PUBLIC, pk, 0, pk, 0);
    digest(mu, tr, sm + SIGNATURE, smlen - SIGNATURE);
    if (verify(sm, mu, pk) != 0) {
        memset(m, 0, (size_t)smlen);
        return -1;
    }
    *mlen = smlen - SIGNATURE;
    memmove(m, sm + SIGNATURE, (size_t)*mlen);
    memset(m + *mlen, 0, SIGNATURE);
    return 0;
}
