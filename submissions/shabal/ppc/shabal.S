/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal, all output sizes (32, 64 ... 512 bits), for 32-bit PowerPC (603e),
 * big-endian.  All words are accessed aligned; there are no string
 * or multiple-word instructions.
 *
 * CONTRACT
 *
 *   void shabal_init(shabal_context *cc, unsigned out_size);
 *   void shabal(shabal_context *cc, const void *data, size_t len);
 *   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
 *
 * System V (ELF) calling convention: arguments in r3..r6.
 * Changed: r0, r3..r5, r7..r12, CR0, CTR, LR (comes back with its value),
 * XER[CA].  Not touched at all: r1, r2, r6, r13..r31, CR1..CR7.  The stack is
 * not used: 0 bytes.  No external symbol, no relocation; position independent.
 * cc must be word-aligned; data and dst may have any alignment.  If len is 0,
 * data is not read.  n is 0..7; bits of ub that are not input are ignored.
 * dst must not overlap *cc (the copy loop recognizes the end of the block
 * buffer by its address).  W counts to 2^64 blocks.
 *
 * HOW IT WORKS
 *
 * The 48 rounds of P need no index reduction, because nothing is indexed
 * modulo 12 or 16: each of the four arrays is a line along which one pointer
 * moves by a word per round (n is the word index in the line):
 *
 *   X(n)  A and B.  Before round k, A[k mod 12] and its followers are
 *         X(k)..X(k+11), and B[k mod 16] and its followers are
 *         X(k+16)..X(k+31).  Round k replaces A by writing X(k+12), and B by
 *         writing X(k+32).  After the rounds: A = X(48..59), B = X(64..79).
 *         X(60..63), and X(12..15) before the rounds, are free.
 *   C(n)  holds C[(8 - n) mod 16], the word that round n uses.  Round n copies
 *         it to C(n+16): the line continues itself.
 *   M(n)  holds M[n mod 16], and is continued in the same way.  M(0..15) is
 *         also the buffer for message bytes.
 *   W(n)  W(0), W(1) = the block counter, low word first; W(2..15) = 0.
 *
 * What remains of a block (the additions of C to A, C - M, the swap, and for
 * the next block B + M, A xor W, the rotations by 17) is done in one loop over
 * j = 0..15 at the start of the next block:
 *
 *   W(j)    += carry                        (64-bit increment, see below)
 *   X(j)     = (X(48+j) + C[j+3] + C[j+11] + C[j+15]) ^ W(j)
 *   X(16+j)  = (C[j] - old M[j] + new M[j]) <<< 17
 *   C[j]     = X(64+j)
 *
 * For j = 12..15, X(j) is garbage in the free words.  C[j] is stored in
 * both C(8-j) and C(24-j), so that C(0..15) needs no wrap-around.  The old
 * values are read where the rounds left them, in C(42..61) and M(48..63).
 * The specification's three sums into each A word are the same as 36 steps
 * modulo 12.  Output words are B of the last round: X(64..79), not yet
 * swapped.
 *
 * Carry (XER[CA]) is what the block adds to W before it uses W: 1 for blocks of
 * data, 0 for the three last ones, which repeat the padded block.  Within
 * the loop only addze changes CA; after it CA is 0 (the carry out of
 * W(15)).
 *
 * Endianness: everything is mirrored in memory.  The lines run downwards
 * (word n+1 lies below word n), and message bytes are stored downwards, too, so
 * that the first byte of a word comes to the highest address and is its
 * least significant byte.  So no byte is ever swapped.  In the same way the
 * result is read from the lowest address upwards, which is from its last byte
 * to its first, and is stored downwards.
 *
 * The lines overlap: along the pointer, M trails behind C, and C behind X, so
 * that a word is only overwritten when it is dead.  In words down from the last
 * word of the context: M(n) at n, C(n) at n + 23 (n = -7..63), X(n) at n + 84
 * (n = 0..79).  In round k the writes are M: k+16, C: k+39, X: k+96, k+116; the
 * live words are k..k+15, k+23..k+38, k+84..k+115, and in the end M(48..63),
 * C(42..63), X(48..79) and the buffer M(0..15) are intact.  The first loop
 * reads 65..84 (C), 48..63 (old M), 0..15 (buffer), 132..163 (X); it writes
 * 84..115 (84 when it has read it) and 16..47.
 * Then W at 164..179; from the start of the context: REM, OUT, and PAD
 * (64 bytes), of which the last 56 are W(15) up to W(2).  184 words in all.
 *
 * After entry r3 points to the buffer (cc + BASE, the buffer's lowest byte, which
 * takes the last byte of a block).  The buffer pointer r9 runs from r3 + 64 down
 * to r3; in the block r9 then points to M(j), in the first loop from r3 + 64 to
 * r3 again, and on through M(16..63) in the rounds.  All other addresses
 * are relative to it, or to r10, which points into C in the first loop.
 *
 * The copy loop of shabal() serves three times: it takes message bytes,
 * it takes the padding (the word line W is zero from W(2) on, and the bytes from
 * PAD on are: the padding byte, then 63 zeros), and it writes the result,
 * with r9 pointing to dst (from its end).  CTR counts its bytes, one more than
 * there are, because it is entered at its end; the block saves CTR in r5.
 *
 * shabal_init and shabal_close enter at .Lblock with r5 = 1 (no more
 * data), so that the block returns to LR.  The return does not change LR, so
 * that a branch (without link) to .Lblock returns to the same place again.
 *
 * Bytes: init 80, close 72, shabal 284 (copy loop 68, block 216).
 */

#define M(n)	(732 - 4 * (n))
#define C(n)	(640 - 4 * (n))
#define X(n)	(396 - 4 * (n))
#define W(n)	(76 - 4 * (n))
#define PAD	8		/* 64 bytes */
#define OUT	4		/* out_size */
#define REM	0		/* free bytes in the buffer, 1..64 */
#define SIZE	736
#define BASE	M(15)

/* displacement and pointer: the pointer is at ... */
#define P	-M(-1)(9)	/* first loop: r9 before M(j), */
#define P1	-M(0)(9)	/* r9 at M(j), */
#define Q	-C(25)(10)	/* r10 before C(24-j) */
#define R	-M(15)(9)	/* rounds: r9 before M(k+16), */
#define R1	-M(16)(9)	/* r9 at M(k+16) */

	.text
	.balign	4

/*
 * All zero; A(0), A(1) and W for the prefix blocks: the first one wants W = -1
 * (64 bits), the second one W = 0, and the first data block W = 1.  W
 * is 0 for both, and in the first one A[0] = A[1] = -1 instead.
 */
	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	mflr	7
	addi	9, 3, SIZE
	li	0, 0
1:	stwu	0, -4(9)		/* clear everything, downwards */
	cmpw	9, 3
	bne	1b
	stw	4, OUT(3)
	addi	3, 3, BASE
	addic	0, 0, -1		/* -1, and CA = 0 */
	stw	0, X(48)-BASE(3)	/* A[0], A[1] */
	stw	0, X(49)-BASE(3)
	li	5, 1			/* no data */
	bl	2f			/* the rest of this function, twice */
	mtlr	7			/* second time: return to caller */
2:	addi	9, 3, 64
3:	stwu	4, -4(9)		/* M[i] = out_size + i, then + 16 + i */
	addi	4, 4, 1
	cmpw	9, 3
	bne	3b
	b	.Lblock
	.size	shabal_init, . - shabal_init

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	mflr	7
	xori	5, 5, 7			/* 7 - n: keep n bits of ub, */
	srw	4, 4, 5
	ori	4, 4, 1			/* a one bit after them */
	slw	4, 4, 5			/* and zeros (r4 above bit 7: garbage) */
	stb	4, PAD(3)
	lwz	5, REM(3)		/* as many bytes as the buffer takes */
	addi	4, 3, PAD
	li	8, -4
	bl	.Lshabal		/* the padded block; leaves r5 = 1, CA = 0 */
	addic.	8, 8, 1			/* .Lblock comes back here, too; CA = 0 */
	bne	.Lblock			/* until r8 = 0: three more times */
	lwz	5, OUT-BASE(3)
	addi	4, 3, X(79)-BASE-1	/* from the last words of B, last byte */
	srwi	5, 5, 3			/* first, */
	add	9, 6, 5			/* to dst, from its end downwards */
	mtlr	7
	b	.Lcopy
	.size	shabal_close, . - shabal_close

	.globl	shabal
	.type	shabal, @function
shabal:
.Lshabal:
	lwz	9, REM(3)
	addi	3, 3, BASE
	addi	4, 4, -1		/* for lbzu */
	add	9, 9, 3
.Lcopy:
	addi	5, 5, 1			/* (2^32 - 1 bytes: 0, which is right) */
	mtctr	5
	b	.Lmore
1:	lbzu	0, 1(4)
	stbu	0, -1(9)
	cmpw	9, 3
	bne	.Lmore
	mfctr	5
	subfc	0, 0, 0			/* CA = 1 */

.Lblock:
	addi	9, 3, 64
	addi	10, 3, C(25)-BASE
2:	lwz	0, X(48)P
	lwz	11, C(53)Q		/* C[j+3] */
	lwz	12, C(57)Q		/* C[j+15] */
	add	0, 0, 11
	lwz	11, C(61)Q		/* C[j+11] */
	add	0, 0, 12
	lwz	12, W(0)P
	add	0, 0, 11		/* A[j] */
	addze	12, 12
	stw	12, W(0)P
	xor	0, 0, 12
	stw	0, X(0)P
	lwz	11, C(56)Q		/* C[j] */
	lwz	12, M(48)P		/* old M[j] */
	lwzu	0, -4(9)		/* new M[j] */
	subf	11, 12, 11
	add	0, 0, 11
	lwz	11, X(64)P1		/* new C[j] */
	rotlwi	0, 0, 17
	stw	0, X(16)P1
	stw	11, C(8)Q
	stwu	11, 4(10)		/* C(24) */
	cmpw	9, 3
	bne	2b

	lwz	10, X(11)R		/* r10: A word of the previous round */
	li	0, 48
	mtctr	0
3:	lwz	11, X(0)R		/* A[k] */
	lwz	12, C(0)R
	rotlwi	0, 10, 15
	mulli	0, 0, 5			/* 5 * (A[k-1] <<< 15) */
	xor	0, 0, 11
	xor	0, 0, 12
	stw	12, C(16)R
	mulli	0, 0, 3
	lwz	11, X(16 + 9)R
	lwz	12, X(16 + 6)R
	andc	11, 11, 12		/* B[k+9] & ~B[k+6] */
	xor	0, 0, 11
	lwz	11, X(16 + 13)R
	lwz	12, M(0)R
	xor	0, 0, 11
	xor	10, 0, 12		/* new A[k] */
	stwu	12, -4(9)		/* M(16) */
	lwz	0, X(16)R1		/* B[k] */
	stw	10, X(12)R1
	rotlwi	0, 0, 1
	eqv	0, 0, 10		/* (B[k] <<< 1) ^ ~A[k] */
	stw	0, X(32)R1
	bdnz	3b
	mtctr	5
	addi	9, 3, 64		/* the buffer is empty */
.Lmore:
	bdnz	1b
	subf	9, 3, 9
	stw	9, REM-BASE(3)
	blr
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", @progbits
