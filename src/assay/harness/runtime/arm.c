/* SPDX-License-Identifier: MIT */
/* ARM: the names of the Run-time ABI, and what Thumb needs beside. */

#include "runtime.h"

typedef int nothing_elsewhere; /* a C file has to declare something */

#if defined(__arm__)

/* Quotient in r0, remainder in r1, in either byte order. */
typedef union {
    struct {
        uint32_t quotient, rest;
    } pair;
    uint64_t registers;
} divided;

uint64_t __aeabi_uidivmod(uint32_t n, uint32_t d);
uint64_t __aeabi_idivmod(int32_t n, int32_t d);
uint32_t __aeabi_uidiv(uint32_t n, uint32_t d);
int32_t __aeabi_idiv(int32_t n, int32_t d);

uint64_t __aeabi_uidivmod(uint32_t n, uint32_t d)
{
    divided all;

    all.pair.quotient = assay_divide32(n, d, &all.pair.rest);
    return all.registers;
}

uint64_t __aeabi_idivmod(int32_t n, int32_t d)
{
    divided all;
    int32_t rest;

    all.pair.quotient = (uint32_t)assay_divide_signed32(n, d, &rest);
    all.pair.rest = (uint32_t)rest;
    return all.registers;
}

uint32_t __aeabi_uidiv(uint32_t n, uint32_t d)
{
    uint32_t rest;

    return assay_divide32(n, d, &rest);
}

int32_t __aeabi_idiv(int32_t n, int32_t d)
{
    int32_t rest;

    return assay_divide_signed32(n, d, &rest);
}

uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __ashldi3(uint64_t a, int count);
uint64_t __lshrdi3(uint64_t a, int count);
int64_t __ashrdi3(int64_t a, int count);
int __cmpdi2(int64_t a, int64_t b);
int __ucmpdi2(uint64_t a, uint64_t b);

uint64_t __aeabi_lmul(uint64_t a, uint64_t b);
uint64_t __aeabi_llsl(uint64_t a, int count);
uint64_t __aeabi_llsr(uint64_t a, int count);
int64_t __aeabi_lasr(int64_t a, int count);
int __aeabi_lcmp(int64_t a, int64_t b);
int __aeabi_ulcmp(uint64_t a, uint64_t b);

uint64_t __aeabi_lmul(uint64_t a, uint64_t b) { return __muldi3(a, b); }
uint64_t __aeabi_llsl(uint64_t a, int count) { return __ashldi3(a, count); }
uint64_t __aeabi_llsr(uint64_t a, int count) { return __lshrdi3(a, count); }
int64_t __aeabi_lasr(int64_t a, int count) { return __ashrdi3(a, count); }
int __aeabi_lcmp(int64_t a, int64_t b) { return __cmpdi2(a, b) - 1; }
int __aeabi_ulcmp(uint64_t a, uint64_t b) { return __ucmpdi2(a, b) - 1; }

#define COPIES(name, as) \
    void name(void *to, const void *from, size_t length); \
    void name(void *to, const void *from, size_t length) { as(to, from, length); }
#define FILLS(name) \
    void name(void *to, size_t length, int value); \
    void name(void *to, size_t length, int value) { memset(to, value, length); }
#define CLEARS(name) \
    void name(void *to, size_t length); \
    void name(void *to, size_t length) { memset(to, 0, length); }

COPIES(__aeabi_memcpy, memcpy)
COPIES(__aeabi_memcpy4, memcpy)
COPIES(__aeabi_memcpy8, memcpy)
COPIES(__aeabi_memmove, memmove)
COPIES(__aeabi_memmove4, memmove)
COPIES(__aeabi_memmove8, memmove)
FILLS(__aeabi_memset)
FILLS(__aeabi_memset4)
FILLS(__aeabi_memset8)
CLEARS(__aeabi_memclr)
CLEARS(__aeabi_memclr4)
CLEARS(__aeabi_memclr8)

/* Named in tables that unwinders would read; there is none. */
void __aeabi_unwind_cpp_pr0(void);
void __aeabi_unwind_cpp_pr1(void);
void __aeabi_unwind_cpp_pr0(void) { }
void __aeabi_unwind_cpp_pr1(void) { }

#if defined(__thumb__)
#define FUNCTION(name) ".globl " name "\n.type " name ", %function\n.thumb_func\n" name ":\n"
#define MODE ".syntax unified\n.thumb\n"
#define RETURN_TO_IP "bx ip\n"
#elif defined(__ARM_ARCH_4__)
#define FUNCTION(name) ".globl " name "\n.type " name ", %function\n" name ":\n"
#define MODE ".syntax unified\n.arm\n"
#define RETURN_TO_IP "mov pc, ip\n"
#else
#define FUNCTION(name) ".globl " name "\n.type " name ", %function\n" name ":\n"
#define MODE ".syntax unified\n.arm\n"
#define RETURN_TO_IP "bx ip\n"
#endif

/* Quotient in r0 and r1, remainder in r2 and r3, which no C function gives. */
#define LONG_DIVISION(name, by) \
    FUNCTION(name) \
    "push {r6, lr}\n" \
    "sub sp, sp, #16\n" \
    "add r6, sp, #8\n" \
    "str r6, [sp]\n" \
    "bl " by "\n" \
    "ldr r2, [sp, #8]\n" \
    "ldr r3, [sp, #12]\n" \
    "ldr r6, [sp, #20]\n" \
    "mov ip, r6\n" \
    "ldr r6, [sp, #16]\n" \
    "add sp, sp, #24\n" \
    RETURN_TO_IP

__asm__(".text\n.align 2\n" MODE
        LONG_DIVISION("__aeabi_uldivmod", "assay_divide64")
        LONG_DIVISION("__aeabi_ldivmod", "assay_divide_signed64"));

#if defined(__thumb__) && !defined(__thumb2__)

/* Thumb of ARMv4T cannot call through a register: it calls one of these. */
#define CALL_VIA(r) FUNCTION("_call_via_" #r) "bx " #r "\nnop\n"

/* A switch: the call is followed by a table of distances, in halfwords from the
 * table's start (in bytes where entries are words), and r0 says which. Only ip and
 * lr may change. r1 is the address of the table. */
#define TABLE(name, find) \
    FUNCTION("__gnu_thumb1_case_" name) \
    "push {r0, r1}\n" \
    "mov r1, lr\n" \
    "lsrs r1, r1, #1\n" \
    "lsls r1, r1, #1\n" \
    find \
    "adds r1, r1, r0\n" \
    "adds r1, r1, #1\n" \
    "mov lr, r1\n" \
    "pop {r0, r1}\n" \
    "bx lr\n"

__asm__(".text\n.align 2\n" MODE
        CALL_VIA(r0) CALL_VIA(r1) CALL_VIA(r2) CALL_VIA(r3) CALL_VIA(r4) CALL_VIA(r5)
        CALL_VIA(r6) CALL_VIA(r7) CALL_VIA(r8) CALL_VIA(r9) CALL_VIA(r10) CALL_VIA(fp)
        CALL_VIA(ip)
        TABLE("uqi", "ldrb r0, [r1, r0]\nlsls r0, r0, #1\n")
        TABLE("sqi", "ldrsb r0, [r1, r0]\nlsls r0, r0, #1\n")
        TABLE("uhi", "lsls r0, r0, #1\nldrh r0, [r1, r0]\nlsls r0, r0, #1\n")
        TABLE("shi", "lsls r0, r0, #1\nldrsh r0, [r1, r0]\nlsls r0, r0, #1\n")
        TABLE("si", "adds r1, r1, #2\nlsrs r1, r1, #2\nlsls r1, r1, #2\n"
                    "lsls r0, r0, #2\nldr r0, [r1, r0]\n"));

#endif
#endif
