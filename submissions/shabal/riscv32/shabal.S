/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal, all output sizes (32, 64 ... 512 bits), for RISC-V, RV64IC or RV32IC
 * (no instruction of M, A, F or D), little-endian.  One text for both word
 * sizes; the few differences are under __riscv_xlen.
 *
 * CONTRACT
 *
 *   void shabal_init(shabal_context *cc, unsigned out_size);
 *   void shabal(shabal_context *cc, const void *data, size_t len);
 *   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
 *
 * Standard calling convention (any ABI: no floating point): arguments in a0..a3,
 * return address in ra.  Changed: a1..a7, t0..t5; ra comes back with its value.
 * Not touched at all: a0, t6, s0..s11, gp, tp, sp.  The stack is not used: 0
 * bytes.  No external symbol, only relative jumps; position independent.
 * cc must be aligned to XLEN bits; all words are accessed aligned; data and
 * dst may have any alignment.  If len is 0, data is not read.  n is 0..7; bits
 * of ub that are not input are ignored.  Neither data nor dst may overlap
 * *cc.  W counts to 2^64 blocks.
 *
 * HOW IT WORKS
 *
 * The 48 rounds of P need no index reduction, because nothing is indexed
 * modulo 12 or 16: each of the four arrays is a line along which a pointer
 * moves by a word per round (n is the word index in the line):
 *
 *   A(n)  before round k, A(k)..A(k+11) are A[k mod 12] and its followers;
 *         the round makes A(k+12).
 *   T(n)  T(k)..T(k+15) are B[k mod 16] and its followers; it makes T(k+16).
 *   M(n)  holds M[n mod 16]; the round copies M(k) to M(k+16).
 *   C(n)  holds C[(8 - n) mod 16]; the round copies C(k) to C(k+16).
 *
 * The lines overlap: what a round appends to one of them takes the place of
 * a word that is dead then.  In words from ctx: C(n) at n - 48, A(n) at n, T(n) at
 * n + 12, M(n) at n + 28.  The first word of T's window is A's next one, that
 * of M's window T's next one.  C runs from below into dead words of A.  After the
 * rounds C(0..47), A(48..59), T(48..63), M(48..63) are intact.
 * The distances let nearly all accesses have compressed forms (offsets 0..124
 * from a pointer in a0..a5; the only exception in the rounds is M(k+16)).
 *
 * What remains of a block (the additions of C to A, C - M, the swap, and for
 * the next block B + M, A xor W, the rotations by 17) is done in one loop over
 * j = 15..0 at the start of the next block:
 *
 *   A(j)  = (A(48+j) + C[j+3] + C[j+11] + C[j+15]) ^ W line[j]
 *   T(j)  = (C[j] - M(48+j) + BUF[j]) <<< 17
 *   M(j)  = BUF[j]
 *   C[j]  = T(48+j)
 *
 * The three sums are the 36 steps of the specification.  The W line is 16 words,
 * the counter (64 bits) and zeros.  For j = 12..15, A(j) is garbage in T(0..3),
 * which are made later.  C[j] is stored into both C(8-j) and C(24-j), so that
 * C(0..15) needs no wrap-around.  The old words of C are read from C(24-j)
 * just before it is replaced, C(25-j), C(29-j) and C(37-j).  As j goes
 * down, z goes up: at step j, C(9)..C(23-j) and C(-7)..C(7-j) have been replaced,
 * and none of those is read.
 * Output words are B of the last round, T(48..63), not yet swapped.
 *
 * Negations: B[k+9] & ~B[k+6] = B[k+9] ^ (B[k+9] & B[k+6]).  With s = -1 if the
 * top bit of b is set, and 0 else, (b <<< 1) = 2 b - s, and ~(b <<< 1) =
 * s - 2 b - 1.
 *
 * The copy loop of shabal() serves three times: it takes message bytes,
 * it takes the padding, and it writes the result, with p pointing to dst
 * (p cannot reach e, as dst is not in the context).
 *
 * shabal_init makes the 32 words of the two prefix blocks in BUF and the 64 bytes
 * behind it, and feeds these 128 bytes to shabal: the first 64 copy
 * themselves.  W is incremented before a block of data, so it starts with -2.
 * shabal_close jumps to .Lblock with src = end (no more data), so that the
 * block returns to ra; that does not change ra, so that it returns to the same
 * place again.
 *
 * The context in bytes: 0 PTR (bytes in BUF), 4 out_size, 8 the W line, 56 PAD (64
 * bytes: one byte, then 63 zeros; its first 16 are W line[12..15], which only
 * meet garbage), 120 BUF and as many bytes more, 248 C(-7), 468 A(0) ... 836.
 *
 * Bytes, RV64: close 66, init 38, shabal 216 (of which the block 160);
 * RV32: close 64, init 42, shabal 220 (156).
 */

#if __riscv_xlen == 64
#define SRLW	srliw		/* 32 bits, logical */
#define SZ	sd
#define ZB	8
#define SIZE	840
#else
#define SRLW	srli
#define SZ	sw
#define ZB	4
#define SIZE	836
#endif

/* offsets from cc */
#define PTR	0
#define OUT	4
#define W	8
#define PAD	56
#define BUF	120
#define CTX	468		/* ctx - cc */

/* offsets from ctx, or from a pointer that moves along with the lines */
#define A(n)	(4 * (n))
#define T(n)	(48 + 4 * (n))
#define M(n)	(112 + 4 * (n))
#define C(n)	(4 * (n) - 192)

#define cc	a0
#define x	a1		/* pointer along A, T, M: at A(j), A(k) */
#define z	a2		/* pointer along C: at C(6 - j), C(k) */
#define a	a3		/* A word of the previous round */
#define t	a4
#define b	a5
#define dst	a6
#define back	a7
#define cnt	t0
#define src	t1
#define end	t2		/* of src */
#define ctx	t3
#define e	t4		/* ctx + 64 */
#define p	t5		/* ctx + bytes in BUF */

	.text

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	mv	back, ra
	mv	dst, a3
	/* With s = -256 >> n: keep the n upper bits of ub, add 128 >> n. */
	li	a4, -256
	sra	a4, a4, a2
	and	a1, a1, a4
	srai	a4, a4, 1
	sub	a1, a1, a4
	sb	a1, PAD(cc)
	li	a2, 64
	lw	a3, PTR(cc)
	sub	a2, a2, a3		/* as many bytes as BUF takes, 1..64 */
	addi	a1, cc, PAD
	li	cnt, 4
#if __riscv_xlen == 64
	jal	shabal_feed		/* the padded block; then src = end */
#else
	c.jal	shabal_feed
#endif
	addi	cnt, cnt, -1		/* .Lblock comes back here, too */
	bnez	cnt, .Lblock		/* three more times the same block */
	lw	t, OUT(cc)
	srli	t, t, 3			/* result bytes */
	addi	end, ctx, T(64)
	sub	src, end, t		/* from the last words of B */
	addi	p, dst, CTX - BUF	/* to dst */
	mv	ra, back
	j	.Lmore
	.size	shabal_close, . - shabal_close

	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	addi	a2, cc, SIZE		/* clear everything, downwards */
1:	addi	a2, a2, -ZB
	SZ	zero, 0(a2)
	bne	a2, cc, 1b
	sw	a1, OUT(cc)
	li	a3, -2			/* W = -2 */
#if __riscv_xlen == 64
	sd	a3, W(cc)
#else
	sw	a3, W(cc)
	li	a3, -1
	sw	a3, W+4(cc)
#endif
2:	sw	a1, BUF(a2)		/* out_size, out_size + 1, ... up to */
	addi	a2, a2, 4		/* the next multiple of 32 */
	addi	a1, a1, 1
	andi	a3, a1, 31
	bnez	a3, 2b
	addi	a1, cc, BUF
	sub	a2, a2, cc		/* 128 bytes */
	/* goes on in shabal */
	.size	shabal_init, . - shabal_init

	.globl	shabal
	.type	shabal, @function
	.type	shabal_feed, @function
shabal:
shabal_feed:
	mv	src, a1
	add	end, a1, a2
	addi	ctx, cc, CTX
	addi	e, ctx, 64
	lw	t, PTR(cc)
	add	p, ctx, t
	j	.Lmore
1:	lbu	t, 0(src)
	addi	src, src, 1
	sb	t, BUF-CTX(p)
	addi	p, p, 1
	bne	p, e, .Lmore
#if __riscv_xlen == 64
	ld	t, W(cc)
	addi	t, t, 1
	sd	t, W(cc)
#else
	lw	t, W(cc)
	addi	t, t, 1
	sw	t, W(cc)
	bnez	t, .Lblock
	lw	t, W+4(cc)
	addi	t, t, 1
	sw	t, W+4(cc)
#endif

.Lblock:
	mv	x, e			/* j = 16 */
	addi	z, ctx, C(6-15)
2:	addi	x, x, -4
	lw	t, A(48)(x)
	lw	b, C(29)-C(6)(z)	/* C[j+11] */
	add	t, t, b
	lw	b, C(25)-C(6)(z)	/* C[j+15] */
	add	t, t, b
	lw	b, C(37)-C(6)(z)	/* C[j+3] */
	add	t, t, b
	lw	b, W-CTX(x)
	xor	t, t, b
	sw	t, A(0)(x)
	lw	t, C(24)-C(6)(z)	/* C[j] */
	lw	b, M(48)(x)
	sub	t, t, b
	lw	b, BUF-CTX(x)
	sw	b, M(0)(x)
	add	t, t, b
	slli	b, t, 17
	SRLW	t, t, 15
	or	t, t, b
	sw	t, T(0)(x)
	lw	t, T(48)(x)		/* new C[j] */
	sw	t, C(24)-C(6)(z)
	sw	t, C(8)-C(6)(z)
	addi	z, z, 4
	bne	x, ctx, 2b		/* x is at A(0), z at C(7) */

	addi	z, z, C(0)-C(7)
	lw	a, A(11)(x)
3:	slli	t, a, 15
	SRLW	a, a, 17
	or	a, a, t			/* A[k-1] <<< 15 */
	slli	t, a, 2
	add	a, a, t			/* times 5 */
	lw	t, A(0)(x)		/* A[k] */
	xor	a, a, t
	lw	t, 0(z)			/* C(k) */
	sw	t, 64(z)
	xor	a, a, t
	slli	t, a, 1
	add	a, a, t			/* times 3 */
	lw	t, M(0)(x)
	sw	t, M(16)(x)
	xor	a, a, t
	lw	t, T(13)(x)
	xor	a, a, t
	lw	t, T(9)(x)
	xor	a, a, t
	lw	b, T(6)(x)
	and	t, t, b
	xor	a, a, t			/* new A[k] */
	lw	t, T(0)(x)		/* B[k] */
	srai	b, t, 31
	add	t, t, t
	sub	b, b, t
	addi	b, b, -1		/* ~(B[k] <<< 1) */
	xor	b, b, a
	sw	a, A(12)(x)
	sw	b, T(16)(x)
	addi	x, x, 4
	addi	z, z, 4
	bne	z, ctx, 3b		/* ctx is at C(48) */
	mv	p, ctx			/* BUF is empty */
.Lmore:
	bne	src, end, 1b
	sub	t, p, ctx
	sw	t, PTR(cc)
	ret
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", %progbits
