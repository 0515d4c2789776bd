/* SPDX-License-Identifier: CC0-1.0 */

/*
 * BLAKE2s without key, output of 1 to 32 bytes, small in code.
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called; the tables are constant, and on AVR
 * in flash (GCC: __flash, so not with -std=c90; clang: address space 1).
 *
 * A message byte enters its word from above, the older ones move down, and
 * after four of them the word is little-endian whatever the machine is.
 */

#include "blake2s.h"

typedef blake2s_u32 u32;

#if defined __AVR__ && defined __FLASH
#define FLASH  __flash
#elif defined __AVR__ && defined __clang__
#define FLASH  __attribute__((address_space(1)))
#else
#define FLASH
#endif

/* No code where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/*
 * x must be below 2^32, 0 < n < 32.  Rotations by 7 and 12 are written as two:
 * an 8-bit machine moves bytes for the 8, and other compilers make one of it.
 */
#define ROTR(x, n)  T32((x) >> (n) | (x) << (32 - (n)))

/* The state that SHA-256 begins with. */
static const FLASH u32 IV[8] = {
	0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
	0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19
};

/* SIGMA of RFC 7693, two message words for each G: the first one is high. */
static const FLASH unsigned char SIGMA[80] = {
	0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF,
	0xEA, 0x48, 0x9F, 0xD6, 0x1C, 0x02, 0xB7, 0x53,
	0xB8, 0xC0, 0x52, 0xFD, 0xAE, 0x36, 0x71, 0x94,
	0x79, 0x31, 0xDC, 0xBE, 0x26, 0x5A, 0x40, 0xF8,
	0x90, 0x57, 0x24, 0xAF, 0xE1, 0xBC, 0x68, 0x3D,
	0x2C, 0x6A, 0x0B, 0x83, 0x4D, 0x75, 0xFE, 0x19,
	0xC5, 0x1F, 0xED, 0x4A, 0x07, 0x63, 0x92, 0x8B,
	0xDB, 0x7E, 0xC1, 0x39, 0x50, 0xF4, 0x86, 0x2A,
	0x6F, 0xE9, 0xB3, 0x08, 0xC2, 0xD7, 0x14, 0xA5,
	0xA2, 0x84, 0x76, 0x15, 0xFB, 0x9E, 0x3C, 0xD0
};

/*
 * Processes the block; last is all ones for the last one, or 0.
 */
static void
block(blake2s_context *cc, u32 last)
{
	u32 v[16], a, b, c, d;
	unsigned i, j, k, x, y, z;

	for (i = 0; i < 8; i ++) {
		v[i] = cc->h[i];
		v[i + 8] = IV[i];
	}
	v[12] ^= cc->t[0];
	v[13] ^= cc->t[1];
	v[14] ^= last;

	/* i = 8 * round + G; k = 0 for a column, 1 for a diagonal. */
	for (i = 0; i < 80; i ++) {
		j = i & 3;
		k = i >> 2 & 1;
		x = 4 + ((j + k) & 3);
		y = 8 + ((j + k + k) & 3);
		z = 12 + ((j - k) & 3);
		a = v[j];
		b = v[x];
		c = v[y];
		d = v[z];
		k = SIGMA[i];
		a = T32(a + b + cc->m[k >> 4]);
		d ^= a;
		d = ROTR(d, 16);
		c = T32(c + d);
		b ^= c;
		b = ROTR(b, 8);
		b = ROTR(b, 4);
		a = T32(a + b + cc->m[k & 15]);
		d ^= a;
		d = ROTR(d, 8);
		c = T32(c + d);
		b ^= c;
		b = ROTR(b, 8);
		b = ROTR(b, 31);
		v[j] = a;
		v[x] = b;
		v[y] = c;
		v[z] = d;
	}
	for (i = 0; i < 8; i ++)
		cc->h[i] ^= v[i] ^ v[i + 8];
}

/*
 * Puts one byte (b < 256) into the block, which is not full.
 */
static void
put(blake2s_context *cc, unsigned b)
{
	u32 *w;

	w = &cc->m[cc->ptr ++ >> 2];
	*w = T32(*w) >> 8 | (u32)b << 24;
}

void
blake2s_init(blake2s_context *cc, unsigned out_size)
{
	unsigned i;

	for (i = 0; i < 8; i ++)
		cc->h[i] = IV[i];
	cc->out_size = out_size;
	cc->h[0] ^= (u32)0x01010000 ^ (out_size >> 3);
	cc->t[0] = cc->t[1] = 0;
	cc->ptr = 0;
}

void
blake2s(blake2s_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len -- > 0) {
		/* A full block waits until it is known not to be the last. */
		if (cc->ptr == 64) {
			block(cc, 0);
			cc->ptr = 0;
		}
		put(cc, *p ++);
		cc->t[0] = T32(cc->t[0] + 1);
		if (cc->t[0] == 0)
			cc->t[1] = T32(cc->t[1] + 1);
	}
}

void
blake2s_close(blake2s_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	unsigned i;

	/* There are no extra bits in BLAKE2s. */
	(void)ub;
	(void)n;

	while (cc->ptr != 64)
		put(cc, 0);
	block(cc, (u32)0xFFFFFFFF);
	d = dst;
	for (i = 0; i < cc->out_size >> 3; i ++)
		*d ++ = (unsigned char)(cc->h[i >> 2] >> ((i & 3) << 3));
}
