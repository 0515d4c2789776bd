/* SPDX-License-Identifier: MIT */
/* The filter of system calls: which are allowed, which end the process, and which fail. */
#define _GNU_SOURCE

#include "seal_filter.h"

#if SEALS

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
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

const uint64_t seal_by_default[4];

static struct sock_filter program[256];
static unsigned short steps;

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
static void rule_of_unmapping(const struct seal_window *window)
{
    when(BPF_JEQ, __NR_munmap, 0, 7);
    load(HIGH(0));
    when(BPF_JGE, (uint32_t)(window->low >> 32), 0, 4);
    when(BPF_JGE, (uint32_t)(window->high >> 32), 3, 0);
    load(HIGH(1));
    when(BPF_JGT, LARGEST_PART, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    answer(REFUSED);
}
#else
static void rule_of_unmapping(const struct seal_window *window)
{
    when(BPF_JEQ, __NR_munmap, 0, 11);
    load(LOW(0));
    when(BPF_JGE, window->low, 0, 8);
    when(BPF_JGE, window->high, 7, 0);
    step(BPF_MISC | BPF_TAX, 0, 0, 0);
    step(BPF_LD | BPF_IMM, window->high, 0, 0);
    step(BPF_ALU | BPF_SUB | BPF_X, 0, 0, 0);
    step(BPF_MISC | BPF_TAX, 0, 0, 0);
    load(LOW(1));
    step(BPF_JMP | BPF_JGT | BPF_X, 0, 1, 0);
    answer(SECCOMP_RET_ALLOW);
    answer(REFUSED);
}
#endif

static void rule_of_handlers(void)
{
    when(BPF_JEQ, __NR_rt_sigaction, 0, 6);
    load(LOW(1));
    when(BPF_JEQ, (uint32_t)(uintptr_t)seal_by_default, 0, 3);
    load(HIGH(1));
    when(BPF_JEQ, (uint32_t)((uint64_t)(uintptr_t)seal_by_default >> 32), 0, 1);
    answer(SECCOMP_RET_ALLOW);
    answer(SECCOMP_RET_TRAP);
}

static void write_program(const struct seal_window *window)
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
    rule_of_unmapping(window);
    rule_of_handlers();
    for (i = 0; i < sizeof trapped / sizeof trapped[0]; i++)
        rule(trapped[i], SECCOMP_RET_TRAP);
    answer(REFUSED); /* realloc() then copies instead of having pages moved */
}

int seal_filter(const struct seal_window *window)
{
    struct sock_fprog made;

    write_program(window);
    made.len = steps;
    made.filter = program;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); /* bubblewrap has done so, and prctl is then refused */
    return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &made) == 0;
}
#endif
