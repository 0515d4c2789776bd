@ SPDX-License-Identifier: CC0-1.0
@
@ Shabal (all output sizes: 32, 64, ..., 512 bits), small.
@ Target: Thumb-2, ARMv7-M or ARMv7-A (Cortex-M3 and up), little-endian, AAPCS.
@
@ CONTRACT
@   void shabal_init(shabal_context *r0, unsigned r1 out_size)
@   void shabal(shabal_context *r0, const void *r1 data, size_t r2 len)
@   void shabal_close(shabal_context *r0, unsigned r1 ub, unsigned r2 n,
@                     void *r3 dst)
@   - The context is 80 words, aligned on a multiple of 4. "data" and "dst"
@     may have any alignment; "data" is not read when len is 0.
@   - r4-r8, r10, r11 and sp are preserved, r0-r3 and the flags are not; r8 to
@     r12 are never touched. All returns are by "bx" (interworking).
@   - Nothing is called outside this file; there is no data, no relocation.
@   - Every access is aligned on its own size. Writes go to the context, to
@     the out_size/8 bytes at "dst" and to the stack; nothing below sp is used.
@   - Stack: shabal() and shabal_close() 1072 bytes, shabal_init() 1100 bytes.
@     The stack is traded for code on purpose, see THE WINDOW below.
@
@ CONTEXT (byte offsets)
@     0  M: 16 words, the block; its first "ptr" bytes are filled
@    64  16 records s = 0..15 of 3 words each: X[s], A[s-4], B[s]
@        (A[-4] to A[-1] do not exist: their place holds rubbish)
@   256  C: 16 words
@   The X words are a row which is XORed to the row of the A words when a block
@   begins: X[4] and X[5] are the counter W (low, high), so that A[0] and A[1]
@   receive it, and X[6] to X[15] stay zero for ever. X[0] to X[3] meet
@   only the rubbish, so X[0] can be "ptr" and X[1] the output size in bits.
@   All these fields are within reach of a 5-bit load offset.
#define PTR (64 + 0*12)
#define OUT (64 + 1*12)
#define WLO (64 + 4*12)
#define WHI (64 + 5*12)
@
@ THE WINDOW
@   Arrays that wrap around modulo 12 and 16 are costly in Thumb code. Here
@   the inner function has no such index: step t pushes the 4-word record
@        { C[(8-t) mod 16], A after the step, B after the step, M[t mod 16] }
@   and whatever step t needs lies at a fixed distance from sp, in the
@   record which was pushed k steps ago (k = 1 is the last one pushed):
@        A[t-12] in k = 12;  A[t-1] still in r2;
@        B[t], B[t+6], B[t+9], B[t+13] (before mod 16) in k = 16, 10, 7, 3;
@        M[t mod 16] and C[(8-t) mod 16] in k = 16, since the step has pushed
@        again, unchanged, the two words that it took from there.
@   A first loop pushes 16 records made from the context, the main loop
@   pushes 48, a last loop pops the 16 newest ones back into the context.
#define K(k, word) [sp, #((k) - 1)*16 + (word)*4]
#define wC 0
#define wA 1
#define wB 2
#define wM 3
@
@ WHERE THE BYTES GO (258): block function 128, entry and byte loop 20,
@   dispatch and counter 20, init 40, padding 30, output 12, common exit 8.
@   The block function is not a subroutine: the byte loop falls into it,
@   shabal_close() jumps to it, and r3 afterwards says where to go. The output
@   is copied by the byte loop, too, and shabal_init() feeds its two blocks
@   through shabal().

	.syntax	unified
	.text
	.thumb
	.align	1

	.globl	shabal_close
	.type	shabal_close, %function
	.thumb_func
shabal_close:
	push	{r0, r4-r7, lr}		@ same frame as the two others
	movs	r5, r3			@ r5 = dst
	@ Last byte: the n upper bits of ub, a one, zeros. With m = 128 >> n
	@ this is (ub | m) & -m; whatever is above bit 7 is not stored.
	movs	r4, #128
	lsrs	r4, r2
	orrs	r1, r4
	negs	r4, r4
	ands	r1, r4
	@ Store it, then zeros up to the end of the block (ptr is at most 63).
	ldr	r3, [r0, #PTR]
1:	strb	r1, [r0, r3]
	movs	r1, #0
	adds	r3, #1
	cmp	r3, #64
	bne	1b
	@ Four times the block function, W unchanged. It comes back to the
	@ "dispatch" below with r3 = 255, 191, 127, 63.
	movs	r3, #255
	b	.Lblock

	@ Here r3 = 63 - 64 = -1. The result is the end of C. The byte loop
	@ copies it: r1 = source, r2 = length in bytes, destination r0 + r3.
	@ r3 ends at 63 or below, so the loop never starts a block.
.Lout:
	ldr	r2, [r0, #OUT]
	lsrs	r2, #3
	subs	r1, r6, r2
	adds	r1, #64+2		@ end of C - length; r6 = C - 2
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
	@ Copy bytes to M until the input ends or M is full.
.Lbyte:
	subs	r2, #1
	bcc	.Ldone			@ no byte left
	ldrb	r4, [r1], #1
	strb	r4, [r0, r3]
	adds	r3, #1
	cmp	r3, #64
	bne	.Lbyte

	@ ---- Block function: B += M; A ^= W; P; C -= M; swap B and C.
	@ r0-r5 are restored at its end, and r6 = C - 2.
.Lblock:
	push	{r0-r5}
	@ First loop, s = 0..15: push { C[8-s], A[s-4] ^ X[s],
	@ (B[s] + M[s]) <<< 17, M[s] }. The index of C goes down and wraps:
	@ r7 = 17 + 94*s = 17 - 2*s mod 32, so 2*(r7 mod 32) is
	@ 4*((8-s) mod 16) + 2, hence the base C - 2 in r6 (the sum is a
	@ multiple of 4). The loop ends with r7 = 17 + 94*16 = 17 + 32*47: that
	@ is the rotation count 17 (a rotation looks at the lower 5 bits of the
	@ lower byte, as long as that byte is not 0) and a counter of 48 steps.
	@ r0 = end of records - 12*(15-s) after its load: above r6, 2 bytes
	@ before that end, only after the last turn.
	movs	r5, r0			@ r5 = M
	adds	r0, #64			@ r0 = records
	add	r6, r0, #256-64-2	@ r6 = C - 2
	movs	r7, #17
2:	ldmia	r0!, {r1-r3}		@ X, A, B
	eors	r2, r1
	ldmia	r5!, {r4}		@ M
	adds	r3, r4
	ror	r3, r3, #15		@ left 17 = right 15
	lsls	r1, r7, #27
	lsrs	r1, #26
	ldr	r1, [r6, r1]		@ C[8-s]
	push	{r1-r4}
	adds	r7, #3*32-2
	cmp	r0, r6
	bcc	2b

	@ Main loop, 48 steps. r2 = A of the step before (A[11] now).
3:	rors	r2, r7			@ left 15 = right 17
	add	r2, r2, r2, lsl #2	@ times 5
	ldr	r1, K(12, wA)
	eors	r2, r1
	ldr	r1, K(16, wC)		@ r1 stays for the push
	eors	r2, r1
	add	r2, r2, r2, lsl #1	@ times 3
	ldr	r3, K(3, wB)
	eors	r2, r3
	ldr	r3, K(7, wB)
	ldr	r4, K(10, wB)
	bics	r3, r4
	eors	r2, r3
	ldr	r4, K(16, wM)		@ r4 stays for the push
	eors	r2, r4			@ r2 = new A
	ldr	r3, K(16, wB)
	eor	r3, r2, r3, ror #31	@ left 1 = right 31
	mvns	r3, r3			@ r3 = new B
	push	{r1-r4}
	subs	r7, #32
	bcs	3b

	@ Last loop, s = 15..0, a = s-4: pop the newest record, which holds
	@ A[a], the new B[s] and M[s]. A[a] gets C[a+3] + C[a-1] + C[a-5] added
	@ (that is what the 36 additions are): those three C words are read
	@ from older records, whose C go the other way, 4 records (64 bytes)
	@ apart, by r5, which goes down one record per turn and stays above sp:
	@ the record pushed k steps before the end has C[(k+8) mod 16], the
	@ first turn (a = 11) needs C[6], C[10], C[14]: k = 46, 50, 54.
	@ Swap: the new B goes to the place of C, C - M to the place of B.
	@ r6 + r7 = address of C[s]; r0 = address of A in record s.
	movs	r7, #62
	adds	r0, r6, #6		@ the record after the last one
	add	r5, sp, #45*16
4:	pop	{r1-r4}			@ (C), A, B, M
	ldmia	r5!, {r1}
	adds	r2, r1
	ldr	r1, [r5, #64-4]
	adds	r2, r1
	ldr	r1, [r5, #128-4]
	adds	r2, r1
	subs	r5, #16+4
	ldr	r1, [r6, r7]
	str	r3, [r6, r7]
	subs	r1, r4
	strd	r2, r1, [r0, #-12]!
	subs	r7, #4
	bcs	4b			@ 62, 58, ... 2
	add	sp, sp, #48*16		@ drop the 48 older records
	pop	{r0-r5}

	@ ---- Dispatch: r3 is 64 when the byte loop filled the block; from
	@ shabal_close() 255, 191, 127 (once more) or 63 (that was the fourth).
	subs	r3, #64
	bcc	.Lout
	bne	.Lblock
	@ r3 = 0 is the new ptr, and the zero needed to carry W into its high
	@ word.
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
	@ All zero, then W = -1.
	mov	r2, #320
	movs	r3, #0
1:	subs	r2, #4
	str	r3, [r0, r2]
	bne	1b
	str	r1, [r0, #OUT]
	subs	r3, #1
	str	r3, [r0, #WLO]
	str	r3, [r0, #WHI]
	@ Feed the 32 words out_size, out_size+1, ...; as out_size is a
	@ multiple of 32, the next such multiple is the end. W is 1 then.
	@ shabal() gives back r0 = context and r3 = ptr.
2:	push	{r1}
	mov	r1, sp
	movs	r2, #4
	bl	.Lshabal
	pop	{r1}
	adds	r1, #1
	lsls	r2, r1, #27
	bne	2b

	@ Common exit: r3 = ptr (rubbish after shabal_close, when the context is
	@ dead). r0 comes from the stack as the output code has lost it.
.Ldone:
	pop	{r0, r4-r7}
	str	r3, [r0, #PTR]
	pop	{r1}
	bx	r1
	.size	shabal_init, . - shabal_init

	.section .note.GNU-stack, "", %progbits
