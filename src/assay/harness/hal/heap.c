/* SPDX-License-Identifier: MIT */
/*
 * A heap for packages that ask for one where there is no C library, or where the library's would
 * grow into the stack. Linked with those packages alone.
 *
 * Blocks stand one behind the other, the first that is long enough is taken, and free neighbours
 * become one when they are passed. What is full answers NULL.
 */
#include "hal.h"

#include <string.h>

#if !defined(BOARD_ARENA_BYTES)
#define HEAP_BYTES ((size_t)16 << 20) /* a system gives pages when they are used */
#elif defined(BOARD_HEAP_BYTES)
#define HEAP_BYTES ((size_t)BOARD_HEAP_BYTES)
#else
#define HEAP_BYTES ((size_t)BOARD_ARENA_BYTES / 4)
#endif

struct block {
    _Alignas(max_align_t) size_t bytes; /* behind this */
    int used;
};

static union {
    struct block first;
    uint8_t bytes[HEAP_BYTES];
} heap;
static uint64_t given_out;
static uint32_t allocations;
static uint64_t base, most; /* what was out when they were last asked for, and the most since */

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *from, size_t size);
void free(void *from);

static struct block *behind(struct block *b)
{
    return (struct block *)((uint8_t *)(b + 1) + b->bytes);
}

/* 1: so many bytes behind it are in the heap; whatever is written there may be anything. */
static int is_inside(const struct block *b, size_t bytes)
{
    size_t at = (size_t)((const uint8_t *)b - heap.bytes);

    return at <= sizeof heap - sizeof *b && bytes <= sizeof heap - sizeof *b - at;
}

static void join(struct block *b)
{
    struct block *next = behind(b);

    while (is_inside(next, 0) && is_inside(next, next->bytes) && !next->used) {
        b->bytes += sizeof *b + next->bytes;
        next = behind(b);
    }
}

static void *take(struct block *b, size_t size)
{
    if (b->bytes - size > sizeof *b) {
        struct block *rest = (struct block *)((uint8_t *)(b + 1) + size);

        rest->bytes = b->bytes - size - sizeof *b;
        rest->used = 0;
        b->bytes = size;
    }
    b->used = 1;
    given_out += b->bytes;
    allocations++;
    if (given_out > most)
        most = given_out;
    return b + 1;
}

void *malloc(size_t size)
{
    struct block *b = &heap.first;

    if (b->bytes == 0)
        b->bytes = sizeof heap - sizeof *b;
    if (size > sizeof heap)
        return NULL;
    size = (size + !size + sizeof *b - 1) / sizeof *b * sizeof *b;
    for (; is_inside(b, 0) && is_inside(b, b->bytes); b = behind(b)) {
        if (b->used)
            continue;
        join(b);
        if (b->bytes >= size)
            return take(b, size);
    }
    return NULL;
}

void free(void *from)
{
    struct block *b = (struct block *)from - 1;

    if (from == NULL || !is_inside(b, b->bytes) || !b->used)
        return;
    given_out -= b->bytes;
    b->used = 0;
}

void *calloc(size_t count, size_t size)
{
    void *made = size && count > SIZE_MAX / size ? NULL : malloc(count * size);

    return made ? memset(made, 0, count * size) : NULL;
}

void *realloc(void *from, size_t size)
{
    size_t before = from ? ((struct block *)from - 1)->bytes : 0;
    void *made = malloc(size);

    if (made == NULL || from == NULL)
        return made;
    memcpy(made, from, before < size ? before : size);
    free(from);
    return made;
}

uint64_t hal_heap_bytes(void) { return given_out; }

void hal_heap_use(uint32_t *count, uint64_t *bytes)
{
    *count = allocations;
    *bytes = most - base;
    allocations = 0;
    base = most = given_out;
}
