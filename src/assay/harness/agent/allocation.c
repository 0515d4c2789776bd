/* SPDX-License-Identifier: MIT */
/*
 * Memory that cannot be had, for packages that are linked so (`--wrap=malloc` and so on): then
 * what they call are the functions here. Elsewhere nothing calls them.
 */
#include "agent.h"

#include <stddef.h>

#if defined(__linux__) && __STDC_HOSTED__ && !defined(__TINYC__)

#include <errno.h>

static uint32_t left; /* how many allocations until one fails; 0: none does */
static uint32_t asked, failed;

static int fails(void)
{
    asked++;
    if (left == 0 || --left)
        return 0;
    failed = 1;
    errno = ENOMEM;
    return 1;
}

/* What the linker calls the library's own; nothing where nothing is linked so. */
#define REAL(result, name, parameters)                                                           \
    extern result __real_##name parameters __attribute__((weak));                                \
    extern result __wrap_##name parameters;                                                      \
    result __wrap_##name parameters

REAL(void *, malloc, (size_t size)) { return fails() ? NULL : __real_malloc(size); }

REAL(void *, calloc, (size_t count, size_t size))
{
    return fails() ? NULL : __real_calloc(count, size);
}

REAL(void *, realloc, (void *block, size_t size))
{
    return fails() ? NULL : __real_realloc(block, size);
}

REAL(void *, aligned_alloc, (size_t alignment, size_t size))
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

REAL(void *, memalign, (size_t alignment, size_t size))
{
    return fails() ? NULL : __real_memalign(alignment, size);
}

REAL(void *, valloc, (size_t size)) { return fails() ? NULL : __real_valloc(size); }

REAL(int, posix_memalign, (void **block, size_t alignment, size_t size))
{
    return fails() ? ENOMEM : __real_posix_memalign(block, alignment, size);
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

#else

enum status allocation_starve(void) { return STATUS_BAD_REQUEST; }

#endif
