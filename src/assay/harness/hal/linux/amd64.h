/* SPDX-License-Identifier: MIT */
/* Linux on 64-bit x86. The kernel gives no way back from a handler: linux_restorer is it. */

#define LINUX_exit_group 231
#define LINUX_read 0
#define LINUX_write 1
#define LINUX_poll 7
#define LINUX_mmap 9
#define LINUX_munmap 11
#define LINUX_mprotect 10
#define LINUX_rt_sigaction 13
#define LINUX_sigaltstack 131
#define LINUX_setitimer 38
#define LINUX_clock_gettime 228

#define LINUX_HAS_RESTORER
#define LINUX_NEEDS_RESTORER
#define LINUX_SA_RESTORER 0x04000000u

#define LINUX_ASSEMBLY \
    ".globl _start\n" \
    "_start:\n" \
    "    xorl %ebp, %ebp\n" \
    "    movq %rsp, %rdi\n" \
    "    andq $-16, %rsp\n" \
    "    call linux_start\n" \
    ".globl linux_call\n" \
    ".type linux_call, @function\n" \
    "linux_call:\n" \
    "    movq %rdi, %rax\n" \
    "    movq %rsi, %rdi\n" \
    "    movq %rdx, %rsi\n" \
    "    movq %rcx, %rdx\n" \
    "    movq %r8, %r10\n" \
    "    movq %r9, %r8\n" \
    "    movq 8(%rsp), %r9\n" \
    "    syscall\n" \
    "    ret\n" \
    ".size linux_call, . - linux_call\n" \
    ".globl linux_restorer\n" \
    "linux_restorer:\n" \
    "    movl $15, %eax\n" \
    "    syscall\n"
