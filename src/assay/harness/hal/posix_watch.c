/* SPDX-License-Identifier: MIT */
/*
 * Watching writes to a buffer: its pages are read-only, a write faults, is let through, and the
 * pages are closed again behind it. Where the processor cannot be stepped only the first is seen.
 */
#define _GNU_SOURCE

#include "hal.h"
#include "process.h"

#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__) && defined(__linux__)
#define STEPS 1
#define TRAP_FLAG 0x100
#endif

static struct {
    const struct hal_region *region; /* NULL: nothing is watched */
    const uint8_t *at, *expected;
    uint32_t length, writes, most;
    int stepping;
} watched;

/* How many bytes are as expected now: the most there ever were are kept. */
static void look(void)
{
    uint32_t equal = 0, i;

    for (i = 0; i < watched.length; i++)
        equal += watched.at[i] == watched.expected[i];
    if (equal > watched.most)
        watched.most = equal;
}

static int set(int protection)
{
    return mprotect(watched.region->base, watched.region->usable, protection) == 0;
}

int hal_watch(const struct hal_region *region, const uint8_t *at, const uint8_t *expected,
              uint32_t length)
{
    watched.region = region;
    watched.at = at;
    watched.expected = expected;
    watched.length = length;
    watched.writes = watched.most = 0;
    watched.stepping = 0;
    look();
    return set(PROT_READ);
}

int hal_watched(uint32_t *writes, uint32_t *most)
{
    int done = watched.region != NULL && set(PROT_READ | PROT_WRITE);

    if (done)
        look();
    watched.region = NULL;
    *writes = watched.writes;
    *most = watched.most;
    return done;
}

static void step(void *context, int on)
{
#if defined(STEPS)
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

    *flags = on ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
    watched.stepping = on;
#else
    (void)context, (void)on;
#endif
}

int watch_fault(int number, uintptr_t address, void *context)
{
    if (watched.region == NULL)
        return 0;
    if (number == SIGTRAP && watched.stepping) {
        look();
        step(context, 0);
        return set(PROT_READ);
    }
    if (address - (uintptr_t)watched.region->base >= watched.region->usable || watched.stepping)
        return 0;
    watched.writes++;
    step(context, 1);
    return set(PROT_READ | PROT_WRITE);
}
