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

#include <stdint.h>
#include <sys/mman.h>

#define MOST_TRIES 64 /* to find a place where nothing is */

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)) &&  \
    defined(__GLIBC__) && !(defined(__x86_64__) && defined(__ILP32__)) && !defined(__AARCH64EB__)
#define SEALS 1
#else
#define SEALS 0
#endif

#if SEALS

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#define OTHER_NUMBERS 0x40000000u /* those of x32 */
#elif defined(__i386__)
#define ARCHITECTURE AUDIT_ARCH_I386
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(__NR_mmap2)
#define MAPPING __NR_mmap2
#else
#define MAPPING __NR_mmap
#endif

#if !defined(SECCOMP_RET_KILL_PROCESS)
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

#define REFUSED (SECCOMP_RET_ERRNO | EPERM)
#define TRIM_BYTES (64 << 20) /* what free() keeps, as it comes to do by itself for large blocks */

static const int allowed[] = {
    /* the conversation, and what submitted code prints */
    __NR_read, __NR_write, __NR_writev, __NR_lseek, __NR_fstat,
#if defined(__NR_pselect6)
    __NR_pselect6,
#endif
#if defined(__NR_pselect6_time64)
    __NR_pselect6_time64,
#endif
#if defined(__NR_newfstatat)
    __NR_newfstatat,
#endif
#if defined(__NR__llseek)
    __NR__llseek,
#endif
#if defined(__NR_fstat64)
    __NR_fstat64,
#endif
#if defined(__NR_fstatat64)
    __NR_fstatat64,
#endif
#if defined(__NR_statx)
    __NR_statx,
#endif
    /* memory that is there, and more heap */
    __NR_brk, __NR_mlock, __NR_munlock, __NR_futex,
#if defined(__NR_futex_time64)
    __NR_futex_time64,
#endif
    /* the clock, waiting, and numbers about itself */
    __NR_clock_gettime, __NR_clock_getres, __NR_gettimeofday, __NR_getrusage, __NR_times,
    __NR_nanosleep, __NR_clock_nanosleep, __NR_restart_syscall, __NR_sched_yield,
    __NR_sysinfo, __NR_uname, __NR_getpid, __NR_gettid, __NR_getrandom, __NR_prlimit64,
    __NR_getrlimit, __NR_setrlimit,
#if defined(__NR_clock_gettime64)
    __NR_clock_gettime64, __NR_clock_getres_time64, __NR_clock_nanosleep_time64,
#endif
#if defined(__NR_time)
    __NR_time,
#endif
#if defined(__NR_ugetrlimit)
    __NR_ugetrlimit,
#endif
#if defined(__NR_pause)
    __NR_pause,
#endif
    /* signals to itself, and its end */
    __NR_tgkill, __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_rt_sigsuspend,
    __NR_exit, __NR_exit_group,
#if defined(__NR_sigreturn)
    __NR_sigreturn, __NR_sigprocmask,
#endif
};

static const int trapped[] = {
    __NR_mprotect, __NR_sigaltstack, __NR_setitimer, __NR_timer_create, __NR_timer_settime,
    __NR_timerfd_create, __NR_clone, __NR_execve, __NR_openat, __NR_prctl, __NR_personality,
    __NR_ptrace, __NR_shmat, __NR_remap_file_pages, __NR_socket, __NR_kill, __NR_close,
    __NR_dup, __NR_dup3, __NR_fcntl,
#if defined(__NR_pkey_mprotect)
    __NR_pkey_mprotect,
#endif
#if defined(__NR_seccomp)
    __NR_seccomp,
#endif
#if defined(__NR_userfaultfd)
    __NR_userfaultfd,
#endif
#if defined(__NR_clone3)
    __NR_clone3,
#endif
#if defined(__NR_openat2)
    __NR_openat2,
#endif
#if defined(__NR_open)
    __NR_open, __NR_creat, __NR_alarm, __NR_fork, __NR_vfork, __NR_dup2,
#endif
#if defined(__NR_signal)
    __NR_signal, __NR_sigaction, __NR_mmap, __NR_fcntl64, __NR_timer_settime64,
#endif
};

/* What the default of a signal is set with: the kernel's struct sigaction, all zero. The filter
 * knows its address, and nobody can write to it. */
static const uint64_t by_default[4];

static struct sock_filter program[256];
static unsigned short steps;
static uintptr_t window_low, window_high; /* what may be unmapped; no window: both 0 */
static uintptr_t next_place;
static int sealed;

static void step(unsigned code, uint32_t k, uint8_t yes, uint8_t no)
{
    struct sock_filter made = {(uint16_t)code, yes, no, k};

    program[steps++] = made;
}

#define FIELD(name) ((uint32_t)offsetof(struct seccomp_data, name))
#define LOW(argument) (FIELD(args) + 8 * (argument)) /* little-endian, all of them */
#define HIGH(argument) (LOW(argument) + 4)

static void load(uint32_t place) { step(BPF_LD | BPF_W | BPF_ABS, place, 0, 0); }

static void when(unsigned how, uint32_t k, uint8_t yes, uint8_t no)
{
    step(BPF_JMP | how | BPF_K, k, yes, no);
}

static void answer(uint32_t action) { step(BPF_RET | BPF_K, action, 0, 0); }

static void rule(int number, uint32_t action)
{
    when(BPF_JEQ, (uint32_t)number, 0, 1);
    answer(action);
}

static void rule_of_mapping(void)
{
    when(BPF_JEQ, MAPPING, 0, 7);
    load(LOW(2));
    when(BPF_JSET, PROT_EXEC, 3, 0);
    load(LOW(3));
    when(BPF_JSET, MAP_FIXED, 1, 0);
    when(BPF_JSET, MAP_ANONYMOUS, 1, 0);
    answer(SECCOMP_RET_TRAP);
    answer(SECCOMP_RET_ALLOW);
}

#if UINTPTR_MAX > UINT32_MAX
#define LARGEST_PART 15 /* of a mapping: its size in units of 4 GiB */

static void rule_of_unmapping(void)
{
    when(BPF_JEQ, __NR_munmap, 0, 7);
    load(HIGH(0));
    when(BPF_JGE, (uint32_t)(window_low >> 32), 0, 4);
    when(BPF_JGE, (uint32_t)(window_high >> 32), 3, 0);
    load(HIGH(1));
    when(BPF_JGT, LARGEST_PART, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    answer(REFUSED);
}

/* Of whole units of 4 GiB: what begins inside ends below the objects above. */
static void round_window(void)
{
    const uintptr_t unit = (uintptr_t)1 << 32, room = (LARGEST_PART + 2) * unit;

    window_low = (window_low / unit + 2) * unit;
    window_high = window_high > room ? (window_high - room) / unit * unit : 0;
}
#else
static void rule_of_unmapping(void)
{
    when(BPF_JEQ, __NR_munmap, 0, 11);
    load(LOW(0));
    when(BPF_JGE, window_low, 0, 8);
    when(BPF_JGE, window_high, 7, 0);
    step(BPF_MISC | BPF_TAX, 0, 0, 0);
    step(BPF_LD | BPF_IMM, window_high, 0, 0);
    step(BPF_ALU | BPF_SUB | BPF_X, 0, 0, 0);
    step(BPF_MISC | BPF_TAX, 0, 0, 0);
    load(LOW(1));
    step(BPF_JMP | BPF_JGT | BPF_X, 0, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    answer(REFUSED);
}

static void round_window(void) {}
#endif

static void rule_of_handlers(void)
{
    when(BPF_JEQ, __NR_rt_sigaction, 0, 6);
    load(LOW(1));
    when(BPF_JEQ, (uint32_t)(uintptr_t)by_default, 0, 3);
    load(HIGH(1));
    when(BPF_JEQ, (uint32_t)((uint64_t)(uintptr_t)by_default >> 32), 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
}

static void write_program(void)
{
    size_t i;

    load(FIELD(arch));
    when(BPF_JEQ, ARCHITECTURE, 1, 0);
    answer(SECCOMP_RET_KILL_PROCESS);
    load(FIELD(nr));
#if defined(OTHER_NUMBERS)
    when(BPF_JGE, OTHER_NUMBERS, 0, 1);
    answer(SECCOMP_RET_KILL_PROCESS);
#endif
    for (i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
        rule(allowed[i], SECCOMP_RET_ALLOW);
    rule_of_mapping();
    rule_of_unmapping();
    rule_of_handlers();
    for (i = 0; i < sizeof trapped / sizeof trapped[0]; i++)
        rule(trapped[i], SECCOMP_RET_TRAP);
    answer(REFUSED); /* realloc() then copies instead of having pages moved */
}

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
        window_low = high;
    else if (low >= window_low && low < window_high)
        window_high = low;
    return 0;
}

static void find_window(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t heap = (uintptr_t)sbrk(0);
    int objects = 0;

    window_high = (uintptr_t)&objects; /* on the stack, which is above all of them */
    dl_iterate_phdr(look_at_object, &objects);
    if (heap > window_low && heap < window_high)
        window_low = heap;
    window_low = (window_low + page - 1) / page * page;
    window_high = window_high / page * page;
    round_window();
    if (window_high <= window_low)
        window_low = window_high = 0;
    next_place = window_high;
}

int seal_close(void)
{
    struct sock_fprog made;

    mallopt(M_MMAP_MAX, 0); /* the heap grows instead: large blocks are given back there */
    mallopt(M_TRIM_THRESHOLD, TRIM_BYTES);
    find_window();
    write_program();
    made.len = steps;
    made.filter = program;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* bubblewrap has done so, and prctl is then refused */
    sealed = syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &made) == 0;
    return sealed;
}

int seal_default(int signal_number)
{
    return sealed && syscall(__NR_rt_sigaction, signal_number, by_default, NULL, 8) == 0;
}

/* The next place downwards where nothing may be yet; from the top again at the end. */
static void *place(size_t size)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

    size = (size + page - 1) / page * page;
    if (size > window_high - window_low)
        return NULL;
    if (size > next_place - window_low)
        next_place = window_high;
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
