/* SPDX-License-Identifier: CC0-1.0 */

#if __riscv_xlen == 64
#define SRLW	srliw
#define SZ	sd
#define ZB	8
#define SIZE	840
#else
#define SRLW	srli
#define SZ	sw
#define ZB	4
#define SIZE	836
#endif

#define PTR	0
#define OUT	4
#define W	8
#define PAD	56
#define BUF	120
#define K	468

#define A(n)	(4 * (n))
#define T(n)	(48 + 4 * (n))
#define M(n)	(112 + 4 * (n))
#define C(n)	(4 * (n) - 192)

#define cc	a0
#define x	a1
#define z	a2
#define a	a3
#define t	a4
#define b	a5
#define dst	a6
#define back	a7
#define cnt	t0
#define src	t1
#define end	t2
#define ctx	t3
#define e	t4
#define p	t5

	.text

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	mv	back, ra
	mv	dst, a3
	li	a4, -256
	sra	a4, a4, a2
	and	a1, a1, a4
	srai	a4, a4, 1
	sub	a1, a1, a4
	sb	a1, PAD(cc)
	li	a2, 64
	lw	a3, PTR(cc)
	sub	a2, a2, a3
	addi	a1, cc, PAD
	li	cnt, 4
	jal	shabal_feed
	addi	cnt, cnt, -1
	bnez	cnt, .Lblock
	lw	t, OUT(cc)
	srli	t, t, 3
	addi	end, ctx, T(64)
	sub	src, end, t
	addi	p, dst, K - BUF
	mv	ra, back
	j	.Lmore
	.size	shabal_close, . - shabal_close

	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	addi	a2, cc, SIZE
1:	addi	a2, a2, -ZB
	SZ	zero, 0(a2)
	bne	a2, cc, 1b
	sw	a1, OUT(cc)
	li	a3, -2
#if __riscv_xlen == 64
	sd	a3, W(cc)
#else
	sw	a3, W(cc)
	li	a3, -1
	sw	a3, W+4(cc)
#endif
2:	sw	a1, BUF(a2)
	addi	a2, a2, 4
	addi	a1, a1, 1
	andi	a3, a1, 31
	bnez	a3, 2b
	addi	a1, cc, BUF
	sub	a2, a2, cc
	.size	shabal_init, . - shabal_init

	.globl	shabal
	.type	shabal, @function
	.type	shabal_feed, @function
shabal:
shabal_feed:
	mv	src, a1
	add	end, a1, a2
	addi	ctx, cc, K
	addi	e, ctx, 64
	lw	t, PTR(cc)
	add	p, ctx, t
	j	.Lmore
1:	lbu	t, 0(src)
	addi	src, src, 1
	sb	t, BUF-K(p)
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
	mv	x, e
	addi	z, ctx, C(-9)
2:	addi	x, x, -4
	lw	t, A(48)(x)
	lw	b, C(29)-C(6)(z)
	add	t, t, b
	lw	b, C(25)-C(6)(z)
	add	t, t, b
	lw	b, C(37)-C(6)(z)
	add	t, t, b
	lw	b, W-K(x)
	xor	t, t, b
	sw	t, A(0)(x)
	lw	t, C(24)-C(6)(z)
	lw	b, M(48)(x)
	sub	t, t, b
	lw	b, BUF-K(x)
	sw	b, M(0)(x)
	add	t, t, b
	slli	b, t, 17
	SRLW	t, t, 15
	or	t, t, b
	sw	t, T(0)(x)
	lw	t, T(48)(x)
	sw	t, C(24)-C(6)(z)
	sw	t, C(8)-C(6)(z)
	addi	z, z, 4
	bne	x, ctx, 2b

	addi	z, z, C(0)-C(7)
	lw	a, A(11)(x)
3:	slli	t, a, 15
	SRLW	a, a, 17
	or	a, a, t
	slli	t, a, 2
	add	a, a, t
	lw	t, A(0)(x)
	xor	a, a, t
	lw	t, 0(z)
	sw	t, 64(z)
	xor	a, a, t
	slli	t, a, 1
	add	a, a, t
	lw	t, M(0)(x)
	sw	t, M(16)(x)
	xor	a, a, t
	lw	t, T(13)(x)
	xor	a, a, t
	lw	t, T(9)(x)
	xor	a, a, t
	lw	b, T(6)(x)
	and	t, t, b
	xor	a, a, t
	lw	t, T(0)(x)
	srai	b, t, 31
	add	t, t, t
	sub	b, b, t
	addi	b, b, -1
	xor	b, b, a
	sw	a, A(12)(x)
	sw	b, T(16)(x)
	addi	x, x, 4
	addi	z, z, 4
	bne	z, ctx, 3b
	mv	p, ctx
.Lmore:	bne	src, end, 1b
	sub	t, p, ctx
	sw	t, PTR(cc)
	ret
	.size	shabal, . - shabal
	.section .note.GNU-stack, "", %progbits
