/* SPDX-License-Identifier: MIT */
/* The toy for i386. */
	.text
	.globl toy_init
	.type toy_init, @function
toy_init:
	movl	4(%esp), %eax
	movl	8(%esp), %edx
	movl	$0x243F6A88, (%eax)
	movl	%edx, 4(%eax)
	ret

	.globl toy
	.type toy, @function
toy:
	pushl	%esi
	pushl	%edi
	movl	12(%esp), %edi
	movl	16(%esp), %esi
	movl	20(%esp), %edx
	movl	(%edi), %eax
	testl	%edx, %edx
	jz	2f
1:	movzbl	(%esi), %ecx
	incl	%esi
	call	absorb
	decl	%edx
	jnz	1b
2:	movl	%eax, (%edi)
	popl	%edi
	popl	%esi
	ret

	.globl toy_close
	.type toy_close, @function
toy_close:
	pushl	%edi
	movb	16(%esp), %cl
	movl	$0x80, %eax
	shrl	%cl, %eax
	movl	12(%esp), %ecx
	orl	%eax, %ecx
	negl	%eax
	andl	%eax, %ecx
	movzbl	%cl, %ecx
	movl	8(%esp), %edx
	movl	20(%esp), %edi
	movl	(%edx), %eax
	call	absorb
	movl	4(%edx), %edx
	shrl	$3, %edx
	xorl	%ecx, %ecx
1:	call	absorb
	movb	%al, (%edi)
	incl	%edi
	decl	%edx
	jnz	1b
	popl	%edi
	ret

	.type absorb, @function
absorb:
	roll	$7, %eax
	xorl	%ecx, %eax
	addl	$0x55, %eax
	ret

	.section .note.GNU-stack,"",@progbits
