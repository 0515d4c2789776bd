/* SPDX-License-Identifier: MIT */
/*
 * Loops of known cost.
 *
 * x86: a dependent add takes 1 cycle and a dependent 32-bit imul 3 on every
 * core since 2008 (instruction tables of A. Fog, and the vendors' manuals);
 * that both give the same ratio is what makes it believable. Elsewhere a
 * dependent add and a dependent exclusive or, 1 cycle each.
 * "throughput" runs eight independent chains: it feels a neighbour on the same
 * core, which the latency loops do not (facts: +25..32 % unseen by imul).
 */
#include "meter.h"

#include <stddef.h>

#define TEN(x) x x x x x x x x x x
#define HUNDRED(x) TEN(TEN(x))

#if defined(__x86_64__) || defined(__i386__)

static void add_chain(uint32_t thousands)
{
    uint32_t x = 1, n = thousands * 10;

    for (; n; n--)
        __asm__ volatile(HUNDRED("addl $3, %0\n\t") : "+r"(x) : : "cc");
}

static void mul_chain(uint32_t thousands)
{
    uint32_t x = 1, n = thousands * 10;

    for (; n; n--)
        __asm__ volatile(HUNDRED("imull %0, %0\n\t") : "+r"(x) : : "cc");
}

static void throughput(uint32_t thousands)
{
    uint32_t a = 1, b = 2, c = 3, d = 4, n = thousands * 10;

    for (; n; n--)
        __asm__ volatile(TEN("addl $3, %0\n\t imull $5, %1, %1\n\t xorl $9, %2\n\t roll $7, %3\n\t"
                             "addl $3, %0\n\t xorl $9, %2\n\t addl $3, %0\n\t roll $7, %3\n\t"
                             "imull $5, %1, %1\n\t xorl $9, %2\n\t")
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "cc");
}

#define SECOND_LOOP "imul"
#define SECOND_CYCLES 3
#define second_chain mul_chain

#elif defined(__GNUC__)

#define ADD_STEP { x += k; __asm__ volatile("" : "+r"(x)); }
#define XOR_STEP { x ^= k; __asm__ volatile("" : "+r"(x)); }
#define MIX_STEP { a += k; b ^= k; c -= k; d |= k; \
                   __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); }

static void add_chain(uint32_t thousands)
{
    unsigned long x = 1, k = thousands | 1;
    uint32_t n = thousands * 10;

    for (; n; n--)
        HUNDRED(ADD_STEP)
}

static void second_chain(uint32_t thousands)
{
    unsigned long x = 1, k = thousands | 1;
    uint32_t n = thousands * 10;

    for (; n; n--)
        HUNDRED(XOR_STEP)
}

static void throughput(uint32_t thousands)
{
    unsigned long a = 1, b = 2, c = 3, d = 4, k = thousands | 1;
    uint32_t n = thousands * 10;

    for (; n; n--)
        TEN(MIX_STEP MIX_STEP)
}

#define SECOND_LOOP "xor"
#define SECOND_CYCLES 1

#else
#error "no loops of known cost for this compiler and architecture: add them here"
#endif

const struct meter_loop meter_loops[] = {
    {"add", 1, add_chain},
    {SECOND_LOOP, SECOND_CYCLES, second_chain},
    {"throughput", 0, throughput},
    {NULL, 0, NULL},
};
