@ SPDX-License-Identifier: MIT
@ The toy for Thumb.
	.syntax	unified
	.text
	.thumb
	.globl toy_init
	.type toy_init, %function
	.thumb_func
toy_init:
	ldr	r2, 1f
	stmia	r0!, {r2}
	stmia	r0!, {r1}
	bx	lr
	.align	2
1:	.word	0x243F6A88

	.globl toy
	.type toy, %function
	.thumb_func
toy:
	push	{r4, r5, r6, lr}
	ldr	r3, [r0]
	movs	r4, #25
	b	2f
1:	ldrb	r5, [r1]
	adds	r1, #1
	rors	r3, r4
	eors	r3, r5
	adds	r3, #0x55
2:	subs	r2, #1
	bcs	1b
	str	r3, [r0]
	pop	{r4, r5, r6}
	pop	{r3}
	bx	r3

	.globl toy_close
	.type toy_close, %function
	.thumb_func
toy_close:
	push	{r4, r5, r6, lr}
	movs	r4, #0x80
	lsrs	r4, r2
	orrs	r1, r4
	negs	r4, r4
	ands	r1, r4
	lsls	r1, r1, #24
	lsrs	r1, r1, #24
	ldr	r2, [r0, #4]
	ldr	r0, [r0]
	lsrs	r2, r2, #3
	movs	r4, #25
	rors	r0, r4
	eors	r0, r1
	adds	r0, #0x55
1:	rors	r0, r4
	adds	r0, #0x55
	strb	r0, [r3]
	adds	r3, #1
	subs	r2, #1
	bne	1b
	pop	{r4, r5, r6}
	pop	{r3}
	bx	r3

	.section .note.GNU-stack,"",%progbits
