/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot be had, for packages that are linked so (`--wrap=malloc` and so on): then
 * what they call are the functions here. Elsewhere nothing calls them.
 *
 * Agents whose instructions are traced have their aligned memory from here alone: the C library's
 * lies at another address each time (bug 14581 of glibc), although all of it was given back.
 */
#include "agent.h"

#include "../hal/hal.h"

#include <stddef.h>

#if defined(__linux__) && __STDC_HOSTED__ && !defined(__TINYC__)

#include <errno.h>
#include <malloc.h>

static uint32_t left; /* how many allocations until one fails; 0: none does */
static uint32_t asked, failed;
static uint32_t allocations; /* since they were last asked for, */
static uint64_t base, most, out; /* what was out then, the most at a time, what is out now */

static int fails(void)
{
    asked++;
    if (left == 0 || --left)
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

static void *counted(void *block)
{
    allocations++;
    out += block ? malloc_usable_size(block) : 0;
    most = out > most ? out : most;
    return block;
}

/* What somebody else allocated may be given back, too. */
static void *returned(void *block)
{
    uint64_t size = block ? malloc_usable_size(block) : 0;

    out -= size < out ? size : out;
    return block;
}

/* What the linker calls the library's own; nothing where nothing is linked so. */
#define REAL(result, name, parameters)                                                           \
    extern result __real_##name parameters __attribute__((weak));                                \
    extern result __wrap_##name parameters;                                                      \
    result __wrap_##name parameters

REAL(void *, malloc, (size_t size)) { return fails() ? NULL : counted(__real_malloc(size)); }

REAL(void *, calloc, (size_t count, size_t size))
{
    return fails() ? NULL : counted(__real_calloc(count, size));
}

#ifdef ASSAY_TRACED
#define MOST_ALIGNED 64u

extern void *__real_memalign(size_t alignment, size_t size) __attribute__((weak));

static struct {
    void *at; /* NULL: nothing was there yet */
    size_t alignment, size;
    int out;
} aligned[MOST_ALIGNED];

/* What was given back is given out again, always in the same order. */
static void *aligned_again(size_t alignment, size_t size)
{
    unsigned i;

    for (i = 0; i < MOST_ALIGNED; i++) {
        if (aligned[i].at == NULL && (aligned[i].at = __real_memalign(alignment, size)) != NULL) {
            aligned[i].alignment = alignment;
            aligned[i].size = size;
        }
        if (!aligned[i].out && aligned[i].size == size && aligned[i].alignment == alignment) {
            aligned[i].out = 1;
            return aligned[i].at;
        }
    }
    return __real_memalign(alignment, size);
}

/* Its size, and it is given back; 0: it is none of these. */
static size_t aligned_back(void *block)
{
    unsigned i;

    for (i = 0; block && i < MOST_ALIGNED; i++)
        if (aligned[i].at == block) {
            aligned[i].out = 0;
            return aligned[i].size;
        }
    return 0;
}

#define ALIGNED(name, alignment, size) aligned_again(alignment, size)
#else
#define ALIGNED(name, alignment, size) __real_##name(alignment, size)
static size_t aligned_back(const void *block) { return (void)block, 0; }
#endif

REAL(void *, realloc, (void *block, size_t size))
{
    size_t before = aligned_back(block);
    uint8_t *moved = NULL;

    if (fails())
        return NULL;
    if (before == 0)
        return counted(__real_realloc(returned(block), size));
    moved = malloc(size);
    while (moved && before-- > 0)
        if (before < size)
            moved[before] = ((uint8_t *)block)[before];
    return moved;
}

REAL(void *, aligned_alloc, (size_t alignment, size_t size))
{
    return fails() ? NULL : counted(ALIGNED(aligned_alloc, alignment, size));
}

REAL(void *, memalign, (size_t alignment, size_t size))
{
    return fails() ? NULL : counted(ALIGNED(memalign, alignment, size));
}

REAL(void *, valloc, (size_t size))
{
    return fails() ? NULL : counted(__real_valloc(size));
}

REAL(int, posix_memalign, (void **block, size_t alignment, size_t size))
{
#ifdef ASSAY_TRACED
    int status = (*block = aligned_again(alignment, size)) == NULL ? ENOMEM : 0;
#else
    int status = fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);
#endif

    if (status == 0)
        (void)counted(*block);
    return status;
}

REAL(void, free, (void *block))
{
    if (block)
        left_freed(block, malloc_usable_size(block));
    if (aligned_back(block) == 0)
        __real_free(returned(block));
}

enum status allocation_starve(void)
{
    uint32_t wanted = take_u32();

    if (frame_bad() || __real_malloc == NULL)
        return STATUS_BAD_REQUEST;
    give_u32(asked);
    give_u8((uint8_t)failed);
    left = wanted;
    asked = failed = 0;
    return STATUS_OK;
}

enum status allocation_use(void)
{
    if (__real_malloc == NULL)
        return STATUS_BAD_REQUEST;
    give_u32(allocations);
    give_u64(most - base);
    allocations = 0;
    base = most = out;
    return STATUS_OK;
}

#elif !__STDC_HOSTED__ /* the heap is ours */

enum status allocation_starve(void) { return STATUS_BAD_REQUEST; }

enum status allocation_use(void)
{
    uint32_t allocations;
    uint64_t most;

    hal_heap_use(&allocations, &most);
    give_u32(allocations);
    give_u64(most);
    return STATUS_OK;
}

#else

enum status allocation_starve(void) { return STATUS_BAD_REQUEST; }
enum status allocation_use(void) { return STATUS_BAD_REQUEST; }

#endif
