/* SPDX-License-Identifier: MIT */
/* The machine below the agent: any POSIX system. */

#define _DEFAULT_SOURCE
#define _GNU_SOURCE

#include "hal.h"
#include "process.h"
#include "seal.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#include <time.h>
#include <unistd.h>

#if !defined(_POSIX_VERSION)
#error "this hal needs a POSIX system"
#endif

#ifdef ASSAY_TRACED
#define HANG_SECONDS 0 /* never: a trace lacks what the package calls from a tick on */
#else
#define HANG_SECONDS 1
#endif
#define GUARD_PAGES 16 /* on both sides of a buffer: code may miss by far */

static int input_fd, output_fd = 1;
static int kept_fds[2]; /* a pipe to ourselves */
static int at_home; /* sealed, as far as there is a seal */

/* Signals, and the numbers that the protocol gives them: those of most architectures. */
static const struct {
    int number, told;
} caught[] = {{SIGSEGV, 11}, {SIGBUS, 7}, {SIGILL, 4}, {SIGFPE, 8}, {SIGTRAP, 5}, {SIGABRT, 6},
              {SIGSYS, 31}};
static sigjmp_buf escape;
static pthread_t owner; /* of `escape`: another thread cannot jump there */
static volatile sig_atomic_t armed;
static volatile uintptr_t fault_address;
static uint8_t signal_stack[1 << 16];

/* The faulting address, or the number of the system call that the seal refuses. */
static uintptr_t culprit(int number, const siginfo_t *info)
{
#if defined(si_syscall)
    if (number == SIGSYS)
        return (uintptr_t)info->si_syscall;
#endif
    (void)number;
    return (uintptr_t)info->si_addr;
}

static HAL_HANDLER_ENTRY void on_fault(int number, siginfo_t *info, void *context)
{
    if (watch_fault(number, culprit(number, info), context))
        return;
    if (!armed || !pthread_equal(pthread_self(), owner)) {
        if (!seal_default(number))
            signal(number, SIG_DFL);
        raise(number);
        return;
    }
    armed = 0;
    fault_address = culprit(number, info);
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
}

static void catch_hangs(void)
{
    const struct itimerval every = {{HANG_SECONDS, 0}, {HANG_SECONDS, 0}};
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART | SA_ONSTACK; /* the stack below a call may be painted */
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
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
    if (pipe(kept_fds) != 0)
        kept_fds[0] = kept_fds[1] = -1;
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

int hal_process_keep(const uint8_t *from, size_t length)
{
    return write(kept_fds[1], from, length) == (ssize_t)length;
}

int hal_process_kept(uint8_t *to, size_t length)
{
    return read(kept_fds[0], to, length) == (ssize_t)length;
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

/* An agent that times has another name and other arguments than one that is checked. */
static void forget(char *text) { memset(text, 0, strlen(text)); }

void hal_forget(int argc, char **argv, int replace)
{
    if (replace) { /* the name of the program is that of any other, too */
        while (argc-- > 1)
            memset(argv[argc], 'x', strlen(argv[argc]));
        return;
    }
#if defined(__linux__)
    if (getauxval(AT_EXECFN))
        forget((char *)getauxval(AT_EXECFN));
#endif
    while (argc--) {
        forget(argv[argc]);
        argv[argc] = NULL;
    }
}

#define OPENSSL_INIT_NO_LOAD_CONFIG 0x80u

/* Libraries that packages are linked with and that open files when they are first called:
 * OpenSSL its configuration, libgcrypt what says whether the system is in FIPS mode. No package
 * may define these names (check/object/linked.py). tcc wants all of them defined. */
#if defined(__ELF__) && !defined(__TINYC__)
__attribute__((weak)) int OPENSSL_init_crypto(uint64_t what, const void *settings);
__attribute__((weak)) const char *gcry_check_version(const char *wanted);

static void begin_libraries(void)
{
    static int begun;

    if (begun++)
        return;
    if (OPENSSL_init_crypto)
        OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    if (gcry_check_version)
        gcry_check_version(NULL);
}
#else
static void begin_libraries(void) {}
#endif

void hal_seal(void)
{
    begin_libraries();
    seal_close();
    at_home = 1;
}

uint32_t hal_page_bytes(void) { return (uint32_t)sysconf(_SC_PAGESIZE); }

int hal_map(struct hal_region *region, size_t size)
{
    size_t page = hal_page_bytes();

    region->usable = (size + page - 1) / page * page;
    if (region->usable == 0)
        region->usable = page;
    region->map_bytes = region->usable + 2 * GUARD_PAGES * page;
    region->map = seal_map(region->map_bytes, PROT_NONE);
    if (region->map == NULL)
        return 0;
    region->base = (uint8_t *)region->map + GUARD_PAGES * page;
    return seal_fill(region->base, region->usable);
}

int hal_protect(struct hal_region *region)
{
    return mprotect(region->base, region->usable, PROT_READ) == 0;
}

void hal_unmap(struct hal_region *region) { munmap(region->map, region->map_bytes); }

const uint8_t *hal_map_zeros(uint64_t size)
{
    return size == (size_t)size ? seal_map((size_t)size, PROT_READ) : NULL;
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
    owner = pthread_self();
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

/* There where a sanitizer is linked: it opens the program to find the lines of its reports. */
#if defined(__ELF__) && !defined(__TINYC__) /* tcc links no weak symbol that is missing */
extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));
#define SANITIZED (__asan_init || __tsan_init)
#else
#define SANITIZED 0
#endif

void hal_close_doors(void)
{
    const struct rlimit none = {0, 0};

    begin_libraries();
    if (!SANITIZED)
        setrlimit(RLIMIT_NOFILE, &none);
    setrlimit(RLIMIT_CORE, &none);
#ifdef RLIMIT_NPROC
    if (at_home) /* others may start threads later */
        setrlimit(RLIMIT_NPROC, &none);
#endif
}

uint64_t hal_involuntary_switches(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_nivcsw;
}
