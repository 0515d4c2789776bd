# SPDX-License-Identifier: CC0-1.0
	.intel_syntax noprefix
	.text
	.globl	shabal_init, shabal, shabal_close
	.type	shabal_enter, @function
shabal_enter:
	pop	eax
	pusha
	mov	ebp, esp
	mov	ebx, [ebp+36]
	mov	esi, [ebp+40]
	mov	ecx, [ebp+44]
	mov	edx, [ebx+72]
	call	eax
	popa
	ret
	.size	shabal_enter, .-shabal_enter

	.type	shabal_init, @function
shabal_init:
	call	shabal_enter
	lea	edi, [ebx+64]
	or	eax, -1
	stosd
	stosd
	inc	eax
	cdq
	push	46
	pop	ecx
	rep stosd
	xchg	eax, esi
	stosd
1:	push	eax
	mov	esi, esp
	mov	cl, 4
	call	shabal_feed
	pop	eax
	inc	eax
	test	al, 31
	jnz	1b
	ret
	.size	shabal_init, .-shabal_init

	.type	shabal, @function
shabal:
	call	shabal_enter
shabal_feed:
	jecxz	4f
2:	lodsb
	mov	[ebx+edx], al
	inc	edx
	and	edx, 63
	jnz	3f
	pusha
	call	shabal_block
	popa
	stc
	adc	[ebx+64], edx
	adc	[ebx+68], edx
3:	loop	2b
4:	mov	[ebx+72], edx
	ret
	.size	shabal, .-shabal

	.type	shabal_block, @function
shabal_block:
	enter	512, 0
	lea	esi, [ebx+64]
	mov	edi, esp
	mov	eax, [esi]
	xor	[esi+16], eax
	mov	eax, [esi+4]
	xor	[esi+20], eax
	push	16
	pop	ecx
1:	movsd
	mov	eax, [esi+60]
	xchg	eax, [esi+124]
	add	eax, [esi-68]
	rol	eax, 17
	stosd
	loop	1b
2:	mov	esi, ebx
	mov	cl, 16
3:	mov	edx, [edi-8]
	rol	edx, 15
	lea	edx, [edx+edx*4]
	xor	edx, [edi-96]
	xor	edx, [esi+ecx*8+96]
	lea	edx, [edx+edx*2]
	lodsd
	xor	edx, eax
	xor	edx, [edi-20]
	mov	eax, [edi-76]
	not	eax
	and	eax, [edi-52]
	xor	eax, edx
	stosd
	mov	edx, [edi-128]
	rol	edx
	not	edx
	xor	eax, edx
	stosd
	loop	3b
	cmp	edi, ebp
	jb	2b
	mov	cl, 12
	lea	edi, [esi+16]
	lea	esi, [ebp-96]
4:	lodsd
	add	eax, [edi+60]
	add	eax, [edi+92]
	add	eax, [edi+108]
	stosd
	lodsd
	loop	4b
	mov	cl, 16
	add	esi, -128
5:	mov	eax, [edi-128]
	sub	[edi+64], eax
	lodsd
	movsd
	loop	5b
	leave
	ret
	.size	shabal_block, .-shabal_block

	.type	shabal_close, @function
shabal_close:
	call	shabal_enter
	xchg	eax, esi
	shl	eax, cl
	mov	al, 128
	shr	eax, cl
1:	mov	[ebx+edx], al
	xor	eax, eax
	inc	edx
	cmp	edx, 64
	jne	1b
	mov	cl, 4
2:	push	ecx
	call	shabal_block
	pop	ecx
	loop	2b
	mov	ecx, [edi+64]
	shr	ecx, 3
	sub	edi, ecx
	mov	esi, edi
	mov	edi, [ebp+48]
	rep movsb
	ret
	.size	shabal_close, .-shabal_close
	.section .note.GNU-stack,"",%progbits
