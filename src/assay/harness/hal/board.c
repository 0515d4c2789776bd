/* SPDX-License-Identifier: MIT */
/*
 * The machine below the agent: a board, of which boards/board.h knows three functions.
 *
 * Buffers come out of one static arena. What they are made of is kept apart from it,
 * so that code that writes too far spoils patterns and other buffers, never the agent.
 */
#include "hal.h"

#include "../boards/board.h"

#include <string.h>

#if !defined(BOARD_ARENA_BYTES) || !defined(BOARD_FRAME_BYTES) || !defined(BOARD_HZ)
#error "compile with -include boards/<port>.h"
#endif

#ifndef BOARD_PIECES
#define BOARD_PIECES 64 /* as many buffers as the agent has numbers for */
#endif

#define WEAK __attribute__((weak))
#define ALIGNMENT 16u
#define PAINT_BYTES 32u /* at the end of the stack: whatever comes there goes on into buffers */
#define PAINT 0xc5u

extern uint8_t hal_arena[];
extern const size_t hal_arena_bytes; /* arena.c */
static uint8_t frames[2][BOARD_FRAME_BYTES];
static unsigned frames_given;

static struct piece {
    size_t start, length;
} pieces[BOARD_PIECES]; /* of the arena that are in use, in order */
static unsigned piece_count;

WEAK void board_open(int argc, char **argv) { (void)argc, (void)argv; }

WEAK int board_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    *address = 0;
    work(argument);
    return 0;
}

WEAK uint32_t board_stack_room(uintptr_t stack_pointer)
{
    (void)stack_pointer;
    return 0;
}

WEAK uint8_t *board_stack_end(void) { return NULL; }

void hal_open(int argc, char **argv) { board_open(argc, argv); }

int hal_read(void *to, size_t length)
{
    uint8_t *p = to;
    int byte;

    while (length--) {
        byte = board_read();
        if (byte < 0)
            return 0;
        *p++ = (uint8_t)byte;
    }
    return 1;
}

int hal_pending(void) { return 0; } /* nothing is held back that a flush would send */

void hal_write(const void *from, size_t length)
{
    const uint8_t *p = from;

    while (length--)
        board_write(*p++);
}

void hal_flush(void) {}

int hal_keep(void *from, size_t length)
{
    (void)from;
    (void)length;
    return 0;
}

int hal_kept(void *to, size_t length)
{
    (void)to;
    (void)length;
    return 0;
}

uint32_t hal_largest_payload(void) { return BOARD_FRAME_BYTES; }

/* A serial line holds nothing back: what the bench sends while we work would be lost. */
uint32_t hal_in_flight_bytes(void) { return 0; }

int hal_grow(uint8_t **block, uint32_t *size, uint32_t wanted)
{
    if (wanted > BOARD_FRAME_BYTES || *block != NULL || frames_given == 2)
        return 0;
    *block = frames[frames_given++];
    *size = BOARD_FRAME_BYTES;
    return 1;
}

/* Where `length` bytes are free: the first such place; `at` gets its rank. */
static int find_room(size_t length, unsigned *at, size_t *start)
{
    *start = 0;
    for (*at = 0; *at < piece_count; (*at)++) {
        if (pieces[*at].start - *start >= length)
            return 1;
        *start = pieces[*at].start + pieces[*at].length;
    }
    return hal_arena_bytes - *start >= length;
}

int hal_map(struct hal_region *region, size_t size)
{
    size_t length = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1), start;
    unsigned at;

    if (piece_count == BOARD_PIECES || length < size || !find_room(length, &at, &start))
        return 0;
    memmove(pieces + at + 1, pieces + at, (piece_count - at) * sizeof pieces[0]);
    pieces[at].start = start;
    pieces[at].length = length;
    piece_count++;
    region->map = region->base = hal_arena + start;
    region->map_bytes = region->usable = length;
    memset(region->base, 0, length);
    return 1;
}

void hal_unmap(struct hal_region *region)
{
    size_t start = (size_t)(region->base - hal_arena);
    unsigned at = 0;

    while (at < piece_count && pieces[at].start != start)
        at++;
    if (at == piece_count)
        return;
    piece_count--;
    memmove(pieces + at, pieces + at + 1, (piece_count - at) * sizeof pieces[0]);
}

void hal_forget(int argc, char **argv, int replace) { (void)argc, (void)argv, (void)replace; }

void hal_seal(void) {}

int hal_protect(struct hal_region *region)
{
    (void)region;
    return 0;
}

uint32_t hal_page_bytes(void) { return 0; }

const uint8_t *hal_map_zeros(uint64_t size)
{
    (void)size;
    return NULL;
}

void hal_unmap_zeros(const uint8_t *zeros, uint64_t size) { (void)zeros, (void)size; }

uint32_t hal_stack_room(uintptr_t stack_pointer) { return board_stack_room(stack_pointer); }

/* Code that needs more stack than there is would spoil buffers, and look wrong. */
int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    volatile uint8_t *end = board_stack_end();
    unsigned i;
    int number;

    for (i = 0; end != NULL && i < PAINT_BYTES; i++)
        end[i] = PAINT;
    number = board_guarded(work, argument, address);
    for (i = 0; end != NULL && i < PAINT_BYTES; i++)
        if (end[i] != PAINT)
            return HAL_NO_STACK;
    return number;
}

/* Wraps with the counter. */
uint64_t hal_clock_ns(void)
{
#if BOARD_HZ
    return (uint64_t)board_ticks() * 1000000000u / BOARD_HZ;
#else
    return 0;
#endif
}

void hal_close_doors(void) {} /* there are none */

uint64_t hal_processor_ns(void) { return 0; }
uint64_t hal_involuntary_switches(void) { return 0; }
