/* SPDX-License-Identifier: MIT */
/*
 * Loops of known cost.
 *
 * x86: a dependent add takes 1 cycle and a dependent 32-bit imul 3 on every
 * core since 2008 (instruction tables of A. Fog, and the vendors' manuals);
 * that both give the same ratio is what makes it believable. Elsewhere a
 * dependent add and a dependent exclusive or, 1 cycle each.
 * "mixed" is one chain of other instructions. The factor is not taken from it: what
 * it costs by that factor against what it should cost is the error of the calibration.
 * "multiplier" runs three chains of multiplications in turn, on x86: 1 cycle each by
 * their latency, and by the throughput of one multiplier, which a neighbour shares.
 * "throughput" runs independent chains: it feels a neighbour on the same core, which
 * the latency loops do not: one slowed ciphers by 25 to 32 % while a chain of
 * multiplications stood still. "memory" follows pointers through more than the caches of
 * a core hold: it feels neighbours of other cores.
 */
#include "meter.h"

#include <stddef.h>
#include <stdlib.h>

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

/* 1 cycle each but the multiplication's 3: 8 for the six. */
static void mixed_chain(uint32_t thousands)
{
    uint32_t x = 1, n = thousands * 10;

    for (; n; n--)
        __asm__ volatile(HUNDRED("addl $3, %0\n\t imull %0, %0\n\t roll $7, %0\n\t"
                                 "xorl $9, %0\n\t negl %0\n\t notl %0\n\t")
                         : "+r"(x) : : "cc");
}

static void multiplier(uint32_t thousands)
{
    uint32_t a = 1, b = 3, c = 5, n = thousands * 10;

    for (; n; n--)
        __asm__ volatile(TEN(TEN("imull %0, %0\n\t imull %1, %1\n\t imull %2, %2\n\t"))
                         : "+r"(a), "+r"(b), "+r"(c) : : "cc");
}

/* Chains of single cycles, as many as there are registers for: more than a core does at once. */
static void throughput(uint32_t thousands)
{
    uint32_t a = 1, b = 2, c = 3, d = 4, n = thousands * 10;
#if defined(__x86_64__) && !defined(__TINYC__) /* which has no registers for eight */
    uint32_t e = 5, f = 6, g = 7, h = 8;

    for (; n; n--)
        __asm__ volatile(TEN("addl $3, %0\n\t xorl $5, %1\n\t addl $3, %2\n\t xorl $9, %3\n\t"
                             "addl $3, %4\n\t xorl $5, %5\n\t addl $3, %6\n\t xorl $9, %7\n\t"
                             "addl $7, %0\n\t xorl $7, %4\n\t")
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
                           "+r"(h) : : "cc");
#else
    for (; n; n--)
        __asm__ volatile(TEN("addl $3, %0\n\t xorl $5, %1\n\t addl $3, %2\n\t xorl $9, %3\n\t"
                             "addl $3, %0\n\t xorl $5, %1\n\t addl $3, %2\n\t xorl $9, %3\n\t"
                             "addl $7, %0\n\t xorl $7, %2\n\t")
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d) : : "cc");
#endif
}

#define SECOND_LOOP "imul"
#define SECOND_CYCLES 3
#define MIXED_CYCLES 8
#define MULTIPLIER_CYCLES 3 /* of the three */
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

#define MIXED_STEP ADD_STEP XOR_STEP { x -= k; __asm__ volatile("" : "+r"(x)); } \
                   { x |= k; __asm__ volatile("" : "+r"(x)); }

static void mixed_chain(uint32_t thousands)
{
    unsigned long x = 1, k = thousands | 1;
    uint32_t n = thousands * 10;

    for (; n; n--)
        HUNDRED(MIXED_STEP)
}

#define PAIR_STEP { a += k; b ^= k; __asm__ volatile("" : "+r"(a), "+r"(b)); }

static void multiplier(uint32_t thousands)
{
    unsigned long a = 1, b = 2, k = thousands | 1;
    uint32_t n = thousands * 10;

    for (; n; n--)
        HUNDRED(PAIR_STEP)
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
#define MIXED_CYCLES 4
#define MULTIPLIER_CYCLES 0 /* how many are done at once differs from core to core */

#else
#error "no loops of known cost for this compiler and architecture: add them here"
#endif

#define LINES 65536u /* of 64 bytes */
#define LINE_WORDS 16u

/* From the heap: four megabytes of variables would catch pointers cut to 32 bits. */
static uint32_t (*lines)[LINE_WORDS];

/* One cycle through all lines in random order (Sattolo), so that none is foreseen. */
static void link_lines(void)
{
    uint32_t i, j, kept;
    uint64_t state = 1;

    for (i = 0; i < LINES; i++)
        lines[i][0] = i;
    for (i = LINES - 1; i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        j = (uint32_t)((state >> 32) * i >> 32);
        kept = lines[i][0];
        lines[i][0] = lines[j][0];
        lines[j][0] = kept;
    }
}

static void memory_chase(uint32_t thousands)
{
    static uint32_t at;
    uint32_t n = thousands * 1000;

    if (lines == NULL) {
        lines = malloc(LINES * sizeof *lines);
        if (lines == NULL)
            return;
        link_lines();
    }
    for (; n; n--)
        at = *(volatile uint32_t *)&lines[at][0];
}

const struct meter_loop meter_loops[] = {
    {"add", 1, add_chain},
    {SECOND_LOOP, SECOND_CYCLES, second_chain},
    {"throughput", 0, throughput},
    {"mixed", MIXED_CYCLES, mixed_chain},
    {"multiplier", MULTIPLIER_CYCLES, multiplier},
    {"memory", 0, memory_chase},
    {NULL, 0, NULL},
};
