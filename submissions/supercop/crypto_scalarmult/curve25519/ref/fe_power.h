/* SPDX-License-Identifier: CC0-1.0 */
/* Powers modulo p = 2^255 - 19 with fixed exponents: the operations never depend on a. */
#ifndef FE_POWER_H
#define FE_POWER_H

#include "fe.h"

/* r = a^(2^n), n > 0 */
static inline void fe_squares(fe *r, const fe *a, int n)
{
    fe_mul(r, a, a);
    while (--n)
        fe_mul(r, r, r);
}

/* r = a^(2^250 - 1) and a11 = a^11, with 249 squarings and 11 products */
static inline void fe_chain(fe *r, fe *a11, const fe *a)
{
    fe t, u, v;

    fe_squares(&t, a, 1);
    fe_squares(&u, &t, 2);
    fe_mul(&u, &u, a); /* u = a^9 */
    fe_mul(a11, &u, &t);
    fe_squares(&t, a11, 1);
    fe_mul(&t, &t, &u); /* t = a^(2^5 - 1) */
    fe_squares(&u, &t, 5);
    fe_mul(&t, &u, &t); /* t = a^(2^10 - 1) */
    fe_squares(&u, &t, 10);
    fe_mul(&u, &u, &t); /* u = a^(2^20 - 1) */
    fe_squares(&v, &u, 20);
    fe_mul(&u, &v, &u); /* u = a^(2^40 - 1) */
    fe_squares(&u, &u, 10);
    fe_mul(&t, &u, &t); /* t = a^(2^50 - 1) */
    fe_squares(&u, &t, 50);
    fe_mul(&u, &u, &t); /* u = a^(2^100 - 1) */
    fe_squares(&v, &u, 100);
    fe_mul(&u, &v, &u); /* u = a^(2^200 - 1) */
    fe_squares(&u, &u, 50);
    fe_mul(r, &u, &t);
}

/* r = a^(p-2): 1/a, and 0 for a = 0. p-2 = 2^5 (2^250 - 1) + 11. */
static inline void fe_invert(fe *r, const fe *a)
{
    fe t, a11;

    fe_chain(&t, &a11, a);
    fe_squares(&t, &t, 5);
    fe_mul(r, &t, &a11);
}

/* r = a^((p-5)/8), for square roots (RFC 8032, section 5.1.3). (p-5)/8 = 2^2 (2^250 - 1) + 1. */
static inline void fe_root_power(fe *r, const fe *a)
{
    fe t, a11;

    fe_chain(&t, &a11, a);
    fe_squares(&t, &t, 2);
    fe_mul(r, &t, a);
}

#endif
