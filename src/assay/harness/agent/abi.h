/* SPDX-License-Identifier: MIT */
/* What calls do to registers and flags, and the stubs that see it: one for each convention. */
#ifndef ASSAY_ABI_H
#define ASSAY_ABI_H

#include <stdint.h>

enum finding {
    FINDING_RBX = 1 << 0, /* and in this order those of RBP, R12, R13, R14 and R15 */
    FINDING_RSP = 1 << 6,
    FINDING_DIRECTION = 1 << 7,
    FINDING_X87_CONTROL = 1 << 8,
    FINDING_X87_REGISTERS = 1 << 9,
    FINDING_MXCSR = 1 << 10,
    FINDING_UPPER_HALVES = 1 << 11, /* of the AVX registers: not of processors without */
    FINDING_RDI = 1 << 12,          /* these are the caller's on Windows */
    FINDING_RSI = 1 << 13,
    FINDING_XMM = 1 << 14,  /* xmm6 to xmm15 */
    FINDING_FRAME = 1 << 15 /* what lies beyond the arguments on the stack */
};

/* abi_saved.c, in agents of operations: of a function that takes a pointer. */
const char *abi_saved_names(void); /* of the registers, apart by spaces, in the order of bits */
uint64_t abi_saved_call(void (*function)(void), const void *argument, uint32_t *found);
uint32_t abi_saved_proven(uint32_t *tried);

#if defined(_WIN64)
/* As described in abi.c: the words of all arguments, of which there are 6 and `beyond`. */
uint64_t abi_stub_call(void (*function)(void), const uint64_t *words, uint64_t beyond,
                       uint64_t shift_bytes);
uint32_t abi_stub_judged(void);            /* of the last call: bits of `enum finding` */
uint32_t abi_stub_proven(uint32_t *tried); /* which of the findings that it tried it can see */
#endif

#endif
