; SPDX-License-Identifier: MIT
; The toy for AVR: h in r21:r20:r19:r18.
	.text
	.global toy_init
	.type toy_init, @function
toy_init:
	movw	r26, r24
	ldi	r24, 0x88
	st	X+, r24
	ldi	r24, 0x6A
	st	X+, r24
	ldi	r24, 0x3F
	st	X+, r24
	ldi	r24, 0x24
	st	X+, r24
	st	X+, r22
	st	X+, r23
	st	X+, r1
	st	X+, r1
	ret

	.global toy
	.type toy, @function
toy:
	movw	r30, r24
	movw	r26, r22
	movw	r24, r20
	rcall	load
1:	sbiw	r24, 1
	brcs	2f
	ld	r23, X+
	rcall	absorb
	rjmp	1b
2:	st	Z, r18
	std	Z+1, r19
	std	Z+2, r20
	std	Z+3, r21
	ret

	.global toy_close
	.type toy_close, @function
toy_close:
	movw	r30, r24
	movw	r26, r18
	mov	r23, r22
	ldi	r24, 0x80
	rjmp	2f
1:	lsr	r24
	dec	r20
2:	tst	r20
	brne	1b
	or	r23, r24
	neg	r24
	and	r23, r24
	rcall	load
	rcall	absorb
	ldd	r24, Z+4
	ldd	r25, Z+5
	clr	r23
3:	rcall	absorb
	st	X+, r18
	sbiw	r24, 8
	brne	3b
	ret

load:
	ld	r18, Z
	ldd	r19, Z+1
	ldd	r20, Z+2
	ldd	r21, Z+3
	ret

absorb:
	mov	r22, r21
	mov	r21, r20
	mov	r20, r19
	mov	r19, r18
	mov	r18, r22
	lsr	r22
	ror	r21
	ror	r20
	ror	r19
	ror	r18
	eor	r18, r23
	ldi	r22, 0x55
	add	r18, r22
	adc	r19, r1
	adc	r20, r1
	adc	r21, r1
	ret
