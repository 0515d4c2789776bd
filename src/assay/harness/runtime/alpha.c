/* SPDX-License-Identifier: MIT */
/*
 * Alpha: division, which the processor lacks and compilers call in a way of its own
 * ("Alpha calling standard": operands in $24 and $25, result in $27, return through
 * $23; everything else but $28 stays as it was).
 */
typedef int nothing_elsewhere; /* a C file has to declare something */

#if defined(__alpha__)

/* $27 = $27 / $1, $28 = $27 % $1, bit by bit; uses $0, $2 and $3. */
#define DIVIDE \
    "    clr $28\n" \
    "    lda $0, 64($31)\n" \
    "1:  srl $28, 63, $3\n" \
    "    srl $27, 63, $2\n" \
    "    addq $28, $28, $28\n" \
    "    bis $28, $2, $28\n" \
    "    addq $27, $27, $27\n" \
    "    cmpule $1, $28, $2\n" \
    "    bis $2, $3, $2\n"     /* 1: the divisor fits */ \
    "    bis $27, $2, $27\n" \
    "    subq $31, $2, $3\n" \
    "    and $1, $3, $3\n" \
    "    subq $28, $3, $28\n" \
    "    subq $0, 1, $0\n" \
    "    bne $0, 1b\n"

#define ENTER(name) \
    ".globl " name "\n" \
    ".align 4\n" \
    name ":\n" \
    "    lda $30, -48($30)\n" \
    "    stq $0, 0($30)\n" \
    "    stq $1, 8($30)\n" \
    "    stq $2, 16($30)\n" \
    "    stq $3, 24($30)\n" \
    "    stq $4, 32($30)\n"

#define LEAVE \
    "    ldq $0, 0($30)\n" \
    "    ldq $1, 8($30)\n" \
    "    ldq $2, 16($30)\n" \
    "    ldq $3, 24($30)\n" \
    "    ldq $4, 32($30)\n" \
    "    lda $30, 48($30)\n" \
    "    ret $31, ($23), 1\n"

#define UNSIGNED(name, take, result, extend) \
    ENTER(name) take("$24", "$27") take("$25", "$1") DIVIDE result extend LEAVE

/* $4 is negative if the result shall be: that of the quotient both signs decide,
 * that of the remainder the dividend's. */
#define SIGNED(name, take, sign, result, extend) \
    ENTER(name) take("$24", "$27") take("$25", "$1") sign \
    "    subq $31, $27, $2\n    cmovlt $27, $2, $27\n" \
    "    subq $31, $1, $2\n    cmovlt $1, $2, $1\n" \
    DIVIDE result \
    "    subq $31, $27, $2\n    cmovlt $4, $2, $27\n" \
    extend LEAVE

#define TAKE_Q(from, to) "    mov " from ", " to "\n"
#define TAKE_L(from, to) "    addl " from ", 0, " to "\n"
#define TAKE_LU(from, to) "    zapnot " from ", 15, " to "\n"
#define QUOTIENT ""
#define REST "    mov $28, $27\n"
#define BOTH_SIGNS "    xor $27, $1, $4\n"
#define FIRST_SIGN "    mov $27, $4\n"
#define WHOLE ""
#define LONGWORD "    addl $27, 0, $27\n"

__asm__(".text\n.set push\n.set noat\n.set noreorder\n"
        UNSIGNED("__divqu", TAKE_Q, QUOTIENT, WHOLE)
        UNSIGNED("__remqu", TAKE_Q, REST, WHOLE)
        UNSIGNED("__divlu", TAKE_LU, QUOTIENT, LONGWORD)
        UNSIGNED("__remlu", TAKE_LU, REST, LONGWORD)
        SIGNED("__divq", TAKE_Q, BOTH_SIGNS, QUOTIENT, WHOLE)
        SIGNED("__remq", TAKE_Q, FIRST_SIGN, REST, WHOLE)
        SIGNED("__divl", TAKE_L, BOTH_SIGNS, QUOTIENT, LONGWORD)
        SIGNED("__reml", TAKE_L, FIRST_SIGN, REST, LONGWORD)
        ".set pop\n");

#endif
