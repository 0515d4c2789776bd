/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Ascon-Hash256, small in code.
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called, and there is no table.
 *
 * A lane is two 32-bit words, low half first.
 */

#include "ascon_hash256.h"

typedef ascon_hash256_u32 u32;

/* No code where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/*
 * One lane of the linear layer: adds to it its rotations to the right by a and
 * by b.  Neither may be a multiple of 32.
 */
static void
linear(u32 *x, unsigned a, unsigned b)
{
	u32 v[2];
	unsigned i, k;

	v[0] = x[0];
	v[1] = x[1];
	for (i = 0; i < 2; i ++) {
		/* From 32 on the halves change places. */
		k = a >> 5;
		a &= 31;
		x[0] ^= v[k] >> a | T32(v[k ^ 1] << (32 - a));
		x[1] ^= v[k ^ 1] >> a | T32(v[k] << (32 - a));
		a = b;
	}
}

/* Ascon-p[12]; the block is empty afterwards. */
static void
permute(ascon_hash256_context *cc)
{
	u32 *s, a, b, c, d, e;
	unsigned rc, i;

	cc->ptr = 0;
	s = cc->s;

	/* The constants are F0, E1, ..., 4B. */
	for (rc = 0xF0; rc != 0x3C; rc -= 0x0F) {
		s[4] ^= rc;
		for (i = 0; i < 2; i ++) {
			a = s[i];
			b = s[i + 2];
			c = s[i + 4] ^ b;
			d = s[i + 6];
			e = s[i + 8];
			a ^= e;
			e ^= d;
			s[i] = a ^ (~b & c);
			s[i + 2] = b ^ (~c & d);
			s[i + 4] = c ^ (~d & e);
			s[i + 6] = d ^ (~e & a);
			s[i + 8] = e ^ (~a & b);
			s[i + 2] ^= s[i];
			s[i] ^= s[i + 8];
			s[i + 6] ^= s[i + 4];
			s[i + 4] ^= (u32)0xFFFFFFFF;
		}
		linear(s, 19, 28);
		linear(s + 2, 61, 39);
		linear(s + 4, 1, 6);
		linear(s + 6, 10, 17);
		linear(s + 8, 7, 41);
	}
}

/*
 * Puts one byte (b < 256) into the block; processes the block when it is full.
 */
static void
put(ascon_hash256_context *cc, unsigned b)
{
	unsigned i;

	i = cc->ptr ++;
	cc->s[i >> 2] ^= (u32)b << ((i & 3) << 3);
	if (i == 7)
		permute(cc);
}

void
ascon_hash256_init(ascon_hash256_context *cc, unsigned out_size)
{
	unsigned i;
	u32 x;

	/*
	 * A 0 that compilers do not see: they would make a call of memset()
	 * out of the loop, which takes more code than the loop.
	 */
	x = out_size & 31;
	for (i = 0; i < 10; i ++)
		cc->s[i] = x;
	cc->s[0] = 0x00CC0002;
	cc->s[1] = 0x00000801;
	permute(cc);
}

void
ascon_hash256(ascon_hash256_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len -- > 0)
		put(cc, *p ++);
}

void
ascon_hash256_close(ascon_hash256_context *cc,
	unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	unsigned i, v;

	/*
	 * From the lowest bit upwards: the n extra bits (the first one is bit
	 * 7 of ub), a 1 bit, and zeros to the end of the block.
	 */
	v = 1;
	ub >>= 8 - n;
	for (i = 0; i < n; i ++) {
		v = v << 1 | (ub & 1);
		ub >>= 1;
	}
	do {
		put(cc, v);
		v = 0;
	} while (cc->ptr != 0);

	d = dst;
	for (i = 0; i < 32; i ++) {
		/* Nothing is put in, and after eight bytes come the next. */
		*d ++ = (unsigned char)(cc->s[i >> 2 & 1] >> ((i & 3) << 3));
		put(cc, 0);
	}
}
