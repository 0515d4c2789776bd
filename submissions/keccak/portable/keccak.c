/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-3, four output sizes, small in code.
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called, and there is no table: rotation
 * counts, the order of the lanes and the round constants are computed.
 *
 * A lane is two 32-bit words, so s[i] and s[i + 2] are the same half of
 * neighbours.  theta and chi work on halves, and need a row with its beginning
 * repeated behind its end: c[i + 10] = c[i].
 */

#include "keccak.h"

typedef keccak_u32 u32;

/* No code where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/* Keccak-f[1600]. */
static void
permute(u32 *s)
{
	u32 c[20], lo, hi, t, *p;
	unsigned r, n, i, j, x, y, round;

	r = 1;
	for (round = 0; round < 24; round ++) {
		/*
		 * theta.  The parity of a column is rotated by one bit: each
		 * half takes its lowest bit from the top of the other half.
		 */
		for (i = 0; i < 10; i ++)
			c[i] = c[i + 10] = s[i] ^ s[i + 10] ^ s[i + 20]
				^ s[i + 30] ^ s[i + 40];
		for (i = 0; i < 10; i ++) {
			t = c[i + 8] ^ T32(c[i + 2] << 1)
				^ c[(i + 2) ^ 1] >> 31;
			for (j = i; j < 50; j += 10)
				s[j] ^= t;
		}

		/*
		 * rho and pi: one walk over all lanes but the first.  The
		 * lane in hand (lo, hi) is rotated and changed for the one
		 * at its new place.  The i-th rotation count is i more than
		 * the one before.
		 */
		lo = s[2];
		hi = s[3];
		x = 1;
		y = 0;
		n = 0;
		for (i = 1; i < 25; i ++) {
			n += i;
			if (n & 32) {
				t = lo;
				lo = hi;
				hi = t;
			}
			j = n & 31;
			t = T32(lo << j) | hi >> 1 >> (31 - j);
			hi = T32(hi << j) | lo >> 1 >> (31 - j);

			/* (x, y) -> (y, 2 x + 3 y), mod 5: 2 (x - y). */
			j = x - y;
			if (x < y)
				j += 5;
			j += j;
			if (j >= 5)
				j -= 5;
			x = y;
			y = j;
			p = s + ((y << 3) + y + y + x + x);
			lo = p[0];
			p[0] = t;
			t = p[1];
			p[1] = hi;
			hi = t;
		}

		/* chi. */
		for (p = s; p != s + 50; p += 10) {
			for (i = 0; i < 10; i ++)
				c[i] = c[i + 10] = p[i];
			for (i = 0; i < 10; i ++)
				p[i] = c[i] ^ (~c[i + 2] & c[i + 4]);
		}

		/*
		 * iota: the bits 0, 1, 3, 7, 15, 31 and 63 of the constant
		 * come from an LFSR that runs on from round to round.
		 */
		for (i = 0; i < 64; i += i + 1) {
			if (r & 1)
				s[i >> 5] ^= (u32)1 << (i & 31);
			r <<= 1;
			if (r & 0x100)
				r ^= 0x171;
		}
	}
}

/*
 * Adds a byte (b < 256) to the block at offset i.
 */
static void
add(keccak_context *cc, unsigned i, unsigned b)
{
	cc->s[i >> 2] ^= (u32)b << ((i & 3) << 3);
}

/*
 * Puts one byte into the block; processes the block when it is full.
 */
static void
put(keccak_context *cc, unsigned b)
{
	add(cc, cc->ptr, b);
	if (++ cc->ptr == cc->rate) {
		cc->ptr = 0;
		permute(cc->s);
	}
}

void
keccak_init(keccak_context *cc, unsigned out_size)
{
	u32 x;
	unsigned i;

	cc->ptr = 0;
	cc->rate = 200 - (out_size >> 2);

	/*
	 * A 0 that compilers do not see: out_size is a multiple of 32.  They
	 * would make a call of memset() out of the loop.
	 */
	x = out_size & 31;
	for (i = 0; i < 50; i ++)
		cc->s[i] = x;
}

void
keccak(keccak_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len -- > 0)
		put(cc, *p ++);
}

void
keccak_close(keccak_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	unsigned i, v;

	/*
	 * From the lowest bit upwards: the n extra bits (the first one is bit
	 * 7 of ub), the bits 0 and 1 of SHA-3, and the first 1 of the padding:
	 * n + 3 bits, which may fill a byte, and with it a block.
	 */
	v = 6;
	ub >>= 8 - n;
	for (i = 0; i < n; i ++) {
		v = v << 1 | (ub & 1);
		ub >>= 1;
	}
	if (n > 4) {
		put(cc, v & 0xFF);
		v >>= 8;
	}
	add(cc, cc->ptr, v);

	/* The last 1 of the padding. */
	add(cc, cc->rate - 1, 0x80);
	permute(cc->s);

	d = dst;
	for (i = 0; i < 100 - (cc->rate >> 1); i ++)
		*d ++ = (unsigned char)(cc->s[i >> 2] >> ((i & 3) << 3));
}
