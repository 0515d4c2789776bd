@ SPDX-License-Identifier: MIT
@ The toy for ARMv4; memset is called only so that a call is there.
	.text
	.globl toy_init
	.type toy_init, %function
toy_init:
	stmdb	sp!, {r4, r5, r6, lr}
	mov	r4, r0
	mov	r5, r1
	mov	r1, #0
	mov	r2, #8
	bl	memset
	ldr	r1, 1f
	stmia	r4, {r1, r5}
	ldmia	sp!, {r4, r5, r6, pc}
1:	.word	0x243F6A88

	.globl toy
	.type toy, %function
toy:
	ldr	r3, [r0]
1:	subs	r2, r2, #1
	bcc	2f
	ldrb	r12, [r1], #1
	eor	r3, r12, r3, ror #25
	add	r3, r3, #0x55
	b	1b
2:	str	r3, [r0]
	mov	pc, lr

	.globl toy_close
	.type toy_close, %function
toy_close:
	mov	r12, #0x80
	mov	r12, r12, lsr r2
	orr	r1, r1, r12
	rsb	r12, r12, #0
	and	r1, r1, r12
	and	r1, r1, #0xFF
	ldr	r2, [r0, #4]
	ldr	r0, [r0]
	mov	r2, r2, lsr #3
	eor	r0, r1, r0, ror #25
	add	r0, r0, #0x55
1:	mov	r0, r0, ror #25
	add	r0, r0, #0x55
	strb	r0, [r3], #1
	subs	r2, r2, #1
	bne	1b
	mov	pc, lr

	.section .note.GNU-stack,"",%progbits
