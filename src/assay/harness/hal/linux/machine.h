/* SPDX-License-Identifier: MIT */
/*
 * What the kernel's interface looks like on each architecture.
 *
 * A file per architecture defines the numbers of the calls (LINUX_<call>), what
 * departs from the defaults below, and two pieces of assembly that linux.c
 * includes once: `_start`, which calls linux_start with the stack pointer as the
 * kernel left it, and `linux_call`. Sources: the kernel's headers (asm/unistd.h,
 * asm/signal.h, asm/mman.h) and its manual pages syscall(2) and syscalls(2).
 */
#ifndef ASSAY_HAL_LINUX_MACHINE_H
#define ASSAY_HAL_LINUX_MACHINE_H

#include <stddef.h>
#include <stdint.h>

/* A system call with up to six arguments: its result, or a negative error number. */
long linux_call(long number, long a, long b, long c, long d, long e, long f);

typedef void linux_handler(int number, void *info, void *context);

/* linux.c: installs a handler; flags of LINUX_SA_*. */
void linux_handle(int number, linux_handler *handler, unsigned flags);

#if defined(__mips__)
#include "mips.h"
#elif defined(__powerpc__) && !defined(__powerpc64__)
#include "powerpc.h"
#elif defined(__arm__)
#include "arm.h"
#elif defined(__i386__)
#include "i386.h"
#elif defined(__x86_64__)
#include "amd64.h"
#elif defined(__riscv) && __riscv_xlen == 32
#include "riscv32.h"
#elif defined(__alpha__)
#include "alpha.h"
#else
#error "linux.c does not know this architecture: add it to hal/linux/"
#endif

#ifndef LINUX_PAGE_BYTES
#define LINUX_PAGE_BYTES 4096u
#endif

#ifndef LINUX_SIGBUS
#define LINUX_SIGBUS 7
#endif

#ifndef LINUX_SIGPROF
#define LINUX_SIGPROF 27
#endif

#ifndef LINUX_SA_SIGINFO
#define LINUX_SA_SIGINFO 4u
#endif
#ifndef LINUX_SA_ONSTACK
#define LINUX_SA_ONSTACK 0x08000000u
#define LINUX_SA_RESTART 0x10000000u
#define LINUX_SA_NODEFER 0x40000000u
#endif

#ifndef LINUX_MAP_ANONYMOUS
#define LINUX_MAP_ANONYMOUS 0x20u
#define LINUX_MAP_NORESERVE 0x4000u
#endif

#define LINUX_SI_ADDR (sizeof(long) == 8 ? 16 : 12) /* in siginfo_t, behind three numbers */

#ifndef LINUX_TIME
typedef long linux_time; /* of seconds, and of nanoseconds */
#endif

#ifndef LINUX_OWN_STACK
struct linux_stack {
    void *pointer;
    int flags;
    size_t size;
};
#endif

#ifndef LINUX_SIGSET_BYTES
#define LINUX_SIGSET_BYTES 8
#endif

#ifndef LINUX_OWN_SIGACTION
struct linux_sigaction {
    linux_handler *handler;
    unsigned long flags;
#ifdef LINUX_HAS_RESTORER
    void (*restorer)(void);
#endif
    uint8_t mask[LINUX_SIGSET_BYTES];
};
#endif

#endif
