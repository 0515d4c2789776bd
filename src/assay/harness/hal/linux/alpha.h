/* SPDX-License-Identifier: MIT */
/* Linux on Alpha. */

#define LINUX_exit_group 405
#define LINUX_read 3
#define LINUX_write 4
#define LINUX_poll 94
#define LINUX_mmap 71
#define LINUX_munmap 73
#define LINUX_mprotect 74
#define LINUX_rt_sigaction 352
#define LINUX_sigaltstack 235
#define LINUX_setitimer 362
#define LINUX_clock_gettime 420

#define LINUX_PAGE_BYTES 8192u
#define LINUX_SIGBUS 10
#define LINUX_SA_SIGINFO 0x40u
#define LINUX_SA_ONSTACK 1u
#define LINUX_SA_RESTART 2u
#define LINUX_SA_NODEFER 8u
#define LINUX_MAP_ANONYMOUS 0x10u
#define LINUX_MAP_NORESERVE 0x10000u

/* $19 says whether $0 is a result or an error number. */
#define LINUX_ASSEMBLY \
    ".globl _start\n" \
    "_start:\n" \
    "    br $27, 1f\n" \
    "1:  ldgp $29, 0($27)\n" \
    "    mov $30, $16\n" \
    "    lda $1, -16($31)\n" \
    "    and $30, $1, $30\n" \
    "    jsr $26, linux_start\n" \
    ".globl linux_call\n" \
    ".ent linux_call\n" \
    "linux_call:\n" \
    "    .frame $30, 0, $26, 0\n" \
    "    .prologue 0\n" \
    "    mov $16, $0\n" \
    "    mov $17, $16\n" \
    "    mov $18, $17\n" \
    "    mov $19, $18\n" \
    "    mov $20, $19\n" \
    "    mov $21, $20\n" \
    "    ldq $21, 0($30)\n" \
    "    callsys\n" \
    "    beq $19, 2f\n" \
    "    subq $31, $0, $0\n" \
    "2:  ret $31, ($26), 1\n" \
    ".end linux_call\n"
