/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Polynomials of ML-KEM (FIPS 203, sections 4.2 and 4.3): 256 coefficients, always in
 * 0 ... q-1. Nothing but poly_uniform takes a time that depends on its input, which is public.
 */
#ifndef POLY_H
#define POLY_H

#include <stdint.h>

#define poly_uniform CRYPTO_NAMESPACE(poly_uniform)
#define poly_noise CRYPTO_NAMESPACE(poly_noise)
#define poly_ntt CRYPTO_NAMESPACE(poly_ntt)
#define poly_inverse_ntt CRYPTO_NAMESPACE(poly_inverse_ntt)
#define poly_add CRYPTO_NAMESPACE(poly_add)
#define poly_subtract CRYPTO_NAMESPACE(poly_subtract)
#define poly_add_product CRYPTO_NAMESPACE(poly_add_product)
#define poly_compress CRYPTO_NAMESPACE(poly_compress)
#define poly_decompress CRYPTO_NAMESPACE(poly_decompress)
#define poly_encode CRYPTO_NAMESPACE(poly_encode)
#define poly_decode CRYPTO_NAMESPACE(poly_decode)

enum { Q = 3329 };

typedef struct {
    uint16_t c[256];
} poly;

/* SampleNTT(rho, j, i): algorithm 7, entry (i, j) of the matrix. */
void poly_uniform(poly *r, const unsigned char rho[32], unsigned char i, unsigned char j);

/* SamplePolyCBD_2(PRF_2(seed, n)): algorithm 8. */
void poly_noise(poly *r, const unsigned char seed[32], unsigned char n);

/* Algorithms 9 and 10, in place. */
void poly_ntt(poly *f);
void poly_inverse_ntt(poly *f);

void poly_add(poly *r, const poly *a);      /* r = r + a */
void poly_subtract(poly *r, const poly *a); /* r = r - a */

/* r = r + MultiplyNTTs(a, b): algorithms 11 and 12. */
void poly_add_product(poly *r, const poly *a, const poly *b);

/* Compress_d and Decompress_d of every coefficient, d <= 10: section 4.2.1. */
void poly_compress(poly *f, int d);
void poly_decompress(poly *f, int d);

/* ByteEncode_d and ByteDecode_d, 32 d bytes: algorithms 5 and 6, without "mod q" for d = 12. */
void poly_encode(unsigned char *out, const poly *f, int d);
void poly_decode(poly *f, const unsigned char *in, int d);

#endif
