/* SPDX-License-Identifier: MIT */
/* The machine below the agent: any POSIX system. */

#define _DEFAULT_SOURCE
#define _GNU_SOURCE

#include "hal.h"
#include "process.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#if !defined(_POSIX_VERSION)
#error "this hal needs a POSIX system"
#endif

#define HANG_SECONDS 1
#define GUARD_PAGES 16 /* on both sides of a buffer: code may miss by far */

static int input_fd, output_fd = 1;

/* Signals, and the numbers that the protocol gives them: those of most architectures. */
static const struct {
    int number, told;
} caught[] = {{SIGSEGV, 11}, {SIGBUS, 7}, {SIGILL, 4}, {SIGFPE, 8}, {SIGTRAP, 5}, {SIGABRT, 6}};
static sigjmp_buf escape;
static pthread_t owner; /* of `escape`: another thread cannot jump there */
static volatile sig_atomic_t armed;
static volatile uintptr_t fault_address;
static uint8_t signal_stack[1 << 16];

static HAL_HANDLER_ENTRY void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!armed || !pthread_equal(pthread_self(), owner)) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    armed = 0;
    fault_address = (uintptr_t)info->si_addr;
    siglongjmp(escape, number);
}

/* Code under test that hangs or exits must not take with it the answers that
 * were ready before: the bench would then name a call too early. While it runs
 * nobody else touches the output. */
static HAL_HANDLER_ENTRY void on_alarm(int number)
{
    (void)number;
    if (armed)
        hal_flush();
    alarm(HANG_SECONDS);
}

static void catch_hangs(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART | SA_ONSTACK; /* the stack below a call may be painted */
    sigaction(SIGALRM, &action, NULL);
    alarm(HANG_SECONDS);
    atexit(hal_flush);
}

static void catch_faults(void)
{
    stack_t stack;
    struct sigaction action;
    size_t i;

    memset(&stack, 0, sizeof stack);
    stack.ss_sp = signal_stack;
    stack.ss_size = sizeof signal_stack;
    sigaltstack(&stack, NULL);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (i = 0; i < sizeof caught / sizeof caught[0]; i++)
        sigaction(caught[i].number, &action, NULL);
}

void hal_open(int argc, char **argv)
{
    input_fd = argc > 1 ? atoi(argv[1]) : 0;
    output_fd = argc > 2 ? atoi(argv[2]) : 1;
    owner = pthread_self();
    catch_faults();
    catch_hangs();
}

size_t hal_process_read(uint8_t *to, size_t room)
{
    ssize_t got;

    do
        got = read(input_fd, to, room);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got : 0;
}

/* Not by poll(), which fails in a process that may open no files any more. */
int hal_process_asked(void)
{
    const struct timespec at_once = {0, 0};
    fd_set asked;

    if (input_fd >= FD_SETSIZE)
        return 0;
    FD_ZERO(&asked);
    FD_SET(input_fd, &asked);
    return pselect(input_fd + 1, &asked, NULL, NULL, &at_once, NULL) > 0;
}

void hal_process_write(const uint8_t *from, size_t length)
{
    ssize_t put;

    while (length) {
        put = write(output_fd, from, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            _exit(3); /* the bench has gone */
        from += put;
        length -= (size_t)put;
    }
}

void *hal_process_regrow(void *block, size_t size, size_t wanted)
{
    (void)size;
    return realloc(block, wanted);
}

uint32_t hal_page_bytes(void) { return (uint32_t)sysconf(_SC_PAGESIZE); }

int hal_map(struct hal_region *region, size_t size)
{
    size_t page = hal_page_bytes();

    region->usable = (size + page - 1) / page * page;
    if (region->usable == 0)
        region->usable = page;
    region->map_bytes = region->usable + 2 * GUARD_PAGES * page;
    region->map = mmap(NULL, region->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (region->map == MAP_FAILED)
        return 0;
    region->base = (uint8_t *)region->map + GUARD_PAGES * page;
    return mprotect(region->base, region->usable, PROT_READ | PROT_WRITE) == 0;
}

void hal_unmap(struct hal_region *region) { munmap(region->map, region->map_bytes); }

const uint8_t *hal_map_zeros(uint64_t size)
{
    void *zeros;

    if (size != (size_t)size)
        return NULL;
    zeros = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return zeros == MAP_FAILED ? NULL : zeros;
}

void hal_unmap_zeros(const uint8_t *zeros, uint64_t size)
{
    munmap((void *)(uintptr_t)zeros, (size_t)size);
}

static int told(int number)
{
    size_t i;

    for (i = 0; i < sizeof caught / sizeof caught[0]; i++)
        if (caught[i].number == number)
            return caught[i].told;
    return number;
}

int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    int number = sigsetjmp(escape, 0); /* SA_NODEFER: the mask never changed */

    if (number != 0) {
        *address = fault_address;
        return told(number);
    }
    armed = 1;
    work(argument);
    armed = 0;
    return 0;
}

uint64_t hal_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t hal_processor_ns(void)
{
#ifdef CLOCK_PROCESS_CPUTIME_ID
    struct timespec used;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0)
        return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
#endif
    return 0;
}

void hal_close_doors(void)
{
    const struct rlimit none = {0, 0};

    setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_CORE, &none);
#ifdef RLIMIT_NPROC
    setrlimit(RLIMIT_NPROC, &none);
#endif
}

uint64_t hal_involuntary_switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_nivcsw;
}
