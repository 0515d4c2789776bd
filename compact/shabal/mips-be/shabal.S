/* SPDX-License-Identifier: CC0-1.0 */
	.set	noreorder
	.set	noat

#define M(n)	(732 - 4 * (n))
#define C(n)	(640 - 4 * (n))
#define X(n)	(396 - 4 * (n))
#define W(n)	(76 - 4 * (n))
#define PAD	8
#define OUT	4
#define REM	0
#define SIZE	736

#define P0	256
#define Q0	128
#define R0	192

#define zero	$0
#define v0	$2
#define v1	$3
#define ctx	$4
#define a1	$5
#define a2	$6
#define a3	$7
#define t0	$8
#define t1	$9
#define t2	$10
#define t3	$11
#define ap	$12
#define inc	$13
#define q	$14
#define p	$15
#define ret	$25
#define ra	$31

	.text
	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	move	ret, ra
	addiu	p, ctx, SIZE
1:	addiu	p, p, -4
	bne	p, ctx, 1b
	sw	zero, 0(p)
	li	inc, -1
	sw	inc, X(49)(ctx)
	bal	2f
	sw	a1, OUT(ctx)
	move	ra, ret
	sw	zero, W(0)(ctx)
2:	addiu	p, ctx, 64
3:	sw	a1, M(0)-64(p)
	addiu	p, p, -4
	bne	p, ctx, 3b
	addiu	a1, a1, 1
	b	shabal_block
	move	a2, a1
	.size	shabal_init, . - shabal_init

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	move	ret, ra
	xori	a2, a2, 7
	srlv	a1, a1, a2
	ori	a1, a1, 1
	sllv	a1, a1, a2
	sb	a1, PAD(ctx)
	lw	a2, REM(ctx)
	li	v1, 3
	bal	shabal_update
	addiu	a1, ctx, PAD
	lw	t0, OUT(ctx)
	bnez	v1, shabal_block
	addiu	v1, v1, -1
	srl	t0, t0, 3
	addiu	a1, ctx, X(79)
	addu	a2, a1, t0
	addu	p, a3, t0
	addiu	p, p, -M(15)
	b	shabal_more
	move	ra, ret
	.size	shabal_close, . - shabal_close

	.globl	shabal
	.type	shabal, @function
shabal:
shabal_update:
	lw	p, REM(ctx)
	addu	a2, a2, a1
	b	shabal_more
	addu	p, p, ctx
1:	lbu	v0, 0(a1)
	addiu	p, p, -1
	addiu	a1, a1, 1
	bne	p, ctx, shabal_more
	sb	v0, M(15)(p)
	li	inc, 1

shabal_block:
	addiu	p, ctx, P0
	addiu	q, ctx, Q0
2:	lw	t0, X(48)-P0(p)
	lw	t1, C(53)-Q0(q)
	lw	t2, C(57)-Q0(q)
	addu	t0, t0, t1
	lw	t1, C(61)-Q0(q)
	addu	t0, t0, t2
	lw	t2, W(0)-P0(p)
	addu	t0, t0, t1
	lw	t1, C(56)-Q0(q)
	addu	t2, t2, inc
	sltu	inc, t2, inc
	sw	t2, W(0)-P0(p)
	xor	t0, t0, t2
	lw	t2, M(48)-P0(p)
	sw	t0, X(0)-P0(p)
	lw	t0, M(0)-P0(p)
	subu	t1, t1, t2
	addu	t0, t0, t1
	sll	t1, t0, 17
	srl	t0, t0, 15
	or	t0, t0, t1
	lw	t1, X(64)-P0(p)
	sw	t0, X(16)-P0(p)
	sw	t1, C(8)-Q0(q)
	addiu	p, p, -4
	addiu	q, q, 4
	bne	p, q, 2b
	sw	t1, C(24)-Q0-4(q)
	lw	ap, X(11)-R0(p)
3:	lw	t2, X(0)-R0(p)
	lw	t3, C(0)-R0(p)
	sll	t0, ap, 15
	srl	t1, ap, 17
	or	t0, t0, t1
	sll	t1, t0, 2
	addu	t0, t0, t1
	xor	t0, t0, t2
	xor	t0, t0, t3
	sw	t3, C(16)-R0(p)
	sll	t1, t0, 1
	addu	t0, t0, t1
	lw	t1, X(22)-R0(p)
	lw	t2, X(25)-R0(p)
	nor	t1, t1, zero
	and	t1, t1, t2
	lw	t2, X(29)-R0(p)
	lw	t3, M(0)-R0(p)
	xor	t0, t0, t1
	xor	t0, t0, t2
	xor	ap, t0, t3
	sw	t3, M(16)-R0(p)
	lw	t0, X(16)-R0(p)
	sw	ap, X(12)-R0(p)
	sll	t1, t0, 1
	srl	t0, t0, 31
	nor	t0, t0, t1
	xor	t0, t0, ap
	addiu	p, p, -4
	bne	p, ctx, 3b
	sw	t0, X(32)-R0+4(p)
	addiu	p, p, 64
shabal_more:
	bne	a1, a2, 1b
	subu	v0, p, ctx
	jr	ra
	sw	v0, REM(ctx)
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", %progbits
