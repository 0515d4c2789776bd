/* SPDX-License-Identifier: MIT */
/*
 * The machine below the agent: the Linux kernel, without any C library.
 *
 * For processors that no distribution builds its library for. It does what
 * posix.c does, with system calls; what differs between architectures (how
 * a program starts, how a call is made, numbers and layouts) is in linux/.
 */
#include "hal.h"
#include "process.h"

#include "linux/machine.h"

#include <string.h>

#ifdef ASSAY_TRACED
#define HANG_SECONDS 0 /* never: a trace lacks what the package calls from a tick on */
#else
#define HANG_SECONDS 1
#endif
#define EINTR 4
#define POLLIN 1
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 2
#define SIGALRM 14
#define ITIMER_REAL 0
#define LOST 3 /* the exit code when the bench has gone */

__asm__(".text\n" LINUX_ASSEMBLY);

#ifdef LINUX_NEEDS_RESTORER
void linux_restorer(void);
#endif

static int input_fd, output_fd = 1;

static void *escape[5];
static volatile int armed, fault_number;
static volatile uintptr_t fault_address;
static uint8_t signal_stack[1 << 16] __attribute__((aligned(16)));

/* Signals as this architecture numbers them, and as the protocol does. */
static const struct {
    int number, told;
} caught[] = {{11, 11}, {LINUX_SIGBUS, 7}, {4, 4}, {8, 8}, {5, 5}, {6, 6}};

static long call3(long number, long a, long b, long c)
{
    return linux_call(number, a, b, c, 0, 0, 0);
}

static void __attribute__((noreturn)) leave(int code)
{
    for (;;)
        call3(LINUX_exit_group, code, 0, 0);
}

/* For packages that give up by themselves: what was answered before gets out. */
void exit(int code);

void exit(int code)
{
    hal_flush();
    leave(code);
}

void linux_handle(int number, linux_handler *handler, unsigned flags)
{
    struct linux_sigaction action;

    memset(&action, 0, sizeof action);
    action.handler = handler;
    action.flags = flags;
#ifdef LINUX_NEEDS_RESTORER
    action.flags |= LINUX_SA_RESTORER;
    action.restorer = linux_restorer;
#endif
    linux_call(LINUX_rt_sigaction, number, (long)&action, 0, LINUX_SIGSET_BYTES, 0, 0);
}

static HAL_HANDLER_ENTRY void on_fault(int number, void *info, void *context)
{
    size_t i;

    (void)context;
    if (!armed)
        leave(128 + number);
    armed = 0;
    fault_address = *(uintptr_t *)((uint8_t *)info + LINUX_SI_ADDR);
    fault_number = number;
    for (i = 0; i < sizeof caught / sizeof caught[0]; i++)
        if (caught[i].number == number)
            fault_number = caught[i].told;
    __builtin_longjmp(escape, 1);
}

static void set_alarm(void)
{
    long timer[4] = {0, 0, HANG_SECONDS, 0};

    call3(LINUX_setitimer, ITIMER_REAL, (long)timer, 0);
}

/* As in posix.c: code under test that hangs must not keep answers that were ready. */
static HAL_HANDLER_ENTRY void on_alarm(int number, void *info, void *context)
{
    (void)number, (void)info, (void)context;
    if (armed)
        hal_flush();
    set_alarm();
}

static void catch_signals(void)
{
    struct linux_stack stack;
    size_t i;

    memset(&stack, 0, sizeof stack);
    stack.pointer = signal_stack;
    stack.size = sizeof signal_stack;
    call3(LINUX_sigaltstack, (long)&stack, 0, 0);
    for (i = 0; i < sizeof caught / sizeof caught[0]; i++)
        linux_handle(caught[i].number, on_fault, LINUX_SA_SIGINFO | LINUX_SA_ONSTACK | LINUX_SA_NODEFER);
    linux_handle(SIGALRM, on_alarm, LINUX_SA_SIGINFO | LINUX_SA_ONSTACK | LINUX_SA_RESTART);
    set_alarm();
}

static int number(const char *text)
{
    int value = 0;

    while (*text >= '0' && *text <= '9')
        value = value * 10 + (*text++ - '0');
    return value;
}

void hal_open(int argc, char **argv)
{
    input_fd = argc > 1 ? number(argv[1]) : 0;
    output_fd = argc > 2 ? number(argv[2]) : 1;
    catch_signals();
}

/* What _start calls, with the stack as the kernel left it. */
int main(int argc, char **argv);
void __attribute__((used, noreturn)) linux_start(long *stack)
{
    int code = main((int)stack[0], (char **)(stack + 1));

    hal_flush();
    leave(code);
}

size_t hal_process_read(uint8_t *to, size_t room)
{
    long got;

    do
        got = call3(LINUX_read, input_fd, (long)to, (long)room);
    while (got == -EINTR);
    return got > 0 ? (size_t)got : 0;
}

/* Nothing is timed here: these are old processors, and emulated. */
int hal_process_keep(const uint8_t *from, size_t length)
{
    (void)from;
    (void)length;
    return 0;
}

int hal_process_kept(uint8_t *to, size_t length)
{
    (void)to;
    (void)length;
    return 0;
}

struct asked {
    int descriptor;
    short events, returned;
};

static long poll_now(struct asked *asked)
{
#ifdef LINUX_poll
    return call3(LINUX_poll, (long)asked, 1, 0);
#else
    linux_time none[2] = {0, 0};

    return linux_call(LINUX_ppoll, (long)asked, 1, (long)none, 0, 0, 0);
#endif
}

int hal_process_asked(void)
{
    struct asked asked = {input_fd, POLLIN, 0};

    return poll_now(&asked) > 0;
}

void hal_process_write(const uint8_t *from, size_t length)
{
    long put;

    while (length) {
        put = call3(LINUX_write, output_fd, (long)from, (long)length);
        if (put == -EINTR)
            continue;
        if (put <= 0)
            leave(LOST);
        from += put;
        length -= (size_t)put;
    }
}

void hal_forget(int argc, char **argv, int replace) { (void)argc, (void)argv, (void)replace; }

void hal_seal(void) {}

uint32_t hal_page_bytes(void) { return LINUX_PAGE_BYTES; }

static void *map(size_t length, int protection, unsigned long flags)
{
    long got = linux_call(LINUX_mmap, 0, (long)length, protection,
                          (long)(MAP_PRIVATE | LINUX_MAP_ANONYMOUS | flags), -1, 0);

    return (unsigned long)got > -(unsigned long)LINUX_PAGE_BYTES ? NULL : (void *)got;
}

static void unmap(void *start, size_t length)
{
    call3(LINUX_munmap, (long)start, (long)length, 0);
}

void *hal_process_regrow(void *block, size_t size, size_t wanted)
{
    void *larger = map(wanted, PROT_READ | PROT_WRITE, 0);

    if (larger != NULL && size) {
        memcpy(larger, block, size);
        unmap(block, size);
    }
    return larger;
}

int hal_map(struct hal_region *region, size_t size)
{
    size_t page = LINUX_PAGE_BYTES;

    region->usable = (size + page - 1) / page * page;
    if (region->usable == 0)
        region->usable = page;
    region->map_bytes = region->usable + 2 * page;
    region->map = map(region->map_bytes, PROT_NONE, 0);
    if (region->map == NULL)
        return 0;
    region->base = (uint8_t *)region->map + page;
    return call3(LINUX_mprotect, (long)region->base, (long)region->usable,
                 PROT_READ | PROT_WRITE) == 0;
}

int hal_protect(struct hal_region *region)
{
    return call3(LINUX_mprotect, (long)region->base, (long)region->usable, PROT_READ) == 0;
}

void hal_unmap(struct hal_region *region) { unmap(region->map, region->map_bytes); }

const uint8_t *hal_map_zeros(uint64_t size)
{
    return size != (size_t)size ? NULL : map((size_t)size, PROT_READ, LINUX_MAP_NORESERVE);
}

void hal_unmap_zeros(const uint8_t *zeros, uint64_t size)
{
    unmap((void *)(uintptr_t)zeros, (size_t)size);
}

/* The jump restores the stack and goes on here; the compiler keeps everything else
 * in memory across it, which is why nothing may be inlined into this function. */
__attribute__((noinline)) int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    if (__builtin_setjmp(escape)) {
        *address = fault_address;
        return fault_number;
    }
    armed = 1;
    work(argument);
    armed = 0;
    return 0;
}

uint64_t hal_clock_ns(void)
{
    linux_time now[2] = {0, 0};

    call3(LINUX_clock_gettime, 1, (long)now, 0);
    return (uint64_t)now[0] * 1000000000u + (uint64_t)now[1];
}

void hal_close_doors(void) {} /* there are none */

uint64_t hal_processor_ns(void) { return 0; }

uint64_t hal_involuntary_switches(void) { return 0; } /* of interest to timing only */
