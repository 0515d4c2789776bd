/* SPDX-License-Identifier: MIT */
/* The counters of each architecture. Sources: the architectures' manuals. */

#define _DEFAULT_SOURCE
#define _GNU_SOURCE

#include "meter.h"

#include "../hal/hal.h"

#include <stddef.h>

static int always(void) { return 1; }

#if defined(__x86_64__) || defined(__i386__)
#define ARCHITECTURE_COUNTER "RDTSC instruction"
static uint64_t architecture_now(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
#define ARCHITECTURE_COUNTER "CNTVCT register"
static uint64_t architecture_now(void)
{
    uint64_t value;

    __asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(value));
    return value;
}
#elif defined(__powerpc64__)
#define ARCHITECTURE_COUNTER "MFTB instruction"
static uint64_t architecture_now(void)
{
    uint64_t value;

    __asm__ volatile("mftb %0" : "=r"(value));
    return value;
}
#elif defined(__sparc__) && defined(__arch64__)
#define ARCHITECTURE_COUNTER "tick register"
static uint64_t architecture_now(void)
{
    uint64_t value;

    __asm__ volatile("rd %%tick, %0" : "=r"(value));
    return value;
}
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCHITECTURE_COUNTER "RDTIME instruction"
static uint64_t architecture_now(void)
{
    uint64_t value;

    __asm__ volatile("rdtime %0" : "=r"(value));
    return value;
}
#elif defined(__s390x__)
#define ARCHITECTURE_COUNTER "STCKF instruction"
static uint64_t architecture_now(void)
{
    uint64_t value;

    __asm__ volatile("stckf %0" : "=Q"(value) : : "cc");
    return value;
}
#endif

/* With musl the kernel's headers are a package of their own; without them there is no such counter.
 * A compiler that cannot ask for a header has a C library that brings them. */
#if defined(__linux__)
#if !defined(__has_include)
#define HAVE_PERF_EVENT 1
#elif __has_include(<linux/perf_event.h>)
#define HAVE_PERF_EVENT 1
#endif
#endif

#if defined(HAVE_PERF_EVENT)
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int cycles_fd = -1;

static int cycles_open(void)
{
    struct perf_event_attr attributes;

    if (cycles_fd >= 0)
        return 1;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    cycles_fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    return cycles_fd >= 0;
}

static uint64_t cycles_now(void)
{
    uint64_t value = 0;

    if (read(cycles_fd, &value, sizeof value) != (ssize_t)sizeof value)
        return 0;
    return value;
}
#endif

const struct meter_counter meter_counters[] = {
#if defined(HAVE_PERF_EVENT)
    {"perf_event cycle counter", 1, cycles_open, cycles_now},
#endif
#ifdef ARCHITECTURE_COUNTER
    {ARCHITECTURE_COUNTER, 0, always, architecture_now},
#endif
    {"clock_gettime() function", 0, always, hal_clock_ns},
    {NULL, 0, NULL, NULL},
};
