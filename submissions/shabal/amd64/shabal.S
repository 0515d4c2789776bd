// SPDX-License-Identifier: CC0-1.0
//
// Compact Shabal for amd64, System V ABI.  Any x86-64; no SSE, no data.
//
//   void shabal_init(shabal_context *cc, unsigned out_size);
//   void shabal(shabal_context *cc, const void *data, size_t len);
//   void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);
//
// CONTRACT
//   Arguments in rdi, rsi, rdx, rcx; the upper halves of 32-bit arguments may
//   hold anything.  Changed: rax, rcx, rdx, rsi, rdi, flags.  rbp is saved and
//   restored; rbx and r8-r15 are not touched.  DF is taken as clear (ABI) and
//   never set.  cc is aligned to 4 (the code would work anywhere, but xchg with
//   memory locks the bus if its operand straddles cache lines); data and dst
//   may have any alignment; data may be NULL when len is 0; out_size is a
//   multiple of 32 from 32 to 512; n is 0 to 7.
//   Stack: at most 576 bytes below the return address, of which 512 are the
//   frame.  Nothing below rsp is used or expected to survive: no red zone.
//   No external symbol, no relocation, no absolute address.
//   Memory written: the context, dst, the stack.
//   Size limit for this package: 310 bytes; speed limit: 28.8 executed
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
//   - Sliding arrays.  In the frame there is an array of 64 pairs of words,
//     pair p = { A(p-16), B(p) }, where A(k) and B(k+16) are the values that
//     round k makes (k = 0..47) and those with smaller indices are the initial
//     ones.  Round k reads pairs k to k+15 and appends pair k+16, so that all
//     of A and B is at constant, 8-bit distances below rdi and "stosd" appends:
//     there are no indices modulo 12 or 16.
//   - C is needed at (8-k) mod 16 and at three more places modulo 16 at the end.
//     When B has gone to the frame its room holds a second copy of C, right
//     after C: C(i) is at i and i+16, and no index has to be reduced.
//   - rsi ascends through M while rcx counts down from 16, so rsi + 8*rcx
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

// shabal_init -- rdi = cc, esi = out_size

	.type	shabal_init, @function
shabal_init:
	push	rdi
	xor	eax, eax
	push	64
	pop	rcx
	rep stosd			// 256 bytes of zero: ptr, A, B, C, W (and M)
	xchg	eax, esi		// eax = s = out_size
	stosd				// after them: out_size
	pop	rdi
	dec	qword ptr [rdi+64]	// W = -1
1:	push	rax			// the next word (and 4 unused bytes)
	push	rsp
	pop	rsi			// rsi = its address
	mov	cl, 4			// rcx is 0 after rep and after shabal_feed
	call	shabal_feed		// keeps rdi
	pop	rax
	inc	eax
	test	al, 31			// s is a multiple of 32: true 32 words later
	jnz	1b
	ret
	.size	shabal_init, .-shabal_init

// shabal -- rdi = cc, rsi = data, rdx = len
// shabal_feed -- the same, with len in rcx.  On return rdi = cc, rcx = 0.

	.type	shabal, @function
	.type	shabal_feed, @function
shabal:
	push	rdx
	pop	rcx
	.size	shabal, .-shabal		// and into shabal_feed
shabal_feed:
	jrcxz	4f
2:	mov	edx, [rdi+72]
	lodsb
	mov	[rdi+rdx], al		// M[ptr] = the byte
	inc	edx
	and	edx, 63			// ZF: the block is full
	mov	[rdi+72], edx
	jnz	3f
	push	rsi
	call	shabal_block		// keeps rdi and rcx
	pop	rsi
	inc	qword ptr [rdi+64]	// W
3:	loop	2b			// all 64 bits of rcx
4:	ret
	.size	shabal_feed, .-shabal_feed

// shabal_block -- rdi = cc.  One block M with the counter W; W does not change.
// Keeps rdi and rcx; returns rsi = cc+192, the end of C.  Changes rax, rdx.

	.type	shabal_block, @function
shabal_block:
	push	rcx
	push	rdi
	enter	512, 0			// 64 pairs; rbp = their end, [rbp+8] = cc
	lea	rsi, [rdi+64]		// slot 0
	push	rsp
	pop	rdi			// pair 0
	mov	rax, [rsi]
	xor	[rsi+16], rax		// A[0], A[1] ^= W

// Pairs 0 to 15.  The first half of pairs 0 to 3 is never read.
// In the loop, index i, after lodsd: rsi = slot i+1.

	push	16
	pop	rcx
1:	lodsd				// slot i = A(i-16)
	stosd
	xchg	eax, edx		// edx = A(11-12) after the last one
	mov	eax, [rsi+60]		// C[i]
	xchg	eax, [rsi+124]		// B[i]; its place is C's second copy now
	add	eax, [rsi-68]		// + M[i]
	rol	eax, 17
	stosd				// B(i)
	loop	1b

// 3 times 16 rounds.  k = round, m = k mod 16; rcx = 16-m.
// rdi = pair k+16 and edx = A(k-1) at the start of a round.
// C: rsi = cc+4*m, so rsi+8*rcx+96 = cc+128 + 4*(24-m): C[24-m] = C[8-m].

2:	mov	rsi, [rbp+8]		// M (cc)
	mov	cl, 16			// rcx was 0
3:	rol	edx, 15
	lea	edx, [rdx+rdx*4]	// * 5
	xor	edx, [rdi-96]		// A(k-12), pair k+4
	xor	edx, [rsi+rcx*8+96]	// C[8-m]
	lea	edx, [rdx+rdx*2]	// * 3
	lodsd
	xor	edx, eax		// M[m]
	xor	edx, [rdi-20]		// B(k+13)
	mov	eax, [rdi-76]		// B(k+6)
	not	eax
	and	eax, [rdi-52]		// B(k+9)
	xor	eax, edx
	stosd				// A(k)
	xchg	eax, edx		// edx = A(k)
	mov	eax, [rdi-128]		// B(k); rdi is 4 more now
	rol	eax
	not	eax
	xor	eax, edx
	stosd				// B(k+16)
	loop	3b
	cmp	edi, ebp		// low halves: they are less than 4 GB apart
	jne	2b

// A[a] = A(36+a) + C[a+3] + C[a+11] + C[a+15], a = 0..11.  Now rsi = cc+64.

	mov	cl, 12
	lea	rdi, [rsi+16]		// A
	lea	rsi, [rbp-96]		// pair 52 = { A(36), B(52) }
4:	lodsd
	add	eax, [rdi+60]		// C[a+3]
	add	eax, [rdi+92]		// C[a+11]
	add	eax, [rdi+108]		// C[a+15]
	stosd
	lodsd				// not used: B
	loop	4b

// New B = C - M, new C = B(48+i), i = 0..15.  Now rdi = C, rsi = end of pairs.

	mov	cl, 16
	add	rsi, -128		// pair 48
5:	mov	eax, [rdi-128]		// M[i]
	sub	[rdi+64], eax		// second copy of C -= M: B
	lodsd				// not used: A
	movsd				// C[i] = B(48+i)
	loop	5b
	push	rdi
	pop	rsi			// end of C
	leave
	pop	rdi
	pop	rcx
	ret
	.size	shabal_block, .-shabal_block

// shabal_close -- rdi = cc, esi = ub, edx = n, rcx = dst

	.type	shabal_close, @function
shabal_close:
	push	rcx
	mov	ecx, edx		// n
	xchg	eax, esi		// ub
	shl	eax, cl			// bits 8 to 7+n: the first n bits of ub
	mov	al, 128			// then the bit 1, then zeros
	shr	eax, cl			// al = n bits, 1, zeros
	mov	ecx, [rdi+72]		// ptr
1:	mov	[rdi+rcx], al
	xor	eax, eax		// zeros up to the end of the block
	inc	ecx
	cmp	ecx, 64
	jne	1b
	mov	cl, 4			// the block and three times more
2:	call	shabal_block
	loop	2b
	mov	ecx, [rsi+64]		// cc+256: out_size
	shr	ecx, 3
	sub	rsi, rcx		// the last bytes of C
	pop	rdi			// dst
	rep movsb
	ret
	.size	shabal_close, .-shabal_close

	.section .note.GNU-stack,"",%progbits
