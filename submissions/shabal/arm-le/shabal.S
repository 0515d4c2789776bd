/* SPDX-License-Identifier: CC0-1.0 */
@ Shabal for ARMv4, ARM instructions only (no Thumb, no bx), both byte orders.
@
@     void shabal_init(r0 = context, r1 = output size in bits)
@     void shabal(r0 = context, r1 = data, r2 = length)
@     void shabal_close(r0 = context, r1 = bits, r2 = number of bits, r3 = dst)
@
@ AAPCS; r0-r3, r12, lr and the flags are lost, r4-r11, sp are preserved, and r9 is
@ never written.  Stack: 360 bytes (4 of the function, 356 of shabal_inner).
@ No external function, no data.  The context is aligned for a 32-bit word.
@
@ The context (64 words; "base", the start of C, is its address plus 68):
@     base - 68   the fill of M minus 64: -64 ... -1
@     base - 64   M: the block being filled, words in native order
@     base        C, 16 words; C[0] is the last
@     base + 64   A, 12 words; A[0] is the last
@     base + 112  W (the counter), low word, high word: W at word 45 and 46
@     base + 120  the output size in bits
@     base + 124  B, 16 words; B[0] is the last
@ A, B, C are kept complemented (every bit inverted), N standing for ~A.  That
@ makes the "not" of the specification (B[i] ^= ~A[a]) vanish: see the rounds.
@ The zero state before the first block is all ones, and so is W = -1: the
@ initialization fills everything with one value.
@
@ Where W counts: the inner function adds the carry flag it is called with.
@ The pointer that fills M runs from -64 up to 0, and the addition that
@ reaches 0 carries: a full block counts by itself.  The four runs of the
@ closing are called with the carry clear (the last may count, nobody sees it).
@
@ Byte order: M has the native order of words.  Big-endian: byte i of the
@ message is stored at i ^ 3, and no pass for swapping is needed.  Little-endian:
@ it is the output, made from its end, that needs the ^ 3.
@ Data and output are only accessed by bytes, the rest by aligned words.

	.syntax	unified
	.arch	armv4
	.text
	.arm
	.balign	4

@ ---------------------------------------------------------------------------
@ shabal_inner (local, ARM state): one run of the Shabal round function.
@ In:  r0 = base; M = the 16 words below; carry: added to the counter.
@ Out: r12 = -64 (an empty buffer); every other register as it was, flags lost.
@ Stack: 52 bytes of registers and 304 bytes of work.
@
@ The stack while the rounds run, downwards (so that pushing goes forward):
@     N[0], ..., N[11], T[0], T[1], ..., T[63]
@ T[0..15] is B after the addition of M and the rotation; round k pushes T[k+16],
@ which replaces B[k mod 16] in the specification: no index of B wraps.
@ Nor does one of A: round k reads N[k] 12 words above T[k] and leaves N[k+12]
@ in the place of T[k], which nothing needs any more.
@ The indices of C and M do wrap, by themselves: they are the top four bits of
@ a counter whose low bits count the steps, and "rX, lsr #26" in the address
@ takes four times the top four bits and drops the rest (low bits below 2^26).
@ ---------------------------------------------------------------------------
	.type	shabal_inner, %function
shabal_inner:
	mvn	r12, #63			@ saved, so it is what comes back
	stmdb	sp!, {r0-r8, r10-r12, lr}

	@ A[0] ^= low W, A[1] ^= high W; then W += carry; push the twelve N.
	@ All twelve do not fit in the registers along with W: two, then ten.
	add	lr, r0, #120
	ldmdb	lr!, {r2-r5}			@ N[1], N[0], low W, high W
	eor	r2, r2, r5
	eor	r3, r3, r4
	adcs	r4, r4, #0			@ the carry still is that of the call
	adc	r5, r5, #0
	stmia	lr, {r2-r5}
	stmdb	sp!, {r2, r3}
	ldmdb	lr!, {r2-r8, r10-r12}		@ N[11] (stays in r2) ... N[2]
	stmdb	sp!, {r2-r8, r10-r12}

	@ For x = 0..15: push T[x] = (B[x] + M[x]) <<< 17, and make the next B,
	@ C[x] - M[x], at once in place of B[x].  Complements: additions and
	@ subtractions trade places.  lr is where A begins, which is the end of C,
	@ and goes down.  r3 = x on top, 64 - x below; adding 2^28 - 1 moves both, and
	@ as the subtraction of 2^32 - that it does not borrow for x = 15 alone.
	sub	r1, r0, #64			@ M
	mov	r3, #64
1:	ldr	r4, [r1, r3, lsr #26]
	ldr	r6, [lr, #-4]!
	ldr	r5, [lr, #124]			@ B[x]
	subs	r3, r3, #0xF0000001
	sub	r5, r5, r4
	mov	r5, r5, ror #15
	str	r5, [sp, #-4]!
	add	r6, r6, r4
	str	r6, [lr, #124]
	bcc	1b

	@ The 48 rounds.  r0 = C, r1 = M, r2 = N[k+11], r3 = counter, which goes on
	@ as above: k mod 16 on top, 48 - k below, in the end 0.
	@ T[k+15] is at sp, T[k] at sp + 60, N[k] at sp + 108.
	@ With a = A[k-12], p = A[k-1] of the specification:
	@   N[k+12] = 3 (~a ^ 5 (p <<< 15) ^ ~C) ^ ~B13 ^ (~B6 & ~~B9) ^ M
	@   T[k+16] = (T[k] <<< 1) ^ N[k+12]
	@ One ldm fetches T[k+13], T[k+9], T[k+6], and six words that nobody wants:
	@ two instructions less than three loads.  (In cycles that is no gain: 11
	@ for 9 on an ARM7TDMI; more where a load takes one cycle a word.)
2:	ldmib	sp, {r4-r8, r10-r12, lr}	@ r5 = T[k+13], r10 = T[k+9], lr = T[k+6]
	add	r7, r3, #0x70000000
	ldr	r7, [r0, r7, lsr #26]		@ C[(8 - k) mod 16]: word k + 7
	ldr	r8, [sp, #108]			@ N[k]
	ldr	r11, [r1, r3, lsr #26]		@ M[k mod 16]
	ldr	r12, [sp, #60]			@ T[k]
	mvn	r6, r2, ror #17			@ A[k-1] <<< 15
	add	r6, r6, r6, lsl #2
	eor	r6, r6, r7
	eor	r6, r6, r8
	add	r6, r6, r6, lsl #1
	eor	r6, r6, r5
	bic	lr, lr, r10			@ complements again: B9 & ~B6
	eor	r6, r6, lr
	eor	r2, r6, r11
	str	r2, [sp, #60]			@ N[k+12] over T[k]
	eor	r12, r2, r12, ror #31
	str	r12, [sp, #-4]!			@ T[k+16]
	subs	r3, r3, #0xF0000001
	bne	2b

	@ Here the carry is set (the last subtraction, of a number from itself).
	@ A[11-j mod 12] += C[6-j mod 16], j = 0..35; for complements,
	@ N += C + 1, and the 1 is the carry, which nothing in the loop changes.
	@ N[59] (for A[11]) is at sp + 64, N[48] (for A[0]) at sp + 108; each sum
	@ goes 12 words up, over spent words, where it is found again 12 steps later.
	@ C[6-j] is word (9 + j) mod 16: top bits from 9 on by 1.
	@ Low bits: 12 + 5 j, a multiple of 64 for the first time when j = 36.
	mov	r3, #0x9000000C
	add	r4, sp, #64
3:	ldr	r5, [r0, r3, lsr #26]
	ldr	r6, [r4], #4
	add	r3, r3, #0x10000005
	adc	r6, r6, r5
	str	r6, [r4, #44]
	tst	r3, #63				@ leaves the carry alone
	bne	3b

	@ T[63..48], upwards from sp, are the new C[15..0]; A follows C.
	ldmia	sp!, {r1-r3, r5-r8, r10}
	stmia	r0!, {r1-r3, r5-r8, r10}
	ldmia	sp!, {r1-r3, r5-r8, r10}
	stmia	r0!, {r1-r3, r5-r8, r10}
	ldmia	r4, {r1-r8, r10-r12, lr}
	stmia	r0, {r1-r8, r10-r12, lr}
	add	sp, sp, #240
	ldmia	sp!, {r0-r8, r10-r12, pc}
	.size	shabal_inner, . - shabal_inner

@ ---------------------------------------------------------------------------
@ shabal: byte by byte; r12 = the fill minus 64, so that 0 is a full block and
@ the addition that gives 0 sets the carry that shabal_inner counts with.
@ shabal_inner sets r12 back to -64.
@ ---------------------------------------------------------------------------
	.globl	shabal
	.type	shabal, %function
shabal:
	str	lr, [sp, #-4]!
	ldr	r12, [r0], #68
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
.Lout:					@ also the end of shabal_init
	str	r12, [r0, #-68]
	ldr	pc, [sp], #4
	.size	shabal, . - shabal

@ ---------------------------------------------------------------------------
@ shabal_init: all ones, then two blocks of the words s, s+1, ..., s+31, put
@ into M as words.  s is a multiple of 32: so is s+i only after the last.
@ ---------------------------------------------------------------------------
	.globl	shabal_init
	.type	shabal_init, %function
shabal_init:
	str	lr, [sp, #-4]!
	add	r0, r0, #68
	mvn	r2, #0
	mov	r12, #184			@ from B[0] down to C[15]
1:	str	r2, [r0, r12]
	subs	r12, r12, #4
	bpl	1b
	str	r1, [r0, #120]
	mvn	r12, #63
2:	str	r1, [r0, r12]
	add	r1, r1, #1
	adds	r12, r12, #4
	bleq	shabal_inner
	tst	r1, #31
	bne	2b
	b	.Lout
	.size	shabal_init, . - shabal_init

@ ---------------------------------------------------------------------------
@ shabal_close
@ ---------------------------------------------------------------------------
	.globl	shabal_close
	.type	shabal_close, %function
shabal_close:
	str	lr, [sp, #-4]!
	ldr	r12, [r0], #68
	@ the n top bits, a one, zeros: what lies above bit 7 is not stored
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
	mov	r1, #0				@ and bytes 0 up to the end of the block
	adds	r12, r12, #1
	bne	1b
	@ The padded block, and three more times with the same M and W.  The next B
	@ is C - M: adding M again, as each run does, gives C, as it should.
	@ r2 is 0..7: its two top bits count to four; the carry is clear three times.
2:	adds	r2, r2, #0x40000000
	bl	shabal_inner
	tst	r2, #0xC0000000
	bne	2b
	@ The output is C[16 - s/32 .. 15], from its end: C[15] is the first word,
	@ and goes to the last four bytes of dst.  r2 counts bits.
	ldr	r2, [r0, #120]
3:	ldrb	r12, [r0], #1
	subs	r2, r2, #8
	mvn	r12, r12
#ifdef __ARMEB__
	strb	r12, [r3, r2, lsr #3]		@ bytes upwards: that is from the last
#else
	eor	r1, r2, #24			@ words from the last, their bytes upwards
	strb	r12, [r3, r1, lsr #3]
#endif
	bne	3b
	ldr	pc, [sp], #4
	.size	shabal_close, . - shabal_close

	.section .note.GNU-stack, "", %progbits
