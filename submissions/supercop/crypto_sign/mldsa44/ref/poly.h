/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Polynomials of ML-DSA-44 (FIPS 204, section 7): 256 coefficients, always in 0 ... q-1; what
 * the standard takes modulo q around 0 is here modulo q, too. Only sampling takes a time that
 * depends on its input: of the matrix and the challenge, which are public, and of the secret
 * key, whose seed rejected bytes tell nothing of.
 */
#ifndef POLY_H
#define POLY_H

#include <stddef.h>
#include <stdint.h>

#define poly_ntt CRYPTO_NAMESPACE(poly_ntt)
#define poly_inverse_ntt CRYPTO_NAMESPACE(poly_inverse_ntt)
#define poly_add CRYPTO_NAMESPACE(poly_add)
#define poly_subtract CRYPTO_NAMESPACE(poly_subtract)
#define poly_multiply CRYPTO_NAMESPACE(poly_multiply)
#define poly_add_entry CRYPTO_NAMESPACE(poly_add_entry)
#define poly_secret CRYPTO_NAMESPACE(poly_secret)
#define poly_add_mask CRYPTO_NAMESPACE(poly_add_mask)
#define poly_challenge CRYPTO_NAMESPACE(poly_challenge)
#define poly_power2round CRYPTO_NAMESPACE(poly_power2round)
#define poly_high CRYPTO_NAMESPACE(poly_high)
#define poly_low_exceeds CRYPTO_NAMESPACE(poly_low_exceeds)
#define poly_exceeds CRYPTO_NAMESPACE(poly_exceeds)
#define poly_hint CRYPTO_NAMESPACE(poly_hint)
#define poly_use_hint CRYPTO_NAMESPACE(poly_use_hint)
#define poly_pack CRYPTO_NAMESPACE(poly_pack)
#define poly_unpack CRYPTO_NAMESPACE(poly_unpack)
#define poly_reflect CRYPTO_NAMESPACE(poly_reflect)

enum { Q = 8380417, N = 256, D = 13, ETA = 2, TAU = 39, BETA = 78 };
enum { GAMMA1 = 1 << 17, GAMMA2 = (Q - 1) / 88 };

typedef struct {
    uint32_t c[N];
} poly;

/* Algorithms 41 and 42, in place. */
void poly_ntt(poly *f);
void poly_inverse_ntt(poly *f);

void poly_add(poly *r, const poly *a);      /* r = r + a */
void poly_subtract(poly *r, const poly *a); /* r = r - a */
void poly_multiply(poly *r, const poly *a); /* r = r a, in the NTT domain */

/* r = r + A[i][j] a, in the NTT domain; the entry of the matrix (algorithm 30) is not kept. */
void poly_add_entry(poly *r, const unsigned char rho[32], int i, int j, const poly *a);

/* RejBoundedPoly(seed, n): algorithm 31. */
void poly_secret(poly *r, const unsigned char seed[64], int n);

/* r = r + ExpandMask(seed, n), one polynomial of it: algorithm 34. */
void poly_add_mask(poly *r, const unsigned char seed[64], int n);

/* SampleInBall: algorithm 29. */
void poly_challenge(poly *r, const unsigned char seed[32]);

/* Algorithm 35: low = f - high 2^13 for the new f = high. */
void poly_power2round(poly *f, poly *low);

/* HighBits: algorithm 37. */
void poly_high(poly *f);

/* Is the absolute value of a coefficient, or of its LowBits, `bound` or more? 0 or 1. */
unsigned int poly_exceeds(const poly *f, uint32_t bound);
unsigned int poly_low_exceeds(const poly *f, uint32_t bound);

/* f = MakeHint(-f, r + f) of algorithm 39: 1 where HighBits(r) and HighBits(r + f) differ. */
void poly_hint(poly *f, const poly *r);

/* f = UseHint(h, f): algorithm 40, for the places of h's ones, in ascending order. */
void poly_use_hint(poly *f, const unsigned char *ones, int count);

/* Algorithms 16 and 18 for d bits a coefficient, 32 d bytes. */
void poly_pack(unsigned char *out, const poly *f, int d);
void poly_unpack(poly *f, const unsigned char *in, int d);

/* f = b - f, in which form algorithms 17 and 19 pack what may be negative. */
void poly_reflect(poly *f, uint32_t b);

#endif
