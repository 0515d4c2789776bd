/* SPDX-License-Identifier: CC0-1.0 */
@ Shabal for ARMv4T: inner function in ARM state, the rest in Thumb state,
@ both byte orders.
@
@     void shabal_init(r0 = context, r1 = output size in bits)
@     void shabal(r0 = context, r1 = data, r2 = length)
@     void shabal_close(r0 = context, r1 = bits, r2 = number of bits, r3 = dst)
@
@ AAPCS with interworking: called in Thumb state, they return by bx to either.
@ r0-r3, lr and the flags are lost, r4-r12, sp are preserved, and r9 is never
@ written.  Stack: 368 bytes (12 of the function, 356 of shabal_inner).
@ No external function, no data.  The context is aligned for a 32-bit word.
@
@ The context (64 words; "base", the start of C, is its address plus 64):
@     base - 64   M: the block being filled, words in native order
@     base        C, 16 words; C[0] is the last
@     base + 64   A, 12 words; A[0] is the last
@     base + 112  W (the counter), low word, high word: W at word 44 and 45
@     base + 120  the fill of M minus 64: -64 ... -1
@     base + 124  the output size in bits
@     base + 128  B, 16 words; B[0] is the last
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
	.arch	armv4t
	.text
	.thumb
	.balign	4

@ ---------------------------------------------------------------------------
@ shabal: r4 = the fill minus 64, so that 0 is a full block and the addition
@ that gives 0 sets the carry that shabal_inner counts with (bl, bx keep it);
@ shabal_inner sets r4 back to -64.  r1 = data minus r4: one index for both.
@ ---------------------------------------------------------------------------
	.globl	shabal
	.type	shabal, %function
	.thumb_func
shabal:
	push	{r4, r5, lr}
	adds	r0, #64
	ldr	r4, [r0, #120]
0:	subs	r1, r1, r4			@ after a block too: 64 further
1:	subs	r2, #1
	bcc	.Lout
	ldrb	r3, [r1, r4]
#ifdef __ARMEB__
	movs	r5, #3
	eors	r5, r4
	strb	r3, [r0, r5]
#else
	strb	r3, [r0, r4]
#endif
	adds	r4, #1
	bne	1b
	bl	shabal_inner
	b	0b
	.size	shabal, . - shabal

@ ---------------------------------------------------------------------------
@ shabal_init: all ones, then two blocks of the words s, s+1, ..., s+31, put
@ into M as words.  s is a multiple of 32: so is s+i only after the last.
@ ---------------------------------------------------------------------------
	.globl	shabal_init
	.type	shabal_init, %function
	.thumb_func
shabal_init:
	push	{r4, r5, lr}
	adds	r0, #64				@ no carry: the context goes on from there
	sbcs	r2, r2				@ so this is -1
	movs	r4, #188			@ from B[0] down to C[15]
1:	str	r2, [r0, r4]
	subs	r4, #4
	bcs	1b
	str	r1, [r0, #124]
	lsls	r4, r2, #6			@ -64
2:	str	r1, [r0, r4]
	adds	r1, #1
	adds	r4, #4
	bne	2b
	bl	shabal_inner
	lsls	r2, r1, #27
	bne	2b
.Lout:					@ also the end of shabal
	str	r4, [r0, #120]
.Lret:					@ and of shabal_close
	pop	{r4, r5}
	pop	{r3}
	bx	r3
	.size	shabal_init, . - shabal_init

@ ---------------------------------------------------------------------------
@ shabal_close
@ ---------------------------------------------------------------------------
	.globl	shabal_close
	.type	shabal_close, %function
	.thumb_func
shabal_close:
	push	{r4, r5, lr}
	adds	r0, #64
	ldr	r4, [r0, #120]
	@ z = 2^(7-n) is the one of the padding; above it the bits of the message.
	@ What lies above bit 7 is not stored.
	movs	r5, #0x80
	lsrs	r5, r2
	negs	r2, r5
	ands	r1, r2
	orrs	r1, r5
1:
#ifdef __ARMEB__
	movs	r2, #3
	eors	r2, r4
	strb	r1, [r0, r2]
#else
	strb	r1, [r0, r4]
#endif
	movs	r1, #0				@ and bytes 0 up to the end of the block
	adds	r4, #1
	bne	1b
	@ The padded block, and three more times with the same M and W.  The next B
	@ is C - M: adding M again, as each run does, gives C, as it should.
	@ z is at most 2^7: it takes four shifts by 8 to lose it, and no bit
	@ comes out (into the carry) in the first three.
2:	lsls	r5, r5, #8
	bl	shabal_inner
	cmp	r5, #0
	bne	2b
	@ The output is C[16 - s/32 .. 15], from its end: C[15] is the first word,
	@ and its last byte goes to the end of dst.
	ldr	r2, [r0, #124]
	lsrs	r2, r2, #3			@ bytes to write
3:
#ifdef __ARMEB__
	ldrb	r1, [r0, r5]			@ r5 is 0 since the shifts
#else
	movs	r1, #3
	eors	r1, r5				@ r5 is 0 since the shifts
	ldrb	r1, [r0, r1]
#endif
	mvns	r1, r1
	adds	r5, #1
	subs	r2, #1
	strb	r1, [r3, r2]
	bne	3b
	b	.Lret
	.size	shabal_close, . - shabal_close

@ ---------------------------------------------------------------------------
@ shabal_inner (local, ARM state): one run of the Shabal round function.
@ In:  r0 = base; M = the 16 words below; carry: added to the counter.
@ Out: r4 = -64 (an empty buffer); every other register as it was, flags lost.
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
	.balign	4
	.type	shabal_inner, %function
	.thumb_func
shabal_inner:
	bx	pc				@ called in Thumb state; to ARM state,
	nop					@ two halfwords further
	.arm
	mvn	r4, #63			@ saved, so it is what comes back
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
	ldr	r5, [lr, #128]			@ B[x]
	subs	r3, r3, #0xF0000001
	sub	r5, r5, r4
	mov	r5, r5, ror #15
	str	r5, [sp, #-4]!
	add	r6, r6, r4
	str	r6, [lr, #128]
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
	ldmia	sp!, {r0-r8, r10-r12, lr}
	bx	lr
	.size	shabal_inner, . - shabal_inner

	.section .note.GNU-stack, "", %progbits
