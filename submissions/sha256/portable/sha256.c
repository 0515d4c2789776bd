/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-256 and SHA-224, small in code.
 *
 * Portable C90.  Needs 8-bit bytes and an unsigned type of 32 bits or more;
 * "int" may have 16 bits.  Byte order, alignment and the sign of "char" do not
 * matter.  No external function is called; the one table is constant, and on
 * AVR in flash (GCC: __flash, so not with -std=c90; clang: address space 1).
 *
 * A message byte enters its word from below, the older ones move up, and after
 * four of them the word is big-endian whatever the machine is.  The message
 * schedule overwrites the block.  The eight working variables are a window
 * that slides down an array, so that none of them is ever moved (288 bytes of
 * stack).
 */

#include "sha256.h"

typedef sha256_u32 u32;

#if defined __AVR__ && defined __FLASH
#define FLASH  __flash
#elif defined __AVR__ && defined __clang__
#define FLASH  __attribute__((address_space(1)))
#else
#define FLASH
#endif

/* Nothing at all where u32 has exactly 32 bits. */
#define T32(x)      ((x) & (u32)0xFFFFFFFF)

/* x must be below 2^32, 0 < n < 32. */
#define ROTR(x, n)  T32((x) >> (n) | (x) << (32 - (n)))

/*
 * A rotation by a + b, taken modulo 32: an 8-bit machine moves bytes for a, and
 * other compilers make one rotation of it.  For the same reason the sums of
 * rotations are nested: short ones are the cheap ones where there is no
 * instruction for them.
 */
#define ROTR2(x, a, b)  ROTR(ROTR(x, a), b)

static const FLASH u32 T[80] = {
	/* the round constants */
	0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5,
	0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
	0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
	0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
	0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC,
	0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
	0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7,
	0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
	0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
	0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
	0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3,
	0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
	0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5,
	0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
	0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
	0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
	/* the initial state of SHA-256 */
	0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
	0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
	/* the initial state of SHA-224 */
	0xC1059ED8, 0x367CD507, 0x3070DD17, 0xF70E5939,
	0xFFC00B31, 0x68581511, 0x64F98FA7, 0xBEFA4FA4
};

/*
 * Processes the block and destroys it.
 */
static void
block(sha256_context *cc)
{
	u32 v[8 + 64], *p, *w;
	u32 x, y, z;
	unsigned i;

	p = v + 64;
	for (i = 0; i < 8; i ++)
		p[i] = cc->h[i];
	for (i = 0; i < 64; i ++) {
		/* p[0] to p[7] are a to h.  First 6, 11 and 25. */
		w = &cc->m[i & 15];
		x = p[4];
		z = x ^ ROTR2(x, 16, 30);
		z = x ^ ROTR2(z, 8, 29);
		z = ROTR2(z, 8, 30);
		y = T32(p[7] + z + (p[6] ^ (x & (p[5] ^ p[6]))) + T[i] + *w);
		p --;
		p[4] = T32(p[4] + y);

		/* 2, 13 and 22. */
		x = p[1];
		z = x ^ ROTR2(x, 8, 1);
		z = x ^ ROTR2(z, 8, 3);
		z = ROTR(z, 2);
		p[0] = T32(y + z + ((x & p[2]) | (p[3] & (x | p[2]))));

		/*
		 * The word for 16 steps later; the last 16 are not used.
		 * Rotations by 7 and 18, by 17 and 19.
		 */
		x = cc->m[(i + 1) & 15];
		y = cc->m[(i + 14) & 15];
		z = x ^ ROTR2(x, 8, 3);
		x = ROTR2(z, 8, 31) ^ x >> 3;
		z = y ^ ROTR(y, 2);
		y = ROTR2(z, 16, 1) ^ y >> 10;
		*w = T32(*w + x + cc->m[(i + 9) & 15] + y);
	}
	for (i = 0; i < 8; i ++)
		cc->h[i] = T32(cc->h[i] + p[i]);
}

/*
 * Puts one byte (b < 256) into the block; processes the block when it is full.
 */
static void
put(sha256_context *cc, unsigned b)
{
	u32 *w;

	w = &cc->m[cc->count[0] >> 2 & 15];
	*w = T32(*w << 8 | b);
	cc->count[0] = T32(cc->count[0] + 1);
	if ((cc->count[0] & 63) == 0) {
		if (cc->count[0] == 0)
			cc->count[1] = T32(cc->count[1] + 1);
		block(cc);
	}
}

void
sha256_init(sha256_context *cc, unsigned out_size)
{
	unsigned i;

	cc->out_size = out_size;
	cc->count[0] = cc->count[1] = 0;
	for (i = 0; i < 8; i ++)
		cc->h[i] = T[64 + ((out_size & 32) >> 2) + i];
}

void
sha256(sha256_context *cc, const void *data, size_t len)
{
	const unsigned char *p;

	p = data;
	while (len -- > 0)
		put(cc, *p ++);
}

void
sha256_close(sha256_context *cc, unsigned ub, unsigned n, void *dst)
{
	unsigned char *d;
	unsigned i;
	u32 lo, hi;

	lo = cc->count[0];
	hi = cc->count[1];

	/*
	 * The n upper bits of ub, a 1 bit behind them, then zeros.  Bits of
	 * ub below are shifted out, those above bit 7 masked.
	 */
	i = ((ub >> (7 - n) | 1) << (7 - n)) & 0xFF;
	do {
		put(cc, i);
		i = 0;
	} while ((cc->count[0] & 63) != 56);
	cc->m[14] = T32(hi << 3 | lo >> 29);
	cc->m[15] = T32(lo << 3 | n);
	block(cc);

	d = dst;
	for (i = 0; i < cc->out_size >> 3; i ++)
		*d ++ = (unsigned char)(cc->h[i >> 2] >> (~i & 3) * 8);
}
