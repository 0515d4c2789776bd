/* SPDX-License-Identifier: MIT */
/*
 * Declaring bytes secret: valgrind takes them for undefined, and complains where a branch or
 * an address depends on them (Langley, ctgrind, 2010). What is forbidden it complains of when
 * it is read or written. Where agent and package are compiled with MemorySanitizer, its shadow
 * memory is marked instead, and nothing is forbidden. Nothing happens elsewhere.
 */
#ifndef ASSAY_AGENT_SECRET_H
#define ASSAY_AGENT_SECRET_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SHADOWED 1
#endif
#endif

/* Only this machine runs valgrind; what its requests are made of assembles not everywhere. */
#if defined(__has_include) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define MARKS 1
#endif
#endif

#if defined(SHADOWED)
static inline int secret_marks(void) { return 1; }

static inline void secret_hide(const void *from, uint64_t length)
{
    __msan_poison(from, (size_t)length);
}

static inline void secret_show(const void *from, uint64_t length)
{
    __msan_unpoison(from, (size_t)length);
}

static inline void secret_forbid(const void *from, uint64_t length) { (void)from, (void)length; }

static inline uint32_t secret_count(const uint8_t *from, uint32_t length)
{
    uint32_t count = 0, i;

    for (i = 0; i < length; i++)
        count += __msan_test_shadow(from + i, 1) == 0;
    return count;
}
#elif defined(MARKS)
static inline int secret_marks(void) { return RUNNING_ON_VALGRIND != 0; }

static inline void secret_hide(const void *from, uint64_t length)
{
    (void)VALGRIND_MAKE_MEM_UNDEFINED(from, length);
}

static inline void secret_show(const void *from, uint64_t length)
{
    (void)VALGRIND_MAKE_MEM_DEFINED(from, length);
}

static inline void secret_forbid(const void *from, uint64_t length)
{
    (void)VALGRIND_MAKE_MEM_NOACCESS(from, length);
}

/* How many bytes valgrind takes for undefined. */
static inline uint32_t secret_count(const uint8_t *from, uint32_t length)
{
    uint32_t count = 0, i;
    uint8_t bits;

    for (i = 0; i < length; i++)
        if (VALGRIND_GET_VBITS(from + i, &bits, 1) == 1)
            count += bits != 0;
    return count;
}
#else
static inline int secret_marks(void) { return 0; }
static inline uint32_t secret_count(const uint8_t *from, uint32_t length)
{
    (void)from, (void)length;
    return 0;
}
static inline void secret_hide(const void *from, uint64_t length) { (void)from, (void)length; }
static inline void secret_show(const void *from, uint64_t length) { (void)from, (void)length; }
static inline void secret_forbid(const void *from, uint64_t length) { (void)from, (void)length; }
#endif

#endif
