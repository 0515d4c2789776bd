/* SPDX-License-Identifier: MIT */
/*
 * What calls leave behind: registers, the stack below them, static memory, and freed memory.
 *
 * All of it is copied to a buffer right after a call, before the agent goes on to other work,
 * which would write over it. What lies there is no longer anybody's: only bytes are looked at.
 * Of the registers that a function may leave in any state those are seen which the few
 * instructions of the agent on the way back leave alone; memory is copied when it is freed
 * (allocation.c).
 */
#include "agent.h"

#include "../hal/hal.h"

#include <stddef.h>

#if defined(__x86_64__) && !defined(__TINYC__) /* which knows no vectors */
#define VECTORS 16u
#define GENERAL 8u
#define VECTOR(n) "movups %%xmm" #n ", 16*" #n "(%0)\n\t"
#define ORDINARY(n, r) "movq %%" #r ", 256+8*" #n "(%0)\n\t"
#define KEEP                                                                                     \
    __asm__ volatile(VECTOR(0) VECTOR(1) VECTOR(2) VECTOR(3) VECTOR(4) VECTOR(5) VECTOR(6)       \
                         VECTOR(7) VECTOR(8) VECTOR(9) VECTOR(10) VECTOR(11) VECTOR(12)          \
                             VECTOR(13) VECTOR(14) VECTOR(15) ORDINARY(0, rcx) ORDINARY(1, rdx)  \
                                 ORDINARY(2, rsi) ORDINARY(3, rdi) ORDINARY(4, r8)               \
                                     ORDINARY(5, r9) ORDINARY(6, r10) ORDINARY(7, r11)           \
                     :                                                                           \
                     : "a"(kept)                                                                 \
                     : "memory")
#define ZERO(n) "xorps %%xmm" #n ", %%xmm" #n "\n\t"
#define CLEAR                                                                                    \
    __asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8)     \
                         ZERO(9) ZERO(10) ZERO(11) ZERO(12) ZERO(13) ZERO(14) ZERO(15)           \
                     :                                                                           \
                     :                                                                           \
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",   \
                       "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")
#else
#define VECTORS 0u
#define GENERAL 0u
#define KEEP (void)0
#define CLEAR (void)0
#endif
#define REGISTERS (16 * VECTORS + 8 * GENERAL)
#define ROOM_KEPT 16384u /* of the stack: for the agent itself */
#ifdef __linux__
#define MOST_PIECES 64u
#else
#define MOST_PIECES 1u
#endif

static uint8_t *kept; /* NULL: nothing is */
static uint32_t below, freed_room, freed, pieces;
static uint8_t *freed_at; /* where freed memory is kept */

/* Of static memory; addresses are relative to left_set, as a program may lie anywhere. */
static struct piece {
    const uint8_t *from;
    uint32_t length;
} piece[MOST_PIECES];

/* Copying a key into its buffer leaves it in vectors, and the call may not use those. */
__attribute__((noinline)) void left_clear(void) { CLEAR; }

__attribute__((noinline)) void left_keep(void)
{
    volatile uint8_t here = 0;
    const volatile uint8_t *from;
    uint8_t *to;
    uint32_t i, j;

    KEEP;
    from = (const volatile uint8_t *)(uintptr_t)((uintptr_t)&here - below);
    to = kept + REGISTERS;
    for (i = 0; i < below; i++)
        *to++ = from[i];
    for (i = 0; i < pieces; i++)
        for (j = 0; j < piece[i].length; j++)
            *to++ = piece[i].from[j];
    for (i = freed; i < freed_room; i++)
        freed_at[i] = 0;
    freed = 0;
}

/* What is about to be freed during a call; the first of it if there is too much. */
void left_freed(const uint8_t *block, uint64_t size)
{
    uint64_t i;

    for (i = 0; i < size && freed < freed_room; i++)
        freed_at[freed++] = block[i];
}

int left_wanted(void) { return kept != NULL; }

/* The bytes of static memory that are wanted; UINT32_MAX: that cannot be. */
static uint32_t take_pieces(void)
{
    uint32_t total = 0;

    for (pieces = 0; take_left() && !frame_bad(); pieces++) {
        uint64_t away = take_u64();
        uint32_t length = take_u32();

        if (pieces == MOST_PIECES || length > UINT32_MAX / 2 - total)
            return UINT32_MAX;
        piece[pieces].from = (const uint8_t *)((uintptr_t)left_set + (uintptr_t)away);
        piece[pieces].length = length;
        total += length;
    }
    return total;
}

enum status left_set(void)
{
    volatile uint8_t here = 0;
    unsigned id = take_u8();
    uint32_t bytes = take_u32(), room = hal_stack_room((uintptr_t)&here);
    uint32_t heap = take_u32(), fixed = take_pieces();

    kept = NULL;
    freed_room = freed = 0;
    if (frame_bad() || fixed == UINT32_MAX || heap > UINT32_MAX / 4 || bytes > UINT32_MAX / 8 ||
        (id != NO_BUFFER && room < ROOM_KEPT + bytes))
        return STATUS_BAD_REQUEST;
    if (id != NO_BUFFER && (kept = buffer_at(id, 0, REGISTERS + bytes + fixed + heap)) == NULL)
        return STATUS_BAD_REQUEST;
    below = bytes;
    freed_at = kept ? kept + REGISTERS + bytes + fixed : NULL;
    freed_room = kept ? heap : 0;
    give_u32(16 * VECTORS);
    give_u32(8 * GENERAL);
    return STATUS_OK;
}
