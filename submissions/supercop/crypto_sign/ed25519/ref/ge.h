/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Points of the curve -x^2 + y^2 = 1 + d x^2 y^2 of Ed25519 in extended coordinates:
 * x = X/Z, y = Y/Z, xy = T/Z (RFC 8032, section 5.1.4). Results may be operands.
 */
#ifndef GE_H
#define GE_H

#include "fe.h"

#define ge_add CRYPTO_NAMESPACE(ge_add)
#define ge_decode_negated CRYPTO_NAMESPACE(ge_decode_negated)
#define ge_encode CRYPTO_NAMESPACE(ge_encode)
#define ge_multiply CRYPTO_NAMESPACE(ge_multiply)
#define ge_multiply_base CRYPTO_NAMESPACE(ge_multiply_base)

typedef struct {
    fe x, y, z, t;
} ge;

/* r = p + q */
void ge_add(ge *r, const ge *p, const ge *q);

/* r = -(the point that s encodes), 0; or -1 if s is no encoding. */
int ge_decode_negated(ge *r, const unsigned char s[32]);

/* The 255 bits of y, then the lowest bit of x. */
void ge_encode(unsigned char s[32], const ge *p);

/* r = n p, in time that does not depend on n < 2^256. */
void ge_multiply(ge *r, const unsigned char n[32], const ge *p);

/* The same for the base point B. */
void ge_multiply_base(ge *r, const unsigned char n[32]);

#endif
