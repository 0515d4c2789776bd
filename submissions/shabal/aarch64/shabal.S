/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal, all output sizes (32, 64 ... 512 bits), for AArch64 (ARMv8-A, LP64,
 * little-endian).  General registers only: no SIMD, no optional extension.
 *
 * CONTRACT
 *
 *   void shabal_init(shabal_context *cc, unsigned out_size);
 *   void shabal(shabal_context *cc, const void *data, size_t len);
 *   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
 *
 * Procedure call standard: arguments in x0..x3; of w1 and w2 in shabal_init
 * and shabal_close the upper halves of the registers may hold anything.
 * Changed: x1, x2, x4..x9, x11..x14; also x3 by shabal_init, and x30 by
 * shabal_close.  Not touched at all: x0, x10, x15..x29, sp, the flags, the
 * SIMD registers.  The stack is not used: 0 bytes.  No external symbol, no
 * relocation; position independent.
 * cc must be aligned to 8 bytes; every access is aligned on its own word size.
 * data and dst may have any alignment.  If len is 0, data is not read.
 * n is 0..7; bits of ub that are not input are ignored.  Neither data nor dst
 * may overlap *cc.  W counts to 2^64 blocks.
 *
 * HOW IT WORKS
 *
 * The 48 rounds of P need no index modulo 12 or 16: the four arrays are
 * lines along which one pointer moves, 8 bytes per round, because words that are
 * needed together are stored together:
 *
 *   X(n) = { B line, A line }: B[n mod 16] before its round n is the first word of
 *          X(n); A[n mod 12] before its round n is the second word of X(n + 4).
 *          Round k appends X(k + 16), which are the two words that it makes.
 *   Y(n) = { M[n mod 16], C[(8 - n) mod 16] }, what round n takes from there.
 *          Round k appends Y(k + 16), the same again: no index wraps.
 *
 * Y(n) lies 128 bytes below X(n), so that Y(n + 16) takes the place of X(n),
 * which is dead then.  After the rounds X(48..63) hold A and B, and Y(0..63)
 * are all intact.
 *
 * What remains of a block (the additions of C to A, C - M, the swap, and for
 * the next block B + M, A xor W, the rotations by 17) is done in one loop over
 * j = 0..15 at the start of the next block.  With h = j - 4:
 *
 *   C'[j]  = first word of X(48 + j), the last B
 *   A'[h]  = (second word of X(48 + j) + C[h+3] + C[h+11] + C[h+15]) ^ W line[j]
 *   B'[j]  = (C[j] - old M[j] + new M[j]) <<< 17
 *
 * The three sums are the 36 steps of the specification.  The W line is 16 words,
 * of which 4 and 5 are the counter W, and 6..15 are zero.  A'[-4..-1]
 * is garbage that nobody reads, so words 0..3 of that line are free for other
 * fields.  C[h+3] = C[j-1] is the C[j] of the step before.  C'[j] is stored into
 * Y(8 - j) and Y(24 - j), so that Y(0..15) needs no wrap-around; what this
 * puts below Y(0) is outside of all lines, and what it puts above Y(15), into the
 * second words of X(0..8), is there before A'[0..4] are.  C[j] and the others are
 * read from Y(34..61), which the loop does not write.
 * After the last step register a holds A'[11], as the first round wants it.
 *
 * The context in bytes: 0 BUF (the block being filled), 64 room for
 * shabal_init, 128 the W line: PTR (bytes in BUF, 0..63), out_size, 8 bytes unused,
 * W, 40 bytes of zeros; 192 PAD (one byte, then 63 zeros), 256 C words below Y(0),
 * 312 Y(0), 440 X(0) .. 952.
 *
 * i (w4) counts everything: bytes in BUF up to 64, then steps of the first
 * loop up to 80 (bit 4), then rounds up to 128 (bit 7), and 128 less is an
 * empty buffer.  Its upper bits (256 and up) count the rounds of shabal_close.
 *
 * shabal_init makes the 32 words of the two prefix blocks in BUF and behind it,
 * and feeds these 128 bytes to shabal: the first 64 copy themselves.
 * W is incremented before a block of data, so that it starts with -2.
 * shabal_close jumps to .Lblock with len = 0, so that the block returns to
 * x30; that does not change x30, so that it returns to the same place again.
 *
 * Bytes: close 88, init 48, shabal 232 (bytes and counter 56, block 176).
 */

#define BUF	0
#define WL	128		/* W line */
#define PTR	(WL + 0)
#define OUT	(WL + 4)
#define W	(WL + 16)	/* 64 bits: words 4 and 5 of the line */
#define PAD	192
#define Y0	312
#define SIZE	952

#define cc	x0
#define src	x1
#define len	x2
#define dst	x3
#define i	w4
#define ix	x4
#define a	w5		/* A word of the previous round */
#define c	w6
#define v	w7
#define m	w8
#define back	x9
#define x	x11		/* Y(j), then X(k) */
#define z	x12		/* C word of Y(24 - j) */
#define buf	x13		/* BUF + 4 j */
#define t	w14

	.text
	.balign	4

	.globl	shabal_close
	.type	shabal_close, %function
shabal_close:
	mov	back, x30
	/* With s = -256 >> n: keep the n upper bits of ub, add 128 >> n. */
	mov	w5, #-256
	asr	w5, w5, w2
	and	w1, w1, w5
	sub	w1, w1, w5, asr #1
	strb	w1, [cc, #PAD]
	ldr	w5, [cc, #PTR]		/* as many bytes as BUF takes, 1..64 */
	mov	w2, #64
	sub	w2, w2, w5
	add	src, cc, #PAD
	bl	shabal_feed		/* the padded block; then len = 0, i = 0 */
	add	i, i, #256 + 64		/* .Lblock comes back here, too, */
	tbz	i, #10, .Lblock		/* with 256, 512, 768: three times */
	ldr	w2, [cc, #OUT]
	lsr	w2, w2, #3		/* bytes; from the last one downwards, */
	add	src, x, #15 * 8 + 3	/* which is in the first word of X(63) */
1:	ldrb	c, [src], #-1
	and	src, src, #~4		/* into the first word below */
	sub	len, len, #1
	strb	c, [dst, len]
	cbnz	len, 1b
	ret	back
	.size	shabal_close, . - shabal_close

	.globl	shabal_init
	.type	shabal_init, %function
shabal_init:
	mov	w2, #SIZE		/* all zero */
1:	sub	x2, x2, #8
	str	xzr, [cc, x2]
	cbnz	x2, 1b
	str	w1, [cc, #OUT]
	mov	x3, #-2
	str	x3, [cc, #W]
2:	str	w1, [cc, x2]		/* out_size, out_size + 1, ... */
	add	x2, x2, #4
	add	w1, w1, #1
	tbz	w2, #7, 2b		/* 128 bytes: x2 = len */
	mov	src, cc
	/* goes on in shabal */
	.size	shabal_init, . - shabal_init

	.globl	shabal
	.type	shabal, %function
	.type	shabal_feed, %function
shabal:
shabal_feed:
	ldr	i, [cc, #PTR]
.Lmore:
	cbz	len, .Lend
	sub	len, len, #1
	ldrb	c, [src], #1
	strb	c, [cc, ix]		/* BUF = 0 */
	add	i, i, #1
	tbz	i, #6, .Lmore
	ldr	x5, [cc, #W]
	add	x5, x5, #1
	str	x5, [cc, #W]

.Lblock:				/* i = 64, and maybe a multiple of 256 */
	mov	buf, cc
	add	x, cc, #Y0
	add	z, cc, #Y0 + 24 * 8 + 4
2:	ldr	c, [x, #64 * 8]		/* X(48 + j): C'[j] */
	stur	c, [z, #-16 * 8]	/* Y(8 - j) */
	str	c, [z], #-8		/* Y(24 - j); now z is at Y(23 - j) */
	ldr	a, [x, #64 * 8 + 4]	/* A[h] */
	add	a, a, m			/* C[h+3], Y(57 - j) */
	ldr	c, [z, #(49 - 23) * 8]	/* C[h+11], Y(49 - j) */
	add	a, a, c
	ldr	c, [z, #(61 - 23) * 8]	/* C[h+15], Y(61 - j) */
	add	a, a, c
	ldr	c, [buf, #WL]
	eor	a, a, c			/* A'[h] */
	ldr	m, [z, #(56 - 23) * 8]	/* C[j], Y(56 - j); stays in m */
	ldr	c, [x, #48 * 8]		/* old M[j], Y(48 + j) */
	sub	v, m, c
	ldr	c, [buf], #4		/* new M[j] */
	add	v, v, c
	ror	v, v, #15		/* left 17: B'[j] */
	stp	v, a, [x, #128]		/* X(j) */
	str	c, [x], #8		/* Y(j) */
	add	i, i, #1
	tbz	i, #4, 2b
	/* x is at Y(16), which is X(0) */

3:	ror	a, a, #17		/* A[k-1] <<< 15 */
	add	a, a, a, lsl #2		/* times 5 */
	ldr	t, [x, #4 * 8 + 4]	/* A[k] */
	eor	a, a, t
	ldp	m, c, [x, #-128]	/* M and C of this round */
	eor	a, a, c
	add	a, a, a, lsl #1		/* times 3 */
	eor	a, a, m
	ldr	t, [x, #13 * 8]
	eor	a, a, t			/* B[k+13] */
	ldr	t, [x, #9 * 8]
	ldr	v, [x, #6 * 8]
	bic	t, t, v			/* B[k+9] & ~B[k+6] */
	eor	a, a, t			/* new A[k] */
	ldr	t, [x]			/* B[k] */
	eon	v, a, t, ror #31	/* (B[k] <<< 1) ^ ~A[k] */
	stp	v, a, [x, #128]		/* X(k+16) */
	stp	m, c, [x], #8		/* Y(k+16) */
	add	i, i, #1
	tbz	i, #7, 3b
	sub	i, i, #128		/* BUF is empty */
	b	.Lmore
.Lend:
	str	i, [cc, #PTR]
	ret
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", %progbits
