# SPDX-License-Identifier: MIT
# The toy for PowerPC.
	.text
	.globl toy_init
	.type toy_init, @function
toy_init:
	lis	5, 0x243F
	ori	5, 5, 0x6A88
	stw	5, 0(3)
	stw	4, 4(3)
	blr

	.globl toy
	.type toy, @function
toy:
	lwz	6, 0(3)
	cmpwi	5, 0
	beq	2f
	mtctr	5
	addi	4, 4, -1
1:	lbzu	7, 1(4)
	rotlwi	6, 6, 7
	xor	6, 6, 7
	addi	6, 6, 0x55
	bdnz	1b
2:	stw	6, 0(3)
	blr

	.globl toy_close
	.type toy_close, @function
toy_close:
	li	7, 0x80
	srw	7, 7, 5
	or	4, 4, 7
	neg	7, 7
	and	4, 4, 7
	clrlwi	4, 4, 24
	lwz	5, 4(3)
	lwz	3, 0(3)
	srwi	5, 5, 3
	mtctr	5
	addi	6, 6, -1
	rotlwi	3, 3, 7
	xor	3, 3, 4
	addi	3, 3, 0x55
1:	rotlwi	3, 3, 7
	addi	3, 3, 0x55
	stbu	3, 1(6)
	bdnz	1b
	blr

	.section .note.GNU-stack,"",@progbits
