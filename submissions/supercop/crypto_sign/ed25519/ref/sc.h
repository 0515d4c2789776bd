/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Integers modulo L = 2^252 + 27742317777372353535851937790883648493, the order of the base
 * point (RFC 8032, section 5.1), as little-endian bytes. Results are in 0 ... L-1.
 */
#ifndef SC_H
#define SC_H

#define sc_reduce CRYPTO_NAMESPACE(sc_reduce)
#define sc_multiply_add CRYPTO_NAMESPACE(sc_multiply_add)

/* r = s mod L */
void sc_reduce(unsigned char r[32], const unsigned char *s, int bytes);

/* r = a b + c mod L */
void sc_multiply_add(unsigned char r[32], const unsigned char a[32], const unsigned char b[32],
                     const unsigned char c[32]);

#endif
