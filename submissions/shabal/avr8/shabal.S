/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Shabal, all output sizes, for the AVR classic core with "movw" (avr25 rules:
 * no mul, call or jmp), small in code.
 *
 * 574 bytes of code; 178.03 cycles per byte on a long message in calls of 1024
 * bytes; 67063 cycles for a message of 32 bytes (init, update and close, each
 * from its first instruction to its return).  The only data is the context, 256
 * bytes, and the stack, at most 268 bytes with the return address (where that
 * has 2 bytes); 256 of these are in use only while a block is processed.  So
 * 524 bytes of RAM are needed, besides the data and the digest.
 *
 * Contract
 *
 *   shabal_init   r24:25 context, r22:23 output size in bits
 *   shabal        r24:25 context, r22:23 data, r20:21 length
 *   shabal_close  r24:25 context, r22 extra bits, r20:21 their number (0 to 7,
 *                 so r21 is 0), r18:19 destination
 *
 * r1 must be 0 and is 0 again at the return (an interrupt routine clears r1 for
 * itself, so it may hold something else in between).  Changed: r0, r18 to r27,
 * r30, r31, SREG (not I and T).  Saved by block: r28, r29.  Not touched: r2 to
 * r17.  No address is assumed to be aligned.  Nothing is written but the
 * context, the digest and the stack, and nothing below the stack pointer is
 * used, so interrupts stay enabled all the time.  The stack pointer must have a
 * high byte, as it has in all devices with that much RAM.
 *
 * Notation: Z = r30:31, Y = r28:29, X = r26:27; a word is 4 bytes, b0 is its
 * least significant byte.
 *
 * The context, by offset
 *
 *     0         space: 127 + free bytes of M, 128 to 191
 *     1 ..   6  not used (they make space a number that "brmi" understands)
 *     7 ..  14  N = ~W, the number of the block before
 *    15 ..  62  A
 *    63 .. 126  B
 *   127 .. 190  M, the block being filled
 *   191 .. 254  C
 *   255         output size in bytes
 *
 * N, A, B and M run downwards: word 0 has the highest address, and in a word b0
 * has the highest address, so that "-Z" goes through an array in the order of
 * the message and of the carries.  C runs upwards, as a ring that begins with
 * word 9: C[9] .. C[15], C[0] .. C[8].
 *
 * Where the bytes went
 *
 * - The layout.  B and M, and M and C, are neighbours, so one pointer reaches
 *   two arrays: when Z is just above B[i], M[i] is at Z+60 .. Z+63; when Z is
 *   just above M[i], the word C[8 - i mod 16] of round i is there.  The ring of
 *   C wraps exactly where M does.
 * - B goes to the stack: 16 words, and each round pushes one more.  Then the
 *   indices modulo 16 are fixed distances from Y, which the reads of B[i + 13]
 *   move.  All 64 words together are 256 bytes: they are dropped by adding 1 to
 *   the high byte of SP, one "out", for which interrupts need not be disabled.
 * - 5 * (x <<< 15) from w = x <<< 16 (other names for the registers) and
 *   y = w >>> 1:  2 * y = w without its lowest bit, so 5 * y = 2 * (w & ~1) + y.
 * - What follows the multiplications is done for two bytes, in a loop of two
 *   turns.  Neither ld, st, push, movw, eor, or nor dec changes the carry
 *   flag, so the carry of B <<< 1 simply lives through the loop.  Therefore
 *   there is also no "com", which would set it: eor with 0xff is used, and
 *   x & ~y is (x | y) ^ y.
 * - The block counter is kept inverted (N).  So init has only zeros to write,
 *   and one constant 0xff serves for N - 1 and for A ^ ~N.
 * - r18, which all callers count with anyway, says whether the block number
 *   goes on: not 0 after a block has been filled, 0 after block.
 * - init feeds its two blocks through the part of shabal that handles a full
 *   block (full); the length 0 makes that return at once and store space.
 */

#define SPL     0x3d            /* these have the same place in all devices */
#define SPH     0x3e

#define SPACE   191             /* M is empty; also the offset of its top */
#define C0      28              /* C[0] is that far above the top of M */
#define OUT     36              /* the output size is that far above C[0] */

	.text

/*
 * locate: r24:25 context -> r18 space, Z where the next byte of M goes (just
 * above, as st has a pre-decrement).
 */
	.type	locate, @function
locate:
	movw	r30, r24
	ld	r18, Z
	add	r30, r18
	adc	r31, r1
	ret
	.size	locate, .-locate

	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	movw	r30, r24
	inc	r31             /* Z = end of the context */
	movw	r26, r22        /* X = s, the output size in bits: 32 w */
	swap	r22             /* 2 * (w mod 8) */
	swap	r23             /* 16 * (w / 8) */
	or	r22, r23
	lsl	r22             /* 4 w: in bytes */
	st	-Z, r22
	ldi	r18, 255
1:	st	-Z, r1          /* all other bytes: 0 */
	dec	r18
	brne	1b
	/*
	 * Z = context, r18 = 0: W stays at -1 for the first block.  full comes
	 * back with Z = context, X unchanged, and r18 = SPACE: W becomes 0.
	 */
	rcall	prefix          /* for the first block; then again, as the second */
prefix:
	clr	r24             /* length 0 */
	clr	r25
	subi	r30, lo8(-SPACE)
	sbci	r31, hi8(-SPACE)
2:	st	-Z, r26         /* M[i] = s + i, s + 16 + i */
	st	-Z, r27
	st	-Z, r1
	st	-Z, r1
	subi	r26, -1         /* no carry: 32 numbers from a multiple of 32 */
	brhs	2b              /* H is clear when the low 4 bits become 0 */
	rjmp	full
	.size	shabal_init, .-shabal_init

	.globl	shabal
	.type	shabal, @function
shabal:
	rcall	locate
	movw	r26, r22        /* X = data */
	movw	r24, r20        /* r24:25 = length */
1:	sbiw	r24, 1
	brcs	2f
	ld	r0, X+
	st	-Z, r0
	dec	r18
	brmi	1b              /* until space falls to 127 */
full:	rcall	block           /* keeps X and r24:25; Z = address of C[0] */
	sbiw	r30, C0
	ldi	r18, SPACE
	rjmp	1b
2:	sub	r30, r18        /* Z = context */
	sbc	r31, r1
	st	Z, r18
	ret
	.size	shabal, .-shabal

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	movw	r26, r18        /* X = destination */
	rcall	locate
	/* r22 = the n high bits of ub, a 1 bit, zeros. */
	sec
1:	ror	r21             /* r21 was 0: it becomes 0x80 >> n */
	dec	r20
	brpl	1b
	or	r22, r21
	neg	r21             /* this bit and all higher ones */
	and	r22, r21
2:	st	-Z, r22         /* then zeros, until M is full */
	clr	r22
	dec	r18
	brmi	2b
	/* The last block, and three times more with the same M and W. */
	rcall	block
	rcall	again2
	rcall	again
	/*
	 * The digest is the last words of C, and C[15] is just below C[0].  Both
	 * are walked downwards; the ring begins C0 bytes further down.
	 */
	ldd	r18, Z+OUT
	add	r26, r18
	adc	r27, r1
	ldi	r19, C0
3:	ld	r0, -Z
	st	-X, r0
	dec	r19
	brne	4f
	subi	r30, lo8(-64)
	sbci	r31, hi8(-64)
4:	dec	r18
	brne	3b
	ret
	.size	shabal_close, .-shabal_close

/*
 * again2, again: block for the same M twice, once, with Z and r18 as block
 * leaves them.
 */
	.type	again2, @function
again2:
	rcall	again
	.size	again2, .-again2
	.type	again, @function
again:
	subi	r30, 64 + C0    /* back to the bottom of M; falls into block */
	sbci	r31, 0
	.size	again, .-again

/*
 * block: one round of the mode of operation: B += M, A ^= W, the permutation,
 * C -= M, and the exchange of B and C.  If r18 is not 0, W += 1 before it.
 *
 * In:  Z = bottom of M = top of B; r18; r1 = 0.
 * Out: Z = address of C[0]; r18 = 0; r1 = 0.  Keeps r24 to r29.
 */
	.type	block, @function
block:
	push	r24
	push	r25
	push	r26
	push	r27
	push	r28
	push	r29
	mov	r0, r30         /* low byte of the bottom of M, for comparisons */

	/*
	 * Push (B[i] + M[i]) <<< 17, b0 first.  Loading the sum as r24, r25,
	 * r22, r23 is <<< 16 for r22 .. r25.
	 */
	ldi	r26, 16
1:	ldd	r19, Z+63
	ld	r24, -Z
	add	r24, r19
	ldd	r19, Z+63
	ld	r25, -Z
	adc	r25, r19
	ldd	r19, Z+63
	ld	r22, -Z
	adc	r22, r19
	ldd	r19, Z+63
	ld	r23, -Z
	adc	r23, r19
	lsl	r22
	rol	r23
	rol	r24
	rol	r25
	adc	r22, r1
	push	r22
	push	r23
	push	r24
	push	r25
	dec	r26
	brne	1b

	/*
	 * A ^= W.  Z = bottom of B = top of A.  N + 0xff..ff is N - 1 (W + 1) if
	 * the carry begins as 0, and N if it begins as 1.
	 */
	movw	r26, r30        /* X = top of A */
	sbiw	r30, 48         /* Z = bottom of A = top of N */
	mov	r1, r30         /* low byte of it, for comparisons */
	ldi	r20, 0xff
	ldi	r21, 8
	cpi	r18, 1          /* carry if r18 is 0 */
2:	ld	r22, -Z
	adc	r22, r20
	st	Z, r22
	eor	r22, r20
	ldd	r23, Z+48       /* the byte of A */
	eor	r22, r23
	std	Z+48, r22
	dec	r21
	brne	2b

	/* A[11], the word of A before A[0], is just above N. */
	ldd	r22, Z+8+3
	ldd	r23, Z+8+2
	ldd	r24, Z+8+1
	ldd	r25, Z+8+0
	subi	r30, lo8(-(8 + 48 + 64 + 64))
	sbci	r31, hi8(-(8 + 48 + 64 + 64))
	in	r28, SPL
	in	r29, SPH
	adiw	r28, 13         /* Y = just above B[13]; B[15] is at SP + 1 */
	movw	r18, r24

	/*
	 * The 48 rounds.  At the top of round k:
	 *   u = r22 .. r25     the word of A computed last
	 *   r18, r19           b2 and b3 of it
	 *   X just above A[k mod 12], Z just above M[k mod 16],
	 *   Y just above B[k + 13]
	 * t = r18 .. r21: as w = u <<< 16 its bytes are b2, b3, b0, b1 of u.
	 */
3:	movw	r20, r22        /* t = w */
	lsr	r18             /* carry = lowest bit of w */
	ror	r23             /* u (in the order of w) = y = w >>> 1 */
	ror	r22
	ror	r25
	ror	r24
	lsl	r18             /* t = w & ~1 = 2 * y */
	lsl	r18             /* t = 4 * y */
	rol	r19
	rol	r20
	rol	r21
	add	r18, r24        /* t = 5 * y */
	adc	r19, r25
	adc	r20, r22
	adc	r21, r23
	ld	r22, -X         /* t ^= A[k mod 12] ^ C[8 - k mod 16] */
	eor	r18, r22
	ldd	r22, Z+60
	eor	r18, r22
	ld	r22, -X
	eor	r19, r22
	ldd	r22, Z+61
	eor	r19, r22
	ld	r22, -X
	eor	r20, r22
	ldd	r22, Z+62
	eor	r20, r22
	ld	r22, -X
	eor	r21, r22
	ldd	r22, Z+63
	eor	r21, r22
	movw	r22, r18        /* u = 3 * t */
	movw	r24, r20
	lsl	r22
	rol	r23
	rol	r24
	rol	r25
	add	r22, r18
	adc	r23, r19
	adc	r24, r20
	adc	r25, r21

	/*
	 * Now from b0 to b3:  u ^= B[k + 13] ^ M ^ (B[k + 9] & ~B[k + 6]), stored
	 * as the new word of A;  push (B[k] <<< 1) ^ ~u.  In Y+16, Y+28 and Y+52,
	 * Y has moved down to the byte of B[k + 13]; in Y+48 not yet.
	 */
	adiw	r26, 4
	ldi	r20, 0xff
	ldi	r21, 2
	ldd	r18, Y+48       /* b3 of B[k]: its highest bit comes first */
	lsl	r18
4:	ld	r18, -Y
	eor	r22, r18
	ld	r18, -Z
	eor	r22, r18
	ldd	r18, Y+16       /* x & ~y = (x | y) ^ y */
	ldd	r19, Y+28
	or	r18, r19
	eor	r18, r19
	eor	r22, r18
	ldd	r18, Y+52
	rol	r18
	eor	r18, r20
	eor	r18, r22
	push	r18
	ld	r18, -Y         /* the same for the next byte */
	eor	r23, r18
	ld	r18, -Z
	eor	r23, r18
	ldd	r18, Y+16
	ldd	r19, Y+28
	or	r18, r19
	eor	r18, r19
	eor	r23, r18
	ldd	r18, Y+52
	rol	r18
	eor	r18, r20
	eor	r18, r23
	push	r18
	st	-X, r22
	st	-X, r23
	movw	r18, r22        /* exchange the halves of u; this also leaves */
	movw	r22, r24        /* b2 and b3 in r18, r19 for the next round */
	movw	r24, r18
	dec	r21
	brne	4b

	/* Wrap Z after 16 rounds and X after 12; both together: done. */
	cp	r30, r0
	brne	5f
	subi	r30, lo8(-64)
	sbci	r31, hi8(-64)
	cp	r26, r1
	breq	6f
5:	cpse	r26, r1
	rjmp	3b
	adiw	r26, 48
	rjmp	3b

	/*
	 * A[j mod 12] += C[j + 3 mod 16], j = 0 .. 35.  X = bottom of A, Z = top
	 * of M = bottom of C.
	 */
6:	adiw	r30, C0 + 12    /* Z = address of C[3] */
	mov	r22, r0
	subi	r22, 128        /* low byte of the top of C */
	ldi	r24, 3
1:	adiw	r26, 48
2:	ld	r20, -X
	ld	r21, Z+
	add	r20, r21
	st	X, r20
	ld	r20, -X
	ld	r21, Z+
	adc	r20, r21
	st	X, r20
	ld	r20, -X
	ld	r21, Z+
	adc	r20, r21
	st	X, r20
	ld	r20, -X
	ld	r21, Z+
	adc	r20, r21
	st	X, r20
	cp	r30, r22
	brne	3f
	subi	r30, 64
	sbci	r31, 0
3:	cp	r26, r1
	brne	2b
	dec	r24
	brne	1b

	/*
	 * B = C - M and C = the last 16 words pushed, for i = 0 .. 15.  Z is at
	 * C[3 + 36 mod 16] = C[7] and r24 is 0.
	 */
	movw	r26, r30
	sbiw	r26, 28         /* X = address of C[0] */
	subi	r30, C0 + 28 + 64
	sbci	r31, 0          /* Z = top of B, M[0] is at Z+60 */
	adiw	r28, 52         /* Y from above B[48 + 13] to above B[48] */
	ldi	r18, 16
4:	adiw	r24, 4          /* r24 = 4, and carry = 0 */
5:	ldd	r20, Z+63
	ld	r21, X
	sbc	r21, r20
	st	-Z, r21
	ld	r21, -Y
	st	X+, r21
	dec	r24
	brne	5b
	cp	r26, r22
	brne	6f
	subi	r26, 64
	sbci	r27, 0
6:	dec	r18
	brne	4b

	clr	r1
	movw	r30, r26        /* 16 words on in the ring: C[0] again */
	in	r0, SPH         /* drop the 64 words */
	inc	r0
	out	SPH, r0
	pop	r29
	pop	r28
	pop	r27
	pop	r26
	pop	r25
	pop	r24
	ret
	.size	block, .-block
