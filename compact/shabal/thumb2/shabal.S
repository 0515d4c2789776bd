@ SPDX-License-Identifier: CC0-1.0
	.syntax	unified
	.text
	.thumb
	.align	1
#define PTR (64 + 0*12)
#define OUT (64 + 1*12)
#define WLO (64 + 4*12)
#define WHI (64 + 5*12)

	.globl	shabal_close
	.type	shabal_close, %function
	.thumb_func
shabal_close:
	push	{r0, r4-r7, lr}
	movs	r5, r3
	movs	r4, #128
	lsrs	r4, r2
	orrs	r1, r4
	negs	r4, r4
	ands	r1, r4
	ldr	r3, [r0, #PTR]
1:	strb	r1, [r0, r3]
	movs	r1, #0
	adds	r3, #1
	cmp	r3, #64
	bne	1b
	movs	r3, #255
	b	.Lblock
.Lout:
	ldr	r2, [r0, #OUT]
	lsrs	r2, #3
	subs	r1, r0, r2
	add	r1, r1, #320
	adds	r0, r5, #1
	b	.Lbyte
	.size	shabal_close, . - shabal_close

	.globl	shabal
	.type	shabal, %function
	.thumb_func
shabal:
.Lshabal:
	push	{r0, r4-r7, lr}
	ldr	r3, [r0, #PTR]
.Lbyte:
	subs	r2, #1
	bcc	.Ldone
	ldrb	r4, [r1], #1
	strb	r4, [r0, r3]
	adds	r3, #1
	cmp	r3, #64
	bne	.Lbyte
.Lblock:
	push	{r0-r7}
	movs	r5, r0
	adds	r0, #64
	add	r6, r0, #190
	movs	r7, #49
2:	ldmia	r0!, {r1-r3}
	eors	r2, r1
	ldmia	r5!, {r4}
	adds	r3, r4
	ror	r3, r3, #15
	lsls	r1, r7, #27
	lsrs	r1, #26
	ldr	r1, [r6, r1]
	push	{r1-r4}
	subs	r7, #2
	cmp	r7, #17
	bne	2b
	movs	r6, #48
3:	rors	r2, r7
	add	r2, r2, r2, lsl #2
	ldr	r1, [sp, #11*16+4]
	eors	r2, r1
	ldr	r1, [sp, #15*16]
	eors	r2, r1
	add	r2, r2, r2, lsl #1
	ldr	r3, [sp, #2*16+8]
	eors	r2, r3
	ldr	r3, [sp, #6*16+8]
	ldr	r4, [sp, #9*16+8]
	bics	r3, r4
	eors	r2, r3
	ldr	r4, [sp, #15*16+12]
	eors	r2, r4
	ldr	r3, [sp, #15*16+8]
	eor	r3, r2, r3, ror #31
	mvns	r3, r3
	push	{r1-r4}
	subs	r6, #1
	bne	3b
	movs	r7, #60
	adds	r6, r0, #4
	add	r5, sp, #45*16
4:	pop	{r1-r4}
	ldmia	r5!, {r1}
	adds	r2, r1
	ldr	r1, [r5, #60]
	adds	r2, r1
	ldr	r1, [r5, #124]
	adds	r2, r1
	subs	r5, #20
	ldr	r1, [r0, r7]
	str	r3, [r0, r7]
	subs	r1, r4
	strd	r2, r1, [r6, #-12]!
	subs	r7, #4
	bcs	4b
	add	sp, sp, #48*16
	pop	{r0-r7}
	subs	r3, #64
	bcc	.Lout
	bne	.Lblock
	ldr	r4, [r0, #WLO]
	adds	r4, #1
	str	r4, [r0, #WLO]
	ldr	r4, [r0, #WHI]
	adcs	r4, r3
	str	r4, [r0, #WHI]
	b	.Lbyte
	.size	shabal, . - shabal

	.globl	shabal_init
	.type	shabal_init, %function
	.thumb_func
shabal_init:
	push	{r0, r4-r7, lr}
	mov	r2, #320
	movs	r3, #0
1:	subs	r2, #4
	str	r3, [r0, r2]
	bne	1b
	str	r1, [r0, #OUT]
	subs	r3, #1
	str	r3, [r0, #WLO]
	str	r3, [r0, #WHI]
2:	push	{r1}
	mov	r1, sp
	movs	r2, #4
	bl	.Lshabal
	pop	{r1}
	adds	r1, #1
	lsls	r2, r1, #27
	bne	2b
.Ldone:
	pop	{r0, r4-r7}
	str	r3, [r0, #PTR]
	pop	{pc}
	.size	shabal_init, . - shabal_init
	.section .note.GNU-stack, "", %progbits
