/* SPDX-License-Identifier: MIT */
/*
 * The seal: a filter of system calls (seccomp), put on before the first submitted code runs.
 *
 * What submitted code could change the agent with ends it with SIGSYS: protection of pages,
 * memory that is executable or in place of other memory, handlers of signals, timers, threads,
 * files. So code, constants and addresses stay as the linker made them, and a page that is
 * missing ends the call instead of having it made later. Other calls that an agent needs
 * no more fail. A process cannot take a filter off.
 *
 * What lies in a window of addresses may be unmapped, where the agent puts its buffers; not
 * what is above (libraries) and below (the program and its heap). For 64 bits its borders are
 * multiples of 4 GiB, since a filter sees 32 bits at once.
 */
#define _GNU_SOURCE

#include "seal.h"

#include "seal_filter.h"

#include <stdint.h>
#include <sys/mman.h>

#if !defined(MAP_NORESERVE) /* FreeBSD has none, and reserves nothing */
#define MAP_NORESERVE 0
#endif
#define MOST_TRIES 64 /* to find a place where nothing is */

#if SEALS

#include <elf.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TRIM_BYTES (64 << 20) /* what free() keeps, as it comes to do by itself for large blocks \
                               */

static struct seal_window window;
static uintptr_t next_place;
static int sealed;

#if UINTPTR_MAX > UINT32_MAX
/* Of whole units of 4 GiB: what begins inside ends below the objects above. */
static void round_window(void)
{
    const uintptr_t unit = (uintptr_t)1 << 32, room = (LARGEST_PART + 2) * unit;

    window.low = (window.low / unit + 2) * unit;
    window.high = window.high > room ? (window.high - room) / unit * unit : 0;
}
#else
static void round_window(void) {}
#endif

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Phdr part_header;
#else
typedef Elf32_Phdr part_header;
#endif

/* How struct dl_phdr_info begins; tcc cannot read <link.h>. */
struct object {
    uintptr_t base;
    const char *name;
    const part_header *parts;
    uint16_t count;
};

int dl_iterate_phdr(int (*look)(struct object *, size_t, void *), void *argument);

/* The first object is the program; the window lies between it and the lowest one above it. */
static int look_at_object(struct object *one, size_t size, void *count)
{
    uintptr_t low = UINTPTR_MAX, high = 0, at;
    int i;

    (void)size;
    for (i = 0; i < one->count; i++) {
        const part_header *part = &one->parts[i];

        if (part->p_type != PT_LOAD)
            continue;
        at = one->base + part->p_vaddr;
        low = at < low ? at : low;
        high = at + part->p_memsz > high ? at + part->p_memsz : high;
    }
    if ((*(int *)count)++ == 0)
        window.low = high;
    else if (low >= window.low && low < window.high)
        window.high = low;
    return 0;
}

static void find_window(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t heap = (uintptr_t)sbrk(0);
    int objects = 0;

    window.high = (uintptr_t)&objects; /* on the stack, which is above all of them */
    dl_iterate_phdr(look_at_object, &objects);
    if (heap > window.low && heap < window.high)
        window.low = heap;
    window.low = (window.low + page - 1) / page * page;
    window.high = window.high / page * page;
    round_window();
    if (window.high <= window.low)
        window.low = window.high = 0;
    next_place = window.high;
}

int seal_close(void)
{
    mallopt(M_MMAP_MAX, 0); /* the heap grows instead: large blocks are given back there */
    mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
    find_window();
    sealed = seal_filter(&window);
    return sealed;
}

int seal_default(int signal_number)
{
    return sealed && syscall(__NR_rt_sigaction, signal_number, seal_by_default, NULL, 8) == 0;
}

/* The next place downwards where nothing may be yet; from the top again at the end. */
static void *place(size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    size = (size + page - 1) / page * page;
    if (size > window.high - window.low)
        return NULL;
    if (size > next_place - window.low)
        next_place = window.high;
    next_place -= size;
    return (void *)next_place;
}
#else
static const int sealed = 0;

static void *place(size_t size)
{
    (void)size;
    return NULL;
}

int seal_close(void) { return 0; }

int seal_default(int signal_number)
{
    (void)signal_number;
    return 0;
}
#endif

static void *mapped(void *at, size_t size, int protection)
{
    void *got = mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return got == MAP_FAILED ? NULL : got;
}

/* At a place that was asked for, which the kernel gives if it is free. */
static void *mapped_there(void *at, size_t size, int protection)
{
    void *got = mapped(at, size, protection);

    if (got == NULL || got == at)
        return got;
    munmap(got, size);
    return NULL;
}

void *seal_map(size_t size, int protection)
{
    void *at, *got;
    int tries;

    if (!sealed)
        return mapped(NULL, size, protection);
    for (tries = 0; tries < MOST_TRIES; tries++)
        if ((at = place(size)) != NULL && (got = mapped_there(at, size, protection)) != NULL)
            return got;
    return NULL;
}

int seal_fill(void *at, size_t size)
{
    const int protection = PROT_READ | PROT_WRITE;

    if (!sealed)
        return mprotect(at, size, protection) == 0;
    return munmap(at, size) == 0 && mapped_there(at, size, protection) != NULL;
}
