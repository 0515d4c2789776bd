/* SPDX-License-Identifier: CC0-1.0 */
#define SPL 0x3d
#define SPH 0x3e
#define SPACE 191
	.text

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
	inc	r31
	movw	r26, r22
	swap	r22
	swap	r23
	or	r22, r23
	lsl	r22
	st	-Z, r22
	ldi	r18, 255
1:	st	-Z, r1
	dec	r18
	brne	1b
	rcall	prefix
prefix:
	clr	r24
	clr	r25
	subi	r30, lo8(-SPACE)
	sbci	r31, hi8(-SPACE)
2:	st	-Z, r26
	st	-Z, r27
	st	-Z, r1
	st	-Z, r1
	adiw	r26, 1
	mov	r19, r26
	andi	r19, 15
	brne	2b
	rjmp	full
	.size	shabal_init, .-shabal_init

	.globl	shabal
	.type	shabal, @function
shabal:
	rcall	locate
	movw	r26, r22
	movw	r24, r20
1:	sbiw	r24, 1
	brcs	2f
	ld	r0, X+
	st	-Z, r0
	dec	r18
	brmi	1b
full:	rcall	block
	sbiw	r30, 28
	ldi	r18, SPACE
	rjmp	1b
2:	sub	r30, r18
	sbc	r31, r1
	st	Z, r18
	ret
	.size	shabal, .-shabal

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	movw	r26, r18
	rcall	locate
	sec
1:	ror	r21
	dec	r20
	brpl	1b
	or	r22, r21
	neg	r21
	and	r22, r21
2:	st	-Z, r22
	clr	r22
	dec	r18
	brmi	2b
	rcall	block
	rcall	again2
	rcall	again
	ldd	r18, Z+36
	add	r26, r18
	adc	r27, r1
	ldi	r19, 28
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

	.type	block, @function
again2:	rcall	again
again:	subi	r30, 92
	sbci	r31, 0
block:
	push	r24
	push	r25
	push	r26
	push	r27
	push	r28
	push	r29
	mov	r0, r30
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

	movw	r26, r30
	sbiw	r30, 48
	mov	r1, r30
	ldi	r20, 0xff
	ldi	r21, 8
	cpi	r18, 1
2:	ld	r22, -Z
	adc	r22, r20
	st	Z, r22
	eor	r22, r20
	ldd	r23, Z+48
	eor	r22, r23
	std	Z+48, r22
	dec	r21
	brne	2b

	ldd	r22, Z+11
	ldd	r23, Z+10
	ldd	r24, Z+9
	ldd	r25, Z+8
	subi	r30, lo8(-184)
	sbci	r31, hi8(-184)
	in	r28, SPL
	in	r29, SPH
	adiw	r28, 13

3:	movw	r18, r22
	movw	r20, r24
	lsr	r20
	ror	r23
	ror	r22
	ror	r25
	ror	r24
	lsl	r20
	lsl	r20
	rol	r21
	rol	r18
	rol	r19
	add	r20, r24
	adc	r21, r25
	adc	r18, r22
	adc	r19, r23
	ld	r22, -X
	eor	r20, r22
	ldd	r22, Z+60
	eor	r20, r22
	ld	r22, -X
	eor	r21, r22
	ldd	r22, Z+61
	eor	r21, r22
	ld	r22, -X
	eor	r18, r22
	ldd	r22, Z+62
	eor	r18, r22
	ld	r22, -X
	eor	r19, r22
	ldd	r22, Z+63
	eor	r19, r22
	movw	r22, r20
	movw	r24, r18
	lsl	r22
	rol	r23
	rol	r24
	rol	r25
	add	r22, r20
	adc	r23, r21
	adc	r24, r18
	adc	r25, r19
	ldi	r20, 0xff
	ldi	r21, 2
	ldd	r18, Y+48
	lsl	r18
4:	ld	r18, -Y
	eor	r22, r18
	ld	r18, -Z
	eor	r22, r18
	ldd	r18, Y+16
	ldd	r19, Y+28
	or	r18, r19
	eor	r18, r19
	eor	r22, r18
	ldd	r18, Y+52
	rol	r18
	eor	r18, r20
	eor	r18, r22
	push	r18
	ld	r18, -Y
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
	movw	r18, r22
	movw	r22, r24
	movw	r24, r18
	dec	r21
	brne	4b
	st	X+, r25
	st	X+, r24
	st	X+, r23
	st	X+, r22
	sbiw	r26, 4
	cp	r26, r1
	brne	5f
	cp	r30, r0
	breq	7f
	adiw	r26, 48
5:	cp	r30, r0
	brne	6f
	subi	r30, lo8(-64)
	sbci	r31, hi8(-64)
6:	rjmp	3b

7:	subi	r30, lo8(-104)
	sbci	r31, hi8(-104)
	mov	r22, r0
	subi	r22, 128
	ldi	r19, 3
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
	dec	r19
	brne	1b

	movw	r26, r30
	sbiw	r26, 28
	subi	r30, 120
	sbci	r31, 0
	adiw	r28, 52
	ldi	r19, 16
4:	ldi	r18, 4
	clc
5:	ldd	r20, Z+63
	ld	r21, X
	sbc	r21, r20
	st	-Z, r21
	ld	r21, -Y
	st	X+, r21
	dec	r18
	brne	5b
	cp	r26, r22
	brne	6f
	subi	r26, 64
	sbci	r27, 0
6:	dec	r19
	brne	4b

	clr	r1
	movw	r30, r26
	in	r0, SPH
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
