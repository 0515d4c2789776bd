/* SPDX-License-Identifier: MIT */
/*
 * MemorySanitizer reports a place as often as it is met: a table lookup some thousand times. So
 * each is let through once, which the linker sees to (--wrap).
 */
#include "secret.h"

#ifdef SHADOWED
#include <unistd.h>

#define MOST_PLACES 16384u /* a power of two */

void __real___msan_warning(void);
void __wrap___msan_warning(void);
void __real___msan_warning_with_origin(uint32_t origin);
void __wrap___msan_warning_with_origin(uint32_t origin);

static const void *places[MOST_PLACES];
static unsigned known;

static int is_new(const void *from)
{
    unsigned at = (unsigned)((uintptr_t)from * 2654435761u >> 8) % MOST_PLACES;

    while (places[at] != NULL && places[at] != from)
        at = (at + 1) % MOST_PLACES;
    if (places[at] == from || known == MOST_PLACES / 2)
        return 0;
    places[at] = from;
    known++;
    return 1;
}

/* Kept without a frame of its own, so that the report begins with the caller. */
void __wrap___msan_warning(void)
{
    if (is_new(__builtin_return_address(0)))
        __real___msan_warning();
}

/* From clang 12 on code calls this one, whether or not there are origins. */
void __wrap___msan_warning_with_origin(uint32_t origin)
{
    if (is_new(__builtin_return_address(0)))
        __real___msan_warning_with_origin(origin);
}

/* The library's own look at what they compare, and say so each time. */
#define COMPARING(name) \
    int __real_##name(const void *p, const void *q, size_t length); \
    int __wrap_##name(const void *p, const void *q, size_t length); \
    int __wrap_##name(const void *p, const void *q, size_t length) \
    { \
        int differ; \
\
        if (__msan_test_shadow(p, length) >= 0 || __msan_test_shadow(q, length) >= 0) \
            if (is_new(__builtin_return_address(0))) \
                __real___msan_warning(); \
        __msan_scoped_disable_interceptor_checks(); \
        differ = __real_##name(p, q, length); \
        __msan_scoped_enable_interceptor_checks(); \
        return differ; \
    }

/* A byte of the report for each block of the package's code that is met for the first time. */
#define UNFOLLOWED __attribute__((no_sanitize("memory")))

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

UNFOLLOWED void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop)
{
    while (start < stop)
        *start++ = 1;
}

UNFOLLOWED void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (*guard != 0) {
        *guard = 0;
        if (write(STDERR_FILENO, "\n", 1) != 1)
            *guard = 1;
    }
}

COMPARING(memcmp)
COMPARING(bcmp)
#else
typedef int warned_nothing; /* a file has something in it */
#endif
