/* SPDX-License-Identifier: MIT */
/* Submitted code that runs while other submitted code does: in a handler, in a thread. */

#define _DEFAULT_SOURCE
#define _GNU_SOURCE

#include "hal.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#define PERIOD_US 2000 /* of processor time, so that code that waits is not disturbed */
/* More than any frame: one of megabytes would step over a page. glibc before 2.27 takes it
 * from the stack. */
#define STACK_GUARD_BYTES (16u << 20)

struct job {
    void (*run)(void *);
    void *argument;
};

static struct job beside;
static volatile sig_atomic_t finished;
static volatile sig_atomic_t inside; /* a handler that takes longer than a period is left alone */

static HAL_HANDLER_ENTRY void on_tick(int number)
{
    (void)number;
    if (inside)
        return;
    inside = 1;
    beside.run(beside.argument);
    inside = 0;
}

static void tick(suseconds_t period)
{
    struct itimerval timer = {{0, period}, {0, period}};

    setitimer(ITIMER_PROF, &timer, NULL);
}

static int in_handler(struct job work)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_tick;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    sigaction(SIGPROF, &action, NULL);
    inside = 0; /* a fault may have ended the last handler half-way */
    tick(PERIOD_US);
    work.run(work.argument);
    tick(0);
    signal(SIGPROF, SIG_IGN);
    return 1;
}

static void *repeat(void *unused)
{
    (void)unused;
    while (!finished)
        beside.run(beside.argument);
    return NULL;
}

static int in_thread(struct job work)
{
    pthread_t thread;

    finished = 0;
    if (pthread_create(&thread, NULL, repeat, NULL) != 0)
        return 0;
    work.run(work.argument);
    finished = 1;
    pthread_join(thread, NULL);
    return 1;
}

int hal_beside(enum hal_beside how, void (*work)(void *), void *argument,
               void (*other)(void *), void *other_argument)
{
    struct job first = {work, argument};

    beside.run = other;
    beside.argument = other_argument;
    return how == HAL_THREAD ? in_thread(first) : in_handler(first);
}

static void *in_turn(void *job)
{
    static uint8_t signal_stack[1 << 16]; /* a stack that overflows is a fault as any other */
    const struct job *work = job;
    stack_t stack;

    memset(&stack, 0, sizeof stack);
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, NULL);
    work->run(work->argument);
    return NULL;
}

int hal_in_thread(uint32_t stack_bytes, void (*work)(void *), void *argument)
{
    struct job job = {work, argument};
    pthread_attr_t attributes;
    pthread_t thread;
    int made;

    if (pthread_attr_init(&attributes) != 0)
        return 0;
    made = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
           pthread_attr_setguardsize(&attributes, STACK_GUARD_BYTES) == 0 &&
           pthread_create(&thread, &attributes, in_turn, &job) == 0;
    pthread_attr_destroy(&attributes);
    return made && pthread_join(thread, NULL) == 0;
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
uint64_t hal_heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (uint64_t)info.uordblks + info.hblkhd;
}
#else
uint64_t hal_heap_bytes(void) { return HAL_UNKNOWN; }
#endif
