/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Shabal, all output sizes, unrolled: what the speed of compact code is compared
 * with (the other folders).
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called.
 *
 * All 48 steps of the permutation are written out, so that every index is a
 * constant, and B is renewed where it stands: its word i takes the values i,
 * i + 16 and so on.
 */

#include "shabal.h"

typedef shabal_u32 u32;

#define A  (cc->state + 0)
#define B  (cc->state + 12)
#define C  (cc->state + 28)

/* No code where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/* x must be below 2^32, 0 < n < 32. */
#define ROTL(x, n)  T32((x) << (n) | (x) >> (32 - (n)))

/* Step i of the permutation for word j = i modulo 12 of A and k = i modulo 16. */
#define STEP(j, before, k) do { \
		x = a[j] ^ T32(ROTL(a[before], 15) * 5) ^ c[(8 - (k)) & 15]; \
		x = T32(x * 3) ^ b[((k) + 13) & 15] \
			^ (b[((k) + 9) & 15] & ~b[((k) + 6) & 15]) ^ m[k]; \
		a[j] = T32(x); \
		b[k] = T32(ROTL(b[k], 1) ^ ~a[j]); \
	} while (0)

/* Four steps, of which j is a multiple of 4. */
#define FOUR(j, before, k) do { \
		STEP((j) + 0, before, (k) + 0); \
		STEP((j) + 1, (j) + 0, (k) + 1); \
		STEP((j) + 2, (j) + 1, (k) + 2); \
		STEP((j) + 3, (j) + 2, (k) + 3); \
	} while (0)

/* a[j] takes three words of C. */
#define ADD(j)  (a[j] = T32(a[j] + c[((j) + 3) & 15] + c[((j) + 15) & 15] \
		+ c[((j) + 27) & 15]))

/*
 * One round of the mode of operation for the words m and the number W of their
 * block: message introduction, permutation, message subtraction and the exchange
 * of B and C.
 */
static void
inner(shabal_context *cc, const u32 *m)
{
	u32 a[12], b[16], c[16], x;
	int i;

	for (i = 0; i < 12; i ++)
		a[i] = A[i];
	a[0] ^= cc->Wlow;
	a[1] ^= cc->Whigh;
	for (i = 0; i < 16; i ++) {
		x = T32(B[i] + m[i]);
		b[i] = ROTL(x, 17);
		c[i] = C[i];
	}

	FOUR(0, 11, 0); FOUR(4, 3, 4); FOUR(8, 7, 8); FOUR(0, 11, 12);
	FOUR(4, 3, 0); FOUR(8, 7, 4); FOUR(0, 11, 8); FOUR(4, 3, 12);
	FOUR(8, 7, 0); FOUR(0, 11, 4); FOUR(4, 3, 8); FOUR(8, 7, 12);

	ADD(0); ADD(1); ADD(2); ADD(3); ADD(4); ADD(5);
	ADD(6); ADD(7); ADD(8); ADD(9); ADD(10); ADD(11);

	for (i = 0; i < 12; i ++)
		A[i] = a[i];
	for (i = 0; i < 16; i ++) {
		B[i] = T32(c[i] - m[i]);
		C[i] = b[i];
	}
}

/* The words of a block, little-endian. */
static void
decode(u32 *m, const unsigned char *p)
{
	int i;

	for (i = 0; i < 16; i ++, p += 4)
		m[i] = (u32)p[0] | (u32)p[1] << 8 | (u32)p[2] << 16
			| (u32)p[3] << 24;
}

static void
block(shabal_context *cc, const unsigned char *p)
{
	u32 m[16];

	decode(m, p);
	inner(cc, m);
	cc->Wlow = T32(cc->Wlow + 1);
	if (cc->Wlow == 0)
		cc->Whigh = T32(cc->Whigh + 1);
}

void
shabal_init(shabal_context *cc, unsigned out_size)
{
	u32 m[16];
	unsigned i, j;

	cc->out_size = out_size;
	cc->ptr = 0;
	for (i = 0; i < 44; i ++)
		cc->state[i] = 0;

	/* Two prefix blocks: words out_size to out_size + 31, numbers -1 and 0. */
	for (j = 0; j < 2; j ++) {
		cc->Wlow = cc->Whigh = j ? 0 : (u32)0xFFFFFFFF;
		for (i = 0; i < 16; i ++)
			m[i] = (u32)out_size + 16 * j + i;
		inner(cc, m);
	}
	cc->Wlow = 1;
}

void
shabal(shabal_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len > 0) {
		if (cc->ptr == 0 && len >= 64) {
			block(cc, p);
			p += 64;
			len -= 64;
			continue;
		}
		cc->buf[cc->ptr ++] = *p ++;
		len --;
		if (cc->ptr == 64) {
			cc->ptr = 0;
			block(cc, cc->buf);
		}
	}
}

void
shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	u32 m[16];
	unsigned i;

	/*
	 * The n upper bits of ub, a 1 bit behind them, then zeros.  Bits of
	 * ub below are shifted out, those above bit 7 masked.
	 */
	i = ((ub >> (7 - n) | 1) << (7 - n)) & 0xFF;
	do {
		cc->buf[cc->ptr ++] = (unsigned char)i;
		i = 0;
	} while (cc->ptr < 64);

	/* The last block, and three more rounds with the same words and number. */
	decode(m, cc->buf);
	for (i = 0; i < 4; i ++)
		inner(cc, m);

	/* The last out_size / 8 bytes of C. */
	d = dst;
	for (i = 64 - (cc->out_size >> 3); i < 64; i ++)
		*d ++ = (unsigned char)(C[i >> 2] >> ((i & 3) << 3));
}
