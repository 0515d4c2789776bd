/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot be had, for packages that are linked so (`--wrap=malloc` and so on): then
 * what they call are the functions here. Elsewhere nothing calls them.
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

REAL(void *, realloc, (void *block, size_t size))
{
    return fails() ? NULL : counted(__real_realloc(returned(block), size));
}

REAL(void *, aligned_alloc, (size_t alignment, size_t size))
{
    return fails() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

REAL(void *, memalign, (size_t alignment, size_t size))
{
    return fails() ? NULL : counted(__real_memalign(alignment, size));
}

REAL(void *, valloc, (size_t size))
{
    return fails() ? NULL : counted(__real_valloc(size));
}

REAL(int, posix_memalign, (void **block, size_t alignment, size_t size))
{
    int status = fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);

    if (status == 0)
        (void)counted(*block);
    return status;
}

REAL(void, free, (void *block))
{
    if (block)
        left_freed(block, malloc_usable_size(block));
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
