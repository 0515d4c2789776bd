/* SPDX-License-Identifier: CC0-1.0 */
/* The group of Ed25519: RFC 8032, sections 5.1.2 to 5.1.4. */
#include <string.h>

#include "crypto_sign.h"
#include "crypto_verify_32.h"
#include "fe_power.h"
#include "ge.h"

/* Little-endian, as all numbers here. d = -121665/121666 (RFC 8032, section 5.1, table 1) */
static const unsigned char d_bytes[32] = {
    0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75,
    0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00,
    0x98, 0xe8, 0x79, 0x77, 0x79, 0x40, 0xc7, 0x8c,
    0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52,
};

/* A square root of -1: 2^((p-1)/4) (section 5.1.3) */
static const unsigned char root_bytes[32] = {
    0xb0, 0xa0, 0x0e, 0x4a, 0x27, 0x1b, 0xee, 0xc4,
    0x78, 0xe4, 0x2f, 0xad, 0x06, 0x18, 0x43, 0x2f,
    0xa7, 0xd7, 0xfb, 0x3d, 0x99, 0x00, 0x4d, 0x2b,
    0x0b, 0xdf, 0xc1, 0x4f, 0x80, 0x24, 0x83, 0x2b,
};

/* The base point (section 5.1, table 1): x, and y = 4/5 */
static const unsigned char base_x[32] = {
    0x1a, 0xd5, 0x25, 0x8f, 0x60, 0x2d, 0x56, 0xc9,
    0xb2, 0xa7, 0x25, 0x95, 0x60, 0xc7, 0x2c, 0x69,
    0x5c, 0xdc, 0xd6, 0xfd, 0x31, 0xe2, 0xa4, 0xc0,
    0xfe, 0x53, 0x6e, 0xcd, 0xd3, 0x36, 0x69, 0x21,
};
static const unsigned char base_y[32] = {
    0x58, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
};

/* Section 5.1.4, addition: the formulas hold for all pairs of points. */
void ge_add(ge *r, const ge *p, const ge *q)
{
    fe a, b, c, d, e, f;

    fe_frombytes(&f, d_bytes);
    fe_mul(&c, &p->t, &q->t);
    fe_add(&c, &c, &c);
    fe_mul(&c, &c, &f);
    fe_mul(&d, &p->z, &q->z);
    fe_add(&d, &d, &d);
    fe_sub(&e, &p->y, &p->x);
    fe_sub(&f, &q->y, &q->x);
    fe_mul(&a, &e, &f);
    fe_add(&e, &p->y, &p->x);
    fe_add(&f, &q->y, &q->x);
    fe_mul(&b, &e, &f);

    fe_sub(&e, &b, &a);
    fe_sub(&f, &d, &c);
    fe_add(&d, &d, &c); /* G of the RFC */
    fe_add(&b, &b, &a); /* H of the RFC */
    fe_mul(&r->x, &e, &f);
    fe_mul(&r->y, &d, &b);
    fe_mul(&r->t, &e, &b);
    fe_mul(&r->z, &f, &d);
}

/* Section 5.1.4, doubling. */
static void twice(ge *r, const ge *p)
{
    fe a, b, c, e, g, h;

    fe_mul(&a, &p->x, &p->x);
    fe_mul(&b, &p->y, &p->y);
    fe_mul(&c, &p->z, &p->z);
    fe_add(&c, &c, &c);
    fe_add(&h, &a, &b);
    fe_add(&e, &p->x, &p->y);
    fe_mul(&e, &e, &e);
    fe_sub(&e, &h, &e);
    fe_sub(&g, &a, &b);
    fe_add(&c, &c, &g); /* F of the RFC */
    fe_mul(&r->x, &e, &c);
    fe_mul(&r->y, &g, &h);
    fe_mul(&r->t, &e, &h);
    fe_mul(&r->z, &c, &g);
}

/* r = table[n], 0 <= n < 16; every entry is read, whatever n is. */
static void lookup(ge *r, const ge table[16], unsigned int n)
{
    unsigned char *to = (unsigned char *)r;

    memset(r, 0, sizeof *r);
    for (unsigned int i = 0; i < 16; ++i) {
        const unsigned char *from = (const unsigned char *)&table[i];
        const unsigned char mask = (unsigned char)(((i ^ n) - 1u) >> 8); /* 255 for i = n */

        for (size_t k = 0; k < sizeof *r; ++k)
            to[k] |= mask & from[k];
    }
}

/* Four bits of n at a time, from the top. */
void ge_multiply(ge *r, const unsigned char n[32], const ge *p)
{
    static const ge zero = {{{0}}, {{1}}, {{1}}, {{0}}};
    ge table[16], term;

    table[0] = zero;
    for (int i = 1; i < 16; ++i)
        ge_add(&table[i], &table[i - 1], p);

    *r = zero;
    for (int i = 63; i >= 0; --i) {
        for (int k = 0; k < 4; ++k)
            twice(r, r);
        lookup(&term, table, (n[i / 2] >> (4 * (i & 1))) & 15u);
        ge_add(r, r, &term);
    }
}

void ge_multiply_base(ge *r, const unsigned char n[32])
{
    ge base = {.z = {{1}}};

    fe_frombytes(&base.x, base_x);
    fe_frombytes(&base.y, base_y);
    fe_mul(&base.t, &base.x, &base.y);
    ge_multiply(r, n, &base);
}

/* Section 5.1.2. */
void ge_encode(unsigned char s[32], const ge *p)
{
    unsigned char x_bytes[32];
    fe inverse, x, y;

    fe_invert(&inverse, &p->z);
    fe_mul(&x, &p->x, &inverse);
    fe_mul(&y, &p->y, &inverse);
    fe_tobytes(x_bytes, &x);
    fe_tobytes(s, &y);
    s[31] = (unsigned char)(s[31] | (x_bytes[0] & 1) << 7);
}

/* Is a = b? Sums and differences are allowed: fe_scale carries them. */
static int equal(const fe *a, const fe *b)
{
    unsigned char s[32], t[32];
    fe carried;

    fe_scale(&carried, a, 1);
    fe_tobytes(s, &carried);
    fe_scale(&carried, b, 1);
    fe_tobytes(t, &carried);
    return crypto_verify_32(s, t) == 0;
}

/*
 * Section 5.1.3; s is public. x^2 = u/v with u = y^2 - 1, v = d y^2 + 1. Encoding the result
 * again finds what else the RFC refuses: y >= p, and x = 0 with the sign bit set.
 */
int ge_decode_negated(ge *r, const unsigned char s[32])
{
    static const fe zero = {{0}}, one = {{1}};
    unsigned char again[32];
    fe u, v, x, t, constant;

    fe_frombytes(&r->y, s);
    r->z = one;
    fe_mul(&u, &r->y, &r->y);
    fe_frombytes(&constant, d_bytes);
    fe_mul(&v, &u, &constant);
    fe_sub(&u, &u, &one);
    fe_add(&v, &v, &one);

    fe_mul(&t, &v, &v); /* x = u v^3 (u v^7)^((p-5)/8) */
    fe_mul(&x, &t, &v);
    fe_mul(&x, &x, &u); /* u v^3 */
    fe_mul(&t, &t, &t);
    fe_mul(&t, &t, &x); /* u v^7 */
    fe_root_power(&t, &t);
    fe_mul(&x, &x, &t);

    fe_mul(&t, &x, &x); /* v x^2 is u, or -u, or u/v is not a square */
    fe_mul(&t, &t, &v);
    if (!equal(&t, &u)) {
        fe_add(&t, &t, &u);
        if (!equal(&t, &zero))
            return -1;
        fe_frombytes(&constant, root_bytes);
        fe_mul(&x, &x, &constant);
    }

    r->x = x;
    ge_encode(again, r);
    if (((again[31] ^ s[31]) & 128) != 0)
        fe_sub(&r->x, &zero, &x);
    ge_encode(again, r);
    if (crypto_verify_32(again, s) != 0)
        return -1;

    fe_sub(&x, &zero, &r->x);
    fe_scale(&r->x, &x, 1); /* carried, as ge_add needs it */
    fe_mul(&r->t, &r->x, &r->y);
    return 0;
}
