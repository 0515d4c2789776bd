/* SPDX-License-Identifier: CC0-1.0 */

#define M(n)	(732 - 4 * (n))
#define C(n)	(640 - 4 * (n))
#define X(n)	(396 - 4 * (n))
#define W(n)	(76 - 4 * (n))
#define PAD	8
#define OUT	4
#define REM	0
#define SIZE	736
#define BASE	M(15)

#define P	-M(-1)(9)
#define P1	-M(0)(9)
#define Q	-C(25)(10)
#define R	-M(15)(9)
#define R1	-M(16)(9)

	.text
	.globl	shabal_init
	.type	shabal_init, @function
shabal_init:
	mflr	7
	addi	9, 3, SIZE
	li	0, 0
1:	stwu	0, -4(9)
	cmpw	9, 3
	bne	1b
	stw	4, OUT(3)
	addi	3, 3, BASE
	addic	0, 0, -1
	stw	0, X(48)-BASE(3)
	stw	0, X(49)-BASE(3)
	li	5, 1
	bl	2f
	mtlr	7
2:	addi	9, 3, 64
3:	stwu	4, -4(9)
	addi	4, 4, 1
	cmpw	9, 3
	bne	3b
	b	.Lblock
	.size	shabal_init, . - shabal_init

	.globl	shabal_close
	.type	shabal_close, @function
shabal_close:
	mflr	7
	xori	5, 5, 7
	srw	4, 4, 5
	ori	4, 4, 1
	slw	4, 4, 5
	stb	4, PAD(3)
	lwz	5, REM(3)
	addi	4, 3, PAD
	li	8, -4
	bl	.Lshabal
	addic.	8, 8, 1
	bne	.Lblock
	lwz	5, OUT-BASE(3)
	addi	4, 3, X(79)-BASE-1
	srwi	5, 5, 3
	add	9, 6, 5
	mtlr	7
	b	.Lcopy
	.size	shabal_close, . - shabal_close

	.globl	shabal
	.type	shabal, @function
shabal:
.Lshabal:
	lwz	9, REM(3)
	addi	3, 3, BASE
	addi	4, 4, -1
	add	9, 9, 3
.Lcopy:
	addi	5, 5, 1
	mtctr	5
	b	.Lmore
1:	lbzu	0, 1(4)
	stbu	0, -1(9)
	cmpw	9, 3
	bne	.Lmore
	mfctr	5
	subfc	0, 0, 0
.Lblock:
	addi	9, 3, 64
	addi	10, 3, C(25)-BASE
2:	lwz	0, X(48)P
	lwz	11, C(53)Q
	lwz	12, C(57)Q
	add	0, 0, 11
	lwz	11, C(61)Q
	add	0, 0, 12
	lwz	12, W(0)P
	add	0, 0, 11
	addze	12, 12
	stw	12, W(0)P
	xor	0, 0, 12
	stw	0, X(0)P
	lwz	11, C(56)Q
	lwz	12, M(48)P
	lwzu	0, -4(9)
	subf	11, 12, 11
	add	0, 0, 11
	lwz	11, X(64)P1
	rotlwi	0, 0, 17
	stw	0, X(16)P1
	stw	11, C(8)Q
	stwu	11, 4(10)
	cmpw	9, 3
	bne	2b
	lwz	10, X(11)R
	li	0, 48
	mtctr	0
3:	lwz	11, X(0)R
	lwz	12, C(0)R
	rotlwi	0, 10, 15
	mulli	0, 0, 5
	xor	0, 0, 11
	xor	0, 0, 12
	stw	12, C(16)R
	mulli	0, 0, 3
	lwz	11, X(25)R
	lwz	12, X(22)R
	andc	11, 11, 12
	xor	0, 0, 11
	lwz	11, X(29)R
	lwz	12, M(0)R
	xor	0, 0, 11
	xor	10, 0, 12
	stwu	12, -4(9)
	lwz	0, X(16)R1
	stw	10, X(12)R1
	rotlwi	0, 0, 1
	eqv	0, 0, 10
	stw	0, X(32)R1
	bdnz	3b
	mtctr	5
	addi	9, 3, 64
.Lmore:
	bdnz	1b
	subf	9, 3, 9
	stw	9, REM-BASE(3)
	blr
	.size	shabal, . - shabal

	.section .note.GNU-stack, "", @progbits
