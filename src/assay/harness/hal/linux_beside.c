/* SPDX-License-Identifier: MIT */
/* As posix_beside.c, for linux.c: in a handler. There are no threads without a library. */

#include "hal.h"

#include "linux/machine.h"

#define PERIOD_US 2000 /* of processor time, so that code that waits is not disturbed */
#define ITIMER_PROF 2

static void (*beside)(void *);
static void *beside_argument;
static volatile int inside; /* a handler that takes longer than a period is not interrupted */

static HAL_HANDLER_ENTRY void on_tick(int number, void *info, void *context)
{
    (void)number, (void)info, (void)context;
    if (inside)
        return;
    inside = 1;
    beside(beside_argument);
    inside = 0;
}

static void tick(long period)
{
    long timer[4] = {0, period, 0, period};

    linux_call(LINUX_setitimer, ITIMER_PROF, (long)timer, 0, 0, 0, 0);
}

int hal_beside(enum hal_beside how, void (*work)(void *), void *argument,
               void (*other)(void *), void *other_argument)
{
    if (how != HAL_HANDLER)
        return 0;
    beside = other;
    beside_argument = other_argument;
    inside = 0; /* a fault may have ended the last handler half-way */
    linux_handle(LINUX_SIGPROF, on_tick, LINUX_SA_SIGINFO | LINUX_SA_RESTART | LINUX_SA_NODEFER);
    tick(PERIOD_US);
    work(argument);
    tick(0);
    return 1;
}

int hal_in_thread(uint32_t stack_bytes, void (*work)(void *), void *argument)
{
    (void)stack_bytes, (void)work, (void)argument;
    return 0;
}

/* heap.c has others for packages that use a heap. */
__attribute__((weak)) uint64_t hal_heap_bytes(void) { return HAL_UNKNOWN; }
__attribute__((weak)) void hal_heap_use(uint32_t *allocations, uint64_t *most)
{
    *allocations = 0;
    *most = 0;
}
