/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal, all output sizes (32, 64 ... 512 bits), for MIPS32 release 1,
 * big-endian.  Only MIPS I instructions are used, and the MIPS I load
 * delay is respected: no load is followed by an instruction that reads its
 * target.  HI and LO are not used.  All words are accessed aligned.
 *
 * CONTRACT
 *
 *   void shabal_init(shabal_context *cc, unsigned out_size);
 *   void shabal(shabal_context *cc, const void *data, size_t len);
 *   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
 *
 * o32 calling convention: arguments in a0..a3, return address in ra.
 * Changed: v0, v1, a1, a2, t0..t7, t9 (a0 and a3 keep their values).
 * Not touched at all: at, s0..s8, t8, k0, k1, gp, sp, HI, LO.  The stack is
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
 * Carry (register inc) is what the block adds to W before it uses W: 1 for
 * blocks of data, 0 for the three last ones, which repeat the padded block.
 * After the loop inc is always 0 (the carry out of W(15)).
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
 * The buffer pointer p runs from ctx + 64 down to ctx, the pointers of
 * the block from ctx + 256 to ctx, so that ctx ends all loops but one, and p
 * only has to be set back by 64.
 *
 * The copy loop of shabal() serves three times: it takes message bytes,
 * it takes the padding (the word line W is zero from W(2) on, and the bytes from
 * PAD on are: the padding byte, then 63 zeros), and it writes the result,
 * with p pointing to dst (from its end).
 *
 * shabal_init and shabal_close enter at .Lblock with a1 = a2 (no
 * data), so that the block returns to ra.  The return does not change ra, so
 * that a jump (without link) to .Lblock returns to the same place again.
 *
 * Bytes: init 76, close 80, shabal 308 (copy loop 56, block 252).
 * The assembler fills .text to a multiple of 16.
 */

	.set	noreorder
	.set	noat
	.set	nomacro

#define M(n)	(732 - 4 * (n))
#define C(n)	(640 - 4 * (n))
#define X(n)	(396 - 4 * (n))
#define W(n)	(76 - 4 * (n))
#define PAD	8		/* 64 bytes */
#define OUT	4		/* out_size */
#define REM	0		/* free bytes in the buffer, 1..64 */
#define SIZE	736
#define P0	256		/* first loop: p = ctx + P0, */
#define Q0	128		/* q = ctx + Q0; */
#define R0	192		/* rounds: from p = ctx + R0 to p = ctx */

#define zero	$0
#define v0	$2
#define v1	$3
#define ctx	$4		/* a0 */
#define a1	$5
#define a2	$6
#define a3	$7
#define t0	$8
#define t1	$9
#define t2	$10
#define t3	$11
#define ap	$12		/* t4: A word of the previous round */
#define inc	$13		/* t5: carry into W */
#define q	$14		/* t6: pointer along C, against p */
#define p	$15		/* t7: pointer into the buffer, X, M, W */
#define ret	$25		/* t9: saved ra */
#define ra	$31

	.text

/*
 * All zero; A(0), A(1) and W for the prefix blocks: the first one wants W = -1
 * (64 bits), the second one W = 0, and the first data block W = 1.  The first
 * block gets inc = -1, which makes W(0) = -1 (no carry), and A[1] = -1
 * in place of W(1); then W(0) is set to 0 again and inc is 0.
 */
	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	move	ret, ra
	addiu	p, ctx, SIZE
1:	addiu	p, p, -8		/* clear everything, downwards */
	sw	zero, 4(p)
	bne	p, ctx, 1b
	sw	zero, 0(p)
	li	inc, -1
	sw	inc, X(49)(ctx)		/* A[1] */
	bal	2f			/* the rest of this function, twice */
	sw	a1, OUT(ctx)
	move	ra, ret			/* second time: return to caller */
	sw	zero, W(0)(ctx)
2:	addiu	p, ctx, 64
3:	sw	a1, M(0)-64(p)	/* M[i] = out_size + i, then + 16 + i */
	addiu	p, p, -4
	bne	p, ctx, 3b
	addiu	a1, a1, 1
	b	.Lblock
	move	a2, a1			/* no data */
	.size	shabal_init, . - shabal_init

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	move	ret, ra
	xori	a2, a2, 7		/* 7 - n: keep n bits of ub, */
	srlv	a1, a1, a2
	ori	a1, a1, 1		/* a one bit after them */
	sllv	a1, a1, a2		/* and zeros (a1 above bit 7: garbage) */
	sb	a1, PAD(ctx)
	lw	a2, REM(ctx)		/* as many bytes as the buffer takes */
	li	v1, 3
	bal	.Lshabal		/* the padded block; then a1 = a2, inc = 0 */
	addiu	a1, ctx, PAD
	lw	t0, OUT(ctx)		/* .Lblock comes back here, too */
	bnez	v1, .Lblock		/* three more times the same block */
	addiu	v1, v1, -1
	srl	t0, t0, 3		/* result bytes */
	addiu	a1, ctx, X(79)		/* from the last words of B, last byte */
	addu	a2, a1, t0		/* first, */
	addu	p, a3, t0		/* to dst, from its end downwards */
	addiu	p, p, -M(15)
	b	.Lmore
	move	ra, ret
	.size	shabal_close, . - shabal_close

	.globl	shabal
	.type	shabal, @function
shabal:
.Lshabal:
	lw	p, REM(ctx)
	addu	a2, a2, a1		/* end of data */
	b	.Lmore
	addu	p, p, ctx
1:	lbu	v0, 0(a1)
	addiu	p, p, -1
	addiu	a1, a1, 1
	bne	p, ctx, .Lmore
	sb	v0, M(15)(p)
	li	inc, 1

.Lblock:
	addiu	p, ctx, P0
	addiu	q, ctx, Q0
2:	lw	t0, X(48)-P0(p)
	lw	t1, C(53)-Q0(q)	/* C[j+3] */
	lw	t2, C(57)-Q0(q)	/* C[j+15] */
	addu	t0, t0, t1
	lw	t1, C(61)-Q0(q)	/* C[j+11] */
	addu	t0, t0, t2
	lw	t2, W(0)-P0(p)
	addu	t0, t0, t1		/* A[j] */
	lw	t1, C(56)-Q0(q)	/* C[j] */
	addu	t2, t2, inc
	sltu	inc, t2, inc
	sw	t2, W(0)-P0(p)
	xor	t0, t0, t2
	lw	t2, M(48)-P0(p)	/* old M[j] */
	sw	t0, X(0)-P0(p)
	lw	t0, M(0)-P0(p)	/* new M[j] */
	subu	t1, t1, t2
	addu	t0, t0, t1
	sll	t1, t0, 17
	srl	t0, t0, 15
	or	t0, t0, t1
	lw	t1, X(64)-P0(p)	/* new C[j] */
	sw	t0, X(16)-P0(p)
	sw	t1, C(8)-Q0(q)
	addiu	p, p, -4
	addiu	q, q, 4
	bne	p, q, 2b		/* they meet after 16 steps, */
	sw	t1, C(24)-Q0-4(q)	/* where the rounds begin */

	lw	ap, X(11)-R0(p)
3:	lw	t2, X(0)-R0(p)	/* A[k] */
	lw	t3, C(0)-R0(p)
	sll	t0, ap, 15
	srl	t1, ap, 17
	or	t0, t0, t1		/* A[k-1] <<< 15 */
	sll	t1, t0, 2
	addu	t0, t0, t1		/* times 5 */
	xor	t0, t0, t2
	xor	t0, t0, t3
	sw	t3, C(16)-R0(p)
	sll	t1, t0, 1
	addu	t0, t0, t1		/* times 3 */
	lw	t1, X(16 + 6)-R0(p)
	lw	t2, X(16 + 9)-R0(p)
	nor	t1, t1, zero
	and	t1, t1, t2		/* B[k+9] & ~B[k+6] */
	lw	t2, X(16 + 13)-R0(p)
	lw	t3, M(0)-R0(p)
	xor	t0, t0, t1
	xor	t0, t0, t2
	xor	ap, t0, t3		/* new A[k] */
	sw	t3, M(16)-R0(p)
	lw	t0, X(16)-R0(p)	/* B[k] */
	sw	ap, X(12)-R0(p)
	sll	t1, t0, 1
	srl	t0, t0, 31
	nor	t0, t0, t1
	xor	t0, t0, ap		/* (B[k] <<< 1) ^ ~A[k] */
	addiu	p, p, -4
	bne	p, ctx, 3b
	sw	t0, X(32)-R0+4(p)
	addiu	p, p, 64		/* the buffer is empty */
.Lmore:
	bne	a1, a2, 1b
	subu	v0, p, ctx		/* free bytes of the buffer */
	jr	ra
	sw	v0, REM(ctx)
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", %progbits
