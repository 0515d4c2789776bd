/* SPDX-License-Identifier: CC0-1.0 */
/*
 * ML-DSA-44 (FIPS 204, hedged, with an empty context) in little memory: no vector is kept but w.
 * Keys are decoded, and y and z are made again, where they are needed.
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

static void clear(poly *f)
{
    memset(f, 0, sizeof *f);
}

/* f = b - f, packed; f is spoilt. */
static void pack_reflected(unsigned char *out, poly *f, int d, uint32_t b)
{
    poly_reflect(f, b);
    poly_pack(out, f, d);
}

/* Algorithm 6: ML-DSA.KeyGen_internal */
int crypto_sign_keypair(unsigned char *pk, unsigned char *sk)
{
    static const unsigned char sizes[2] = {K, L};
    unsigned char xi[32], seeds[128], *secret = seeds + 32, *hedge = seeds + 96;
    poly t, other;

    randombytes(xi, 32);
    shake256(seeds, sizeof seeds, xi, 32, sizes, 2, xi, 0);
    crypto_declassify(seeds, 32); /* rho is part of the public key */
    for (int i = 0; i < K; ++i) {
        clear(&t);
        for (int j = 0; j < L; ++j) {
            poly_secret(&other, secret, j);
            poly_ntt(&other);
            poly_add_entry(&t, seeds, i, j, &other);
        }
        poly_inverse_ntt(&t);
        poly_secret(&other, secret, L + i);
        poly_add(&t, &other);
        pack_reflected(sk + S2_AT + S * i, &other, 3, ETA);
        poly_power2round(&t, &other);
        poly_pack(pk + 32 + T1 * i, &t, 10);
        pack_reflected(sk + T0_AT + T0 * i, &other, 13, 1 << (D - 1));
    }
    for (int j = 0; j < L; ++j) {
        poly_secret(&other, secret, j);
        pack_reflected(sk + S1_AT + S * j, &other, 3, ETA);
    }
    memcpy(pk, seeds, 32);
    memcpy(sk, seeds, 32);
    memcpy(sk + 32, hedge, 32);
    shake256(sk + 64, 64, pk, PUBLIC, pk, 0, pk, 0);
    return 0;
}

/* w = A y, row by row; y is made for each column once. */
static void commit(poly w[K], poly *y, const unsigned char *rho, const unsigned char seed[64],
                   int kappa)
{
    for (int i = 0; i < K; ++i)
        clear(&w[i]);
    for (int j = 0; j < L; ++j) {
        clear(y);
        poly_add_mask(y, seed, kappa + j);
        poly_ntt(y);
        for (int i = 0; i < K; ++i)
            poly_add_entry(&w[i], rho, i, j, y);
    }
    for (int i = 0; i < K; ++i)
        poly_inverse_ntt(&w[i]);
}

/* Adds w1Encode of one row to what is hashed. */
static void absorb_high(keccak *k, const poly *w)
{
    unsigned char bytes[W1];

    poly_pack(bytes, w, 6);
    keccak_absorb(k, bytes, sizeof bytes);
}

static void start_challenge(keccak *k, const unsigned char mu[64])
{
    keccak_start(k, SHAKE256_RATE);
    keccak_absorb(k, mu, 64);
}

static void end_challenge(keccak *k, unsigned char out[CHALLENGE])
{
    keccak_finish(k, SHAKE_SUFFIX);
    keccak_squeeze(k, out, CHALLENGE);
}

/* f = c times a packed polynomial, out of the NTT domain */
static void product(poly *f, const poly *c, const unsigned char *in, int d, uint32_t b)
{
    poly_unpack(f, in, d);
    poly_reflect(f, b);
    poly_ntt(f);
    poly_multiply(f, c);
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
static int attempt(unsigned char sig[SIGNATURE], const unsigned char *sk,
                   const unsigned char rho[32], const unsigned char mu[64],
                   const unsigned char seed[64], int kappa)
{
    unsigned int bad = 0;
    poly w[K], c, f;
    int ones = 0;
    keccak k;

    commit(w, &f, rho, seed, kappa);
    start_challenge(&k, mu);
    for (int i = 0; i < K; ++i) {
        f = w[i];
        poly_high(&f);
        absorb_high(&k, &f);
    }
    end_challenge(&k, sig);
    crypto_declassify(sig, CHALLENGE); /* a rejected one tells nothing of the key either */
    poly_challenge(&c, sig);
    poly_ntt(&c);
    for (int j = 0; j < L; ++j) {
        product(&f, &c, sk + S1_AT + S * j, 3, ETA);
        poly_add_mask(&f, seed, kappa + j);
        bad |= poly_exceeds(&f, GAMMA1 - BETA);
        pack_reflected(sig + Z_AT + Z * j, &f, 18, GAMMA1);
    }
    for (int i = 0; i < K; ++i) {
        product(&f, &c, sk + S2_AT + S * i, 3, ETA);
        poly_subtract(&w[i], &f);
        bad |= poly_low_exceeds(&w[i], GAMMA2 - BETA);
    }
    crypto_declassify(&bad, sizeof bad); /* how often it is tried is independent of the key */
    if (bad)
        return 0;
    memset(sig + HINT_AT, 0, OMEGA);
    for (int i = 0; i < K; ++i) {
        product(&f, &c, sk + T0_AT + T0 * i, 13, 1 << (D - 1));
        bad |= poly_exceeds(&f, GAMMA2);
        poly_hint(&f, &w[i]);
        crypto_declassify(&f, sizeof f); /* the signature shows it */
        ones = add_hint(sig + HINT_AT, i, ones, &f);
    }
    crypto_declassify(&bad, sizeof bad);
    return !bad && ones <= OMEGA;
}

/*
 * Algorithm 2; sm has room for mlen + 2420 bytes and may be m or sk, because the signature is
 * made beside it.
 */
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                unsigned long long mlen, const unsigned char *sk)
{
    unsigned char sig[SIGNATURE], rho[32], hedge[32], mu[64], seed[64];
    int kappa = 0;

    memcpy(rho, sk, 32);
    crypto_declassify(rho, 32); /* public, though it is part of the secret key */
    randombytes(hedge, 32);
    digest(mu, sk + 64, m, mlen);
    shake256(seed, 64, sk + 32, 32, hedge, 32, mu, 64);
    while (!attempt(sig, sk, rho, mu, seed, kappa))
        kappa += L;
    memmove(sm + SIGNATURE, m, (size_t)mlen);
    memcpy(sm, sig, SIGNATURE);
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
    unsigned char again[CHALLENGE];
    int from = 0;
    poly w, f;
    keccak k;

    if (!is_hint(hint))
        return -1;
    start_challenge(&k, mu);
    for (int i = 0; i < K; ++i) {
        poly_unpack(&w, pk + 32 + T1 * i, 10);
        for (int n = 0; n < N; ++n) /* -t1 2^13 */
            w.c[n] <<= D;
        poly_reflect(&w, 0);
        poly_ntt(&w);
        poly_challenge(&f, sig);
        poly_ntt(&f);
        poly_multiply(&w, &f);
        for (int j = 0; j < L; ++j) {
            poly_unpack(&f, sig + Z_AT + Z * j, 18);
            poly_reflect(&f, GAMMA1);
            if (poly_exceeds(&f, GAMMA1 - BETA))
                return -1;
            poly_ntt(&f);
            poly_add_entry(&w, pk, i, j, &f);
        }
        poly_inverse_ntt(&w);
        poly_use_hint(&w, hint + from, hint[OMEGA + i] - from);
        absorb_high(&k, &w);
        from = hint[OMEGA + i];
    }
    end_challenge(&k, again);
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
