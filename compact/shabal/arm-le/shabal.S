/* SPDX-License-Identifier: CC0-1.0 */
	.syntax	unified
	.arch	armv4
	.text
	.arm
	.balign	4

	.type	shabal_inner, %function
shabal_inner:
	mvn	r12, #63
	stmdb	sp!, {r0-r8, r10-r12, lr}

	add	r1, r0, #120
	ldmdb	r1!, {r2-r5}
	eor	r2, r2, r5
	eor	r3, r3, r4
	adcs	r4, r4, #0
	adc	r5, r5, #0
	stmia	r1, {r2-r5}
	stmdb	sp!, {r2, r3}
	ldmdb	r1, {r2-r8, r10-r12}
	stmdb	sp!, {r2-r8, r10-r12}

	sub	r1, r0, #64
	mov	r3, #0x80000000
1:	ldr	r4, [r1], #4
	ldr	r5, [r1, #188]
	ldr	r6, [r0, r3, lsr #26]
	sub	r3, r3, #0x10000000
	sub	r5, r5, r4
	mov	r5, r5, ror #15
	str	r5, [sp, #-4]!
	add	r6, r6, r4
	str	r6, [r1, #188]
	teq	r1, r0
	bne	1b

	sub	r1, r1, #64
	mov	r3, #48
2:	ldmib	sp, {r4-r8, r10-r12, lr}
	mvn	r6, r2, ror #17
	add	r6, r6, r6, lsl #2
	ldr	r7, [r0, r3, lsr #26]
	eor	r6, r6, r7
	ldr	r7, [sp, #108]
	eor	r6, r6, r7
	add	r6, r6, r6, lsl #1
	eor	r6, r6, r5
	bic	lr, lr, r10
	eor	r6, r6, lr
	ldr	r7, [r1, r3, lsr #26]
	eor	r2, r6, r7
	ldr	r7, [sp, #60]
	str	r2, [sp, #60]
	eor	r7, r2, r7, ror #31
	str	r7, [sp, #-4]!
	subs	r3, r3, #0xF0000001
	bne	2b

	mov	r3, #0x2000000C
	add	r4, sp, #64
3:	ldr	r5, [r0, r3, lsr #26]
	ldr	r6, [r4], #4
	adc	r6, r6, r5
	str	r6, [r4, #44]
	add	r3, r3, #0x10000005
	tst	r3, #63
	bne	3b

	add	r5, sp, #28
	ldmia	r5, {r1-r3, r5-r8, r10, r11}
	stmia	r0!, {r1-r3, r5-r8, r10, r11}
	ldmia	sp, {r1-r3, r5-r8}
	stmia	r0!, {r1-r3, r5-r8}
	ldmia	r4, {r1-r8, r10-r12, lr}
	stmia	r0, {r1-r8, r10-r12, lr}
	add	sp, sp, #304
	ldmia	sp!, {r0-r8, r10-r12, pc}
	.size	shabal_inner, . - shabal_inner

	.globl	shabal
	.type	shabal, %function
shabal:
	str	lr, [sp, #-4]!
	add	r0, r0, #64
	ldr	r12, [r0, #120]
	b	2f
1:	ldrb	r3, [r1], #1
#ifdef __ARMEB__
	eor	lr, r12, #3
	strb	r3, [r0, lr]
#else
	strb	r3, [r0, r12]
#endif
	adds	r12, r12, #1
	bleq	shabal_inner
2:	subs	r2, r2, #1
	bcs	1b
shabal_out:
	str	r12, [r0, #120]
	ldr	pc, [sp], #4
	.size	shabal, . - shabal

	.globl	shabal_init
	.type	shabal_init, %function
shabal_init:
	str	lr, [sp, #-4]!
	add	r0, r0, #64
	mvn	r2, #0
	mov	r12, #188
1:	str	r2, [r0, r12]
	subs	r12, r12, #4
	bpl	1b
	str	r1, [r0, #124]
	mvn	r12, #63
2:	str	r1, [r0, r12]
	add	r1, r1, #1
	adds	r12, r12, #4
	bleq	shabal_inner
	tst	r1, #31
	bne	2b
	b	shabal_out
	.size	shabal_init, . - shabal_init

	.globl	shabal_close
	.type	shabal_close, %function
shabal_close:
	str	lr, [sp, #-4]!
	add	r0, r0, #64
	ldr	r12, [r0, #120]
	rsb	r2, r2, #7
	mov	r1, r1, lsr r2
	orr	r1, r1, #1
	mov	r1, r1, lsl r2
1:
#ifdef __ARMEB__
	eor	lr, r12, #3
	strb	r1, [r0, lr]
#else
	strb	r1, [r0, r12]
#endif
	mov	r1, #0
	adds	r12, r12, #1
	bne	1b
2:	adds	r2, r2, #0x40000000
	bl	shabal_inner
	tst	r2, #0xC0000000
	bne	2b
	ldr	r2, [r0, #124]
	add	r3, r3, r2, lsr #3
	mov	r1, #0x90000000
	add	r2, r1, r2, lsl #23
3:
#ifdef __ARMEB__
	ldrb	r12, [r0, r1, lsr #26]
#else
	eor	r12, r1, #0x0C000000
	ldrb	r12, [r0, r12, lsr #26]
#endif
	mvn	r12, r12
	strb	r12, [r3, #-1]!
	add	r1, r1, #0x04000000
	teq	r1, r2
	bne	3b
	ldr	pc, [sp], #4
	.size	shabal_close, . - shabal_close

	.section .note.GNU-stack, "", %progbits
