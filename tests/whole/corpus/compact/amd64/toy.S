/* SPDX-License-Identifier: MIT */
/* The toy for amd64; memset is called only so that a call is there. */
	.text
	.globl toy_init
	.type toy_init, @function
toy_init:
	pushq	%rbx
	pushq	%rbp
	subq	$8, %rsp
	movq	%rdi, %rbx
	movl	%esi, %ebp
	xorl	%esi, %esi
	movl	$8, %edx
	call	memset@PLT
	movl	$0x243F6A88, (%rbx)
	movl	%ebp, 4(%rbx)
	addq	$8, %rsp
	popq	%rbp
	popq	%rbx
	ret

	.globl toy
	.type toy, @function
toy:
	movl	(%rdi), %eax
	testq	%rdx, %rdx
	jz	2f
1:	movzbl	(%rsi), %ecx
	incq	%rsi
	call	absorb
	decq	%rdx
	jnz	1b
2:	movl	%eax, (%rdi)
	ret

	.globl toy_close
	.type toy_close, @function
toy_close:
	movq	%rcx, %r8
	movl	%edx, %ecx
	movl	$0x80, %eax
	shrl	%cl, %eax
	orl	%eax, %esi
	negl	%eax
	andl	%esi, %eax
	movzbl	%al, %ecx
	movl	(%rdi), %eax
	call	absorb
	movl	4(%rdi), %edx
	shrl	$3, %edx
	xorl	%ecx, %ecx
1:	call	absorb
	movb	%al, (%r8)
	incq	%r8
	decl	%edx
	jnz	1b
	ret

	.type absorb, @function
absorb:
	roll	$7, %eax
	xorl	%ecx, %eax
	addl	$0x55, %eax
	ret

	.section .note.GNU-stack,"",@progbits
