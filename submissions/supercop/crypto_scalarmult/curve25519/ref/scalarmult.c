/* SPDX-License-Identifier: CC0-1.0 */
/* X25519: RFC 7748, section 5. The field is in fe.h. */
#include <string.h>

#include "crypto_scalarmult.h"
#include "fe.h"
#include "fe_power.h"

/* One step of the Montgomery ladder: names and order of RFC 7748, section 5. */
static void step(const fe *x1, fe *x2, fe *z2, fe *x3, fe *z3)
{
    fe a, aa, b, bb, e, c, d, da, cb;

    fe_add(&a, x2, z2);
    fe_mul(&aa, &a, &a);
    fe_sub(&b, x2, z2);
    fe_mul(&bb, &b, &b);
    fe_sub(&e, &aa, &bb);
    fe_add(&c, x3, z3);
    fe_sub(&d, x3, z3);
    fe_mul(&da, &d, &a);
    fe_mul(&cb, &c, &b);

    fe_add(&c, &da, &cb);
    fe_mul(x3, &c, &c);
    fe_sub(&d, &da, &cb);
    fe_mul(&d, &d, &d);
    fe_mul(z3, &d, x1);

    fe_mul(x2, &aa, &bb);
    fe_scale(&c, &e, 121665); /* a24 = (486662 - 2) / 4 */
    fe_add(&c, &c, &aa);
    fe_mul(z2, &e, &c);
}

/*
 * q = n p. Every 32-byte string is a valid n and a valid p: bits are cleared and set as in
 * decodeScalar25519, the top bit of p is ignored. The result may be 0 (RFC 7748, section 6.1,
 * leaves the test for it to the caller). q may be n or p.
 */
int crypto_scalarmult(unsigned char *q, const unsigned char *n, const unsigned char *p)
{
    unsigned char k[32];
    fe x1, x2 = {{1}}, z2 = {{0}}, x3, z3 = {{1}};
    unsigned int swap = 0, bit;
    int i;

    memcpy(k, n, 32);
    k[0] &= 248;
    k[31] = (unsigned char)((k[31] & 127) | 64);
    fe_frombytes(&x1, p);
    x3 = x1;

    for (i = 254; i >= 0; --i) {
        bit = (k[i >> 3] >> (i & 7)) & 1u;
        fe_swap(&x2, &x3, swap ^ bit);
        fe_swap(&z2, &z3, swap ^ bit);
        swap = bit;
        step(&x1, &x2, &z2, &x3, &z3);
    }
    /* The last bit of k is 0: nothing is left to swap. */
    fe_invert(&z2, &z2);
    fe_mul(&x2, &x2, &z2);
    fe_tobytes(q, &x2);
    return 0;
}

/* q = n B, with B = 9 (RFC 7748, section 4.1). */
int crypto_scalarmult_base(unsigned char *q, const unsigned char *n)
{
    static const unsigned char nine[32] = {9};

    return crypto_scalarmult(q, n, nine);
}
