/* SPDX-License-Identifier: MIT */
/* Linux on 32-bit RISC-V: the first port whose time has 64 bits from the start. */

#define LINUX_exit_group 94
#define LINUX_read 63
#define LINUX_write 64
#define LINUX_ppoll 414 /* ppoll_time64 */
#define LINUX_mmap 222  /* mmap2: offsets in pages */
#define LINUX_munmap 215
#define LINUX_mprotect 226
#define LINUX_rt_sigaction 134
#define LINUX_sigaltstack 132
#define LINUX_setitimer 103
#define LINUX_clock_gettime 403 /* clock_gettime64 */

#define LINUX_TIME
typedef int64_t linux_time;

#define LINUX_ASSEMBLY \
    ".globl _start\n" \
    "_start:\n" \
    ".option push\n" \
    ".option norelax\n" \
    "    la gp, __global_pointer$\n" \
    ".option pop\n" \
    "    mv a0, sp\n" \
    "    andi sp, sp, -16\n" \
    "    call linux_start\n" \
    ".globl linux_call\n" \
    ".type linux_call, @function\n" \
    "linux_call:\n" \
    "    mv a7, a0\n" \
    "    mv a0, a1\n" \
    "    mv a1, a2\n" \
    "    mv a2, a3\n" \
    "    mv a3, a4\n" \
    "    mv a4, a5\n" \
    "    mv a5, a6\n" \
    "    ecall\n" \
    "    ret\n" \
    ".size linux_call, . - linux_call\n"
