/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Shabal, all output sizes, small in code.
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called, no multiplication is used, and
 * there is no data but the context and 256 bytes of stack in inner().
 *
 * Where the bytes went:
 *
 * - Input is never decoded.  A message byte enters its word from above, the
 *   older ones move down, and after four of them the word is little-endian
 *   whatever the machine is (put()).  That also needs no copy of a block.
 * - inner() keeps all values of B in one array, so that the three accesses
 *   modulo 16 become accesses at fixed distances.
 * - The zeros of the initial state come from "out_size & 31".  A compiler
 *   cannot know that this is 0, so it does not make a call of memset() out of
 *   the loop (which on some machines costs more than the loop, and on i386 a
 *   global symbol).
 */

#include "shabal.h"

typedef shabal_u32 u32;

/* All five in the same form: some compilers make less code of it. */
#define M  (cc->s + 0)
#define W  (cc->s + 16)
#define A  (cc->s + 18)
#define B  (cc->s + 30)
#define C  (cc->s + 46)

/* No code where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/*
 * x must be below 2^32, 0 < n < 32.  Rotations by 15 and 17 are written as two:
 * an 8-bit machine moves bytes for the 16, and other compilers make one of it.
 */
#define ROTL(x, n)  T32((x) << (n) | (x) >> (32 - (n)))

/*
 * One round of the mode of operation for the block M and its number W: message
 * introduction, permutation, message subtraction and the exchange of B and C.
 * M and W are left as they are.
 */
static void
inner(shabal_context *cc)
{
	u32 t[64];      /* B as it comes in, then the 48 new values */
	u32 x, *a;
	int i;

	A[0] ^= W[0];
	A[1] ^= W[1];
	for (i = 0; i < 16; i ++) {
		x = T32(B[i] + M[i]);
		x = ROTL(x, 16);
		t[i] = ROTL(x, 1);
	}

	/* a walks over A, four times; x = the word of A computed last. */
	x = A[11];
	a = A;
	for (i = 0; i < 48; i ++) {
		x = ROTL(x, 16);
		x = ROTL(x, 31);
		x = *a ^ (x + (x << 2)) ^ C[(8 - i) & 15];
		x = (x + (x << 1)) ^ t[i + 13] ^ (t[i + 9] & ~t[i + 6])
			^ M[i & 15];
		x = T32(x);
		*a ++ = x;
		t[i + 16] = T32(ROTL(t[i], 1) ^ ~x);
		if (a == B)
			a = A;
	}

	/* The order of the 36 additions does not matter; a is at A again. */
	for (i = 0; i < 36; i ++) {
		*a = T32(*a + C[(i + 3) & 15]);
		a ++;
		if (a == B)
			a = A;
	}

	for (i = 0; i < 16; i ++) {
		B[i] = T32(C[i] - M[i]);
		C[i] = t[i + 48];
	}
}

/*
 * Puts one byte (b < 256) into the block; processes the block when it is full,
 * and then ptr is 0.
 */
static void
put(shabal_context *cc, unsigned b)
{
	u32 *w;

	w = &M[cc->ptr >> 2];
	*w = *w >> 8 | (u32)b << 24;
	cc->ptr = (cc->ptr + 1) & 63;
	if (cc->ptr == 0) {
		W[0] = T32(W[0] + 1);
		if (W[0] == 0)
			W[1] = T32(W[1] + 1);
		inner(cc);
	}
}

void
shabal_init(shabal_context *cc, unsigned out_size)
{
	u32 x;
	int i;

	cc->out_size = out_size;
	cc->ptr = 0;
	x = out_size & 31;              /* 0, see above */
	for (i = 0; i < 44; i ++)
		A[i] = x;

	/*
	 * Two prefix blocks: words out_size to out_size + 31, numbers -1
	 * and 0.  x takes these values for both halves of W, which stays at
	 * 0: put() counts before it processes.
	 */
	x --;
	do {
		W[0] = W[1] = T32(x);
		for (i = 0; i < 16; i ++)
			M[i] = out_size ++;
		inner(cc);
		x ++;
	} while (T32(x) == 0);
}

void
shabal(shabal_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len -- > 0)
		put(cc, *p ++);
}

void
shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	unsigned i;

	/*
	 * The n upper bits of ub, a 1 bit behind them, then zeros.  Bits of
	 * ub below are shifted out, those above bit 7 masked.
	 */
	i = ((ub >> (7 - n) | 1) << (7 - n)) & 0xFF;
	do {
		put(cc, i);
		i = 0;
	} while (cc->ptr != 0);

	/* The last block, then three more rounds with the same M and W. */
	for (i = 0; i < 3; i ++)
		inner(cc);

	/* The last out_size / 8 bytes of C. */
	d = dst;
	for (i = 64 - (cc->out_size >> 3); i < 64; i ++)
		*d ++ = (unsigned char)(C[i >> 2] >> ((i & 3) << 3));
}
