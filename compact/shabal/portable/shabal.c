/* SPDX-License-Identifier: CC0-1.0 */
#include "shabal.h"

typedef shabal_u32 u32;

#define A  (cc->s)
#define B  (cc->s + 12)
#define C  (cc->s + 28)
#define W  (cc->s + 44)
#define M  (cc->s + 46)

#define ROTL(x, n)  ((x) << (n) | (x) >> (32 - (n)))

static void
inner(shabal_context *cc)
{
	u32 t[64], x;
	int i, j;

	A[0] ^= W[0];
	A[1] ^= W[1];
	for (i = 0; i < 16; i ++) {
		x = B[i] + M[i];
		t[i] = ROTL(x, 17);
	}
	x = A[11];
	for (i = j = 0; i < 48; i ++) {
		x = ROTL(x, 15);
		x = A[j] ^ (x + (x << 2)) ^ C[(8 - i) & 15];
		x = (x + (x << 1)) ^ t[i + 13] ^ (t[i + 9] & ~t[i + 6])
			^ M[i & 15];
		A[j] = x;
		t[i + 16] = ROTL(t[i], 1) ^ ~x;
		if (++ j == 12) j = 0;
	}
	for (i = 0; i < 36; i ++) {
		A[j] += C[(i + 3) & 15];
		if (++ j == 12) j = 0;
	}
	for (i = 0; i < 16; i ++) {
		B[i] = C[i] - M[i];
		C[i] = t[i + 48];
	}
}

void
shabal_init(shabal_context *cc, unsigned out_size)
{
	int i;
	u32 x;

	cc->out_size = out_size;
	cc->ptr = 0;
	x = out_size & 31;
	for (i = 0; i < 44; i ++)
		A[i] = x;
	x = ~x;
	do {
		W[0] = W[1] = x;
		for (i = 0; i < 16; i ++)
			M[i] = out_size ++;
		inner(cc);
	} while (++ x == 0);
}

void
shabal(shabal_context *cc, const void *data, size_t len)
{
	const unsigned char *p = data;
	u32 *w;

	while (len -- > 0) {
		w = &M[cc->ptr >> 2];
		*w = *w >> 8 | (u32)*p ++ << 24;
		if (++ cc->ptr == 64) {
			cc->ptr = 0;
			if (++ W[0] == 0)
				W[1] ++;
			inner(cc);
		}
	}
}

void
shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d = dst;
	unsigned char z;
	unsigned i;
	u32 *w;

	z = ((ub >> (7 - n)) | 1) << (7 - n);
	do {
		shabal(cc, &z, 1);
		z = 0;
	} while (cc->ptr);
	for (i = 0; i < 3; i ++)
		inner(cc);
	for (i = 64 - (cc->out_size >> 3); i < 64; i ++) {
		w = &C[i >> 2];
		*d ++ = *w;
		*w >>= 8;
	}
}
