# SPDX-License-Identifier: MIT
# The toy for MIPS, and for a MIPS I, too.
	.text
	.set	noreorder
	.globl toy_init
	.type toy_init, @function
	.ent	toy_init
toy_init:
	lui	$t0, 0x243F
	ori	$t0, $t0, 0x6A88
	sw	$t0, 0($a0)
	jr	$ra
	sw	$a1, 4($a0)
	.end	toy_init

	.globl toy
	.type toy, @function
	.ent	toy
toy:
	lw	$t0, 0($a0)
	beqz	$a2, 2f
	nop
1:	lbu	$t1, 0($a1)
	addiu	$a1, $a1, 1
	sll	$t2, $t0, 7
	srl	$t0, $t0, 25
	or	$t0, $t0, $t2
	xor	$t0, $t0, $t1
	addiu	$a2, $a2, -1
	bnez	$a2, 1b
	addiu	$t0, $t0, 0x55
2:	jr	$ra
	sw	$t0, 0($a0)
	.end	toy

	.globl toy_close
	.type toy_close, @function
	.ent	toy_close
toy_close:
	li	$t0, 0x80
	srlv	$t0, $t0, $a2
	or	$a1, $a1, $t0
	negu	$t0, $t0
	and	$a1, $a1, $t0
	andi	$a1, $a1, 0xFF
	lw	$a2, 4($a0)
	lw	$t0, 0($a0)
	srl	$a2, $a2, 3
1:	sll	$t2, $t0, 7
	srl	$t0, $t0, 25
	or	$t0, $t0, $t2
	xor	$t0, $t0, $a1
	addiu	$t0, $t0, 0x55
	beqz	$a2, 3f
	li	$a1, 0
2:	sll	$t2, $t0, 7
	srl	$t0, $t0, 25
	or	$t0, $t0, $t2
	addiu	$t0, $t0, 0x55
	sb	$t0, 0($a3)
	addiu	$a2, $a2, -1
	bnez	$a2, 2b
	addiu	$a3, $a3, 1
3:	jr	$ra
	nop
	.end	toy_close

	.section .note.GNU-stack,"",@progbits
