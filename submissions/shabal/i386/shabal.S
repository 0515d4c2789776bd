// SPDX-License-Identifier: CC0-1.0
//
// Compact Shabal for i386, System V ABI.  Instructions of the 80386 only; no
// floating point, no data.
//
//   void shabal_init(shabal_context *cc, unsigned out_size);
//   void shabal(shabal_context *cc, const void *data, size_t len);
//   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
//
// CONTRACT
//   Arguments on the stack (cdecl); they are not changed.  Changed: eax, flags
//   (popa restores the others).
//   DF is taken as clear (ABI) and never set.  cc is aligned to 4 (the code
//   would work anywhere, but xchg with memory locks the bus if its operand
//   straddles cache lines); data and dst may have any alignment; data may be
//   NULL when len is 0; out_size is a multiple of 32 from 32 to 512; n is 0 to 7.
//   The third argument's place is read for shabal_init too, which has none: it
//   is a word of its caller's frame, and its value is not used.
//   Stack: at most 600 bytes below the return address, of which 512 are the
//   frame.  Nothing below esp is used or expected to survive.
//   No external symbol, no GOT, no relocation, no absolute address.
//   Memory written: the context, dst, the stack.
//   Size limit for this package: 350 bytes; speed limit: 29.1 executed
//   instructions for a byte of a long message.  Both are met by this one file.
//
// CONTEXT (260 bytes, words are little-endian)
//     0  M[16]    the block being filled
//    64  W        64-bit counter of the block being filled
//    72  ptr      number of bytes in M, 0 to 63
//    76  -        unused
//    80  A[12]
//   128  C[16]
//   192  B[16]
//   256  out_size, in bits
//   From 64 to 127 there are 16 words ("slots") of which the last 12 are A:
//   slot j is A[j-4], so that slot j belongs to index j of B and C.
//
// WHERE THE BYTES GO
//   - One prologue and epilogue for the three functions: shabal_enter saves the
//     registers, loads the arguments and calls what follows its own call.  The
//     body of shabal, reached in this way, is a subroutine for shabal_init too.
//   - Sliding arrays.  In the frame there is an array of 64 pairs of words,
//     pair p = { A(p-16), B(p) }, where A(k) and B(k+16) are the values that
//     round k makes (k = 0..47) and those with smaller indices are the initial
//     ones.  Round k reads pairs k to k+15 and appends pair k+16, so that all
//     of A and B is at constant, 8-bit distances below edi and "stosd" appends:
//     there are no indices modulo 12 or 16.
//   - C is needed at (8-k) mod 16 and at three more places modulo 16 at the end.
//     When B has gone to the frame its room holds a second copy of C, right
//     after C: C(i) is at i and i+16, and no index has to be reduced.
//   - esi ascends through M while ecx counts down from 16, so esi + 8*ecx
//     descends through C.
//   - A(11), the last A of the initial pairs, stays in edx from the loop that
//     fills the frame to the first round.
//   - B = C - M: the second copy of C turns into the new B in place.
//   - The state of size s is what two blocks with the words s, s+1, ... s+31
//     and the counters -1 and 0 leave: these words are fed through shabal.
//     The last word is the one after which the sum is a multiple of 32.
//   - The three additional rounds of the end are three more blocks with the
//     same M and W: the subtraction of M is undone by the next addition.  So
//     the counter is incremented by shabal and not by shabal_block.

	.intel_syntax noprefix
	.text
	.globl	shabal_init, shabal, shabal_close

// shabal_enter -- called first by each function.  Calls the code after that
// call, which returns with ret, and then returns to the function's caller.
// The body gets ebx = cc, esi = 2nd and ecx = 3rd argument, edx = ptr, and
// ebp with the arguments at [ebp+36] and up.

	.type	shabal_enter, @function
shabal_enter:
	pop	eax			// the body
	pusha				// 32 bytes
	mov	ebp, esp
	mov	ebx, [ebp+36]
	mov	esi, [ebp+40]
	mov	ecx, [ebp+44]
	mov	edx, [ebx+72]
	call	eax
	popa
	ret
	.size	shabal_enter, .-shabal_enter

// shabal_init -- esi = out_size

	.type	shabal_init, @function
shabal_init:
	call	shabal_enter
	lea	edi, [ebx+64]
	or	eax, -1
	stosd
	stosd				// W = -1
	inc	eax
	cdq				// edx = ptr = 0
	push	46
	pop	ecx
	rep stosd			// A, B, C (and ptr) = 0
	xchg	eax, esi		// eax = s = out_size
	stosd				// after them: out_size
1:	push	eax			// the next word
	mov	esi, esp
	mov	cl, 4			// ecx is 0 after rep and after shabal_feed
	call	shabal_feed		// edx = ptr goes through
	pop	eax
	inc	eax
	test	al, 31			// s is a multiple of 32: true 32 words later
	jnz	1b
	ret
	.size	shabal_init, .-shabal_init

// shabal
// shabal_feed -- ebx = cc, esi = data, ecx = len, edx = ptr.
// Returns edx = the new ptr, ecx = 0; keeps ebx.

	.type	shabal, @function
	.type	shabal_feed, @function
shabal:
	call	shabal_enter
	.size	shabal, .-shabal		// and into shabal_feed
shabal_feed:
	jecxz	4f
2:	lodsb
	mov	[ebx+edx], al		// M[ptr] = the byte
	inc	edx
	and	edx, 63			// ZF: the block is full
	jnz	3f
	pusha
	call	shabal_block
	popa
	stc
	adc	[ebx+64], edx		// W += 1; edx is 0
	adc	[ebx+68], edx
3:	loop	2b
4:	mov	[ebx+72], edx
	ret
	.size	shabal_feed, .-shabal_feed

// shabal_block -- ebx = cc.  One block M with the counter W; W does not change.
// Keeps ebx and ebp; returns edi = cc+192, the end of C.  Changes the others.

	.type	shabal_block, @function
shabal_block:
	enter	512, 0			// 64 pairs; ebp = their end
	lea	esi, [ebx+64]		// slot 0
	mov	edi, esp		// pair 0
	mov	eax, [esi]
	xor	[esi+16], eax		// A[0] ^= low half of W
	mov	eax, [esi+4]
	xor	[esi+20], eax		// A[1] ^= high half of W

// Pairs 0 to 15.  The first half of pairs 0 to 3 is never read.
// In the loop, index i, after lodsd: esi = slot i+1.

	push	16
	pop	ecx
1:	lodsd				// slot i = A(i-16)
	stosd
	xchg	eax, edx		// edx = A(11-12) after the last one
	mov	eax, [esi+60]		// C[i]
	xchg	eax, [esi+124]		// B[i]; its place is C's second copy now
	add	eax, [esi-68]		// + M[i]
	rol	eax, 17
	stosd				// B(i)
	loop	1b

// 3 times 16 rounds.  k = round, m = k mod 16; ecx = 16-m.
// edi = pair k+16 and edx = A(k-1) at the start of a round.
// C: esi = cc+4*m, so esi+8*ecx+96 = cc+128 + 4*(24-m): C[24-m] = C[8-m].

2:	mov	esi, ebx		// M
	mov	cl, 16			// ecx was 0
3:	rol	edx, 15
	lea	edx, [edx+edx*4]	// * 5
	xor	edx, [edi-96]		// A(k-12), pair k+4
	xor	edx, [esi+ecx*8+96]	// C[8-m]
	lea	edx, [edx+edx*2]	// * 3
	lodsd
	xor	edx, eax		// M[m]
	xor	edx, [edi-20]		// B(k+13)
	mov	eax, [edi-76]		// B(k+6)
	not	eax
	and	eax, [edi-52]		// B(k+9)
	xor	eax, edx
	stosd				// A(k)
	xchg	eax, edx		// edx = A(k)
	mov	eax, [edi-128]		// B(k); edi is 4 more now
	rol	eax
	not	eax
	xor	eax, edx
	stosd				// B(k+16)
	loop	3b
	cmp	edi, ebp
	jne	2b

// A[a] = A(36+a) + C[a+3] + C[a+11] + C[a+15], a = 0..11.  Now esi = cc+64.

	mov	cl, 12
	lea	edi, [esi+16]		// A
	lea	esi, [ebp-96]		// pair 52 = { A(36), B(52) }
4:	lodsd
	add	eax, [edi+60]		// C[a+3]
	add	eax, [edi+92]		// C[a+11]
	add	eax, [edi+108]		// C[a+15]
	stosd
	lodsd				// not used: B
	loop	4b

// New B = C - M, new C = B(48+i), i = 0..15.  Now edi = C, esi = end of pairs.

	mov	cl, 16
	add	esi, -128		// pair 48
5:	mov	eax, [edi-128]		// M[i]
	sub	[edi+64], eax		// second copy of C -= M: B
	lodsd				// not used: A
	movsd				// C[i] = B(48+i)
	loop	5b
	leave
	ret
	.size	shabal_block, .-shabal_block

// shabal_close -- esi = ub, ecx = n, edx = ptr, [ebp+48] = dst

	.type	shabal_close, @function
shabal_close:
	call	shabal_enter
	xchg	eax, esi		// ub
	shl	eax, cl			// bits 8 to 7+n: the first n bits of ub
	mov	al, 128			// then the bit 1, then zeros
	shr	eax, cl			// al = n bits, 1, zeros
1:	mov	[ebx+edx], al
	xor	eax, eax		// zeros up to the end of the block
	inc	edx
	cmp	edx, 64
	jne	1b
	mov	cl, 4			// the block and three times more
2:	push	ecx
	call	shabal_block
	pop	ecx
	loop	2b
	mov	ecx, [edi+64]		// cc+256: out_size
	shr	ecx, 3
	sub	edi, ecx		// the last bytes of C
	mov	esi, edi
	mov	edi, [ebp+48]		// dst
	rep movsb
	ret
	.size	shabal_close, .-shabal_close

	.section .note.GNU-stack,"",%progbits
