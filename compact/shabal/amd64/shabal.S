# SPDX-License-Identifier: CC0-1.0
	.intel_syntax noprefix
	.text
	.globl	shabal_init, shabal, shabal_close
	.type	shabal_init, @function
shabal_init:
	push	rdi
	xor	eax, eax
	push	64
	pop	rcx
	rep stosd
	xchg	eax, esi
	stosd
	pop	rdi
	dec	qword ptr [rdi+64]
1:	push	rax
	push	rsp
	pop	rsi
	mov	cl, 4
	call	shabal_feed
	pop	rax
	inc	eax
	test	al, 31
	jnz	1b
	ret
	.size	shabal_init, .-shabal_init

	.type	shabal, @function
shabal:
	push	rdx
	pop	rcx
shabal_feed:
	jrcxz	4f
2:	mov	edx, [rdi+72]
	lodsb
	mov	[rdi+rdx], al
	inc	edx
	and	edx, 63
	mov	[rdi+72], edx
	jnz	3f
	push	rsi
	call	shabal_block
	pop	rsi
	inc	qword ptr [rdi+64]
3:	loop	2b
4:	ret
	.size	shabal, .-shabal

	.type	shabal_block, @function
shabal_block:
	push	rcx
	push	rdi
	enter	512, 0
	lea	rsi, [rdi+64]
	push	rsp
	pop	rdi
	mov	rax, [rsi]
	xor	[rsi+16], rax
	push	16
	pop	rcx
1:	movsd
	mov	eax, [rsi+60]
	xchg	eax, [rsi+124]
	add	eax, [rsi-68]
	rol	eax, 17
	stosd
	loop	1b
2:	mov	rsi, [rbp+8]
	mov	cl, 16
3:	mov	edx, [rdi-8]
	rol	edx, 15
	lea	edx, [rdx+rdx*4]
	xor	edx, [rdi-96]
	xor	edx, [rsi+rcx*8+96]
	lea	edx, [rdx+rdx*2]
	lodsd
	xor	edx, eax
	xor	edx, [rdi-20]
	mov	eax, [rdi-76]
	not	eax
	and	eax, [rdi-52]
	xor	eax, edx
	stosd
	mov	edx, [rdi-128]
	rol	edx
	not	edx
	xor	eax, edx
	stosd
	loop	3b
	cmp	edi, ebp
	jne	2b
	mov	cl, 12
	lea	rdi, [rsi+16]
	lea	rsi, [rbp-96]
4:	lodsd
	add	eax, [rdi+60]
	add	eax, [rdi+92]
	add	eax, [rdi+108]
	stosd
	lodsd
	loop	4b
	mov	cl, 16
	add	rsi, -128
5:	mov	eax, [rdi-128]
	sub	[rdi+64], eax
	lodsd
	movsd
	loop	5b
	push	rdi
	pop	rsi
	leave
	pop	rdi
	pop	rcx
	ret
	.size	shabal_block, .-shabal_block

	.type	shabal_close, @function
shabal_close:
	push	rcx
	mov	ecx, edx
	xchg	eax, esi
	shl	eax, cl
	mov	al, 128
	shr	eax, cl
	mov	ecx, [rdi+72]
1:	mov	[rdi+rcx], al
	xor	eax, eax
	inc	ecx
	cmp	ecx, 64
	jne	1b
	mov	cl, 4
2:	call	shabal_block
	loop	2b
	mov	ecx, [rsi+64]
	shr	ecx, 3
	sub	rsi, rcx
	pop	rdi
	rep movsb
	ret
	.size	shabal_close, .-shabal_close
	.section .note.GNU-stack,"",%progbits
