/* SPDX-License-Identifier: MIT */
/* Linux on 32-bit x86. */

#define LINUX_exit_group 252
#define LINUX_read 3
#define LINUX_write 4
#define LINUX_poll 168
#define LINUX_mmap 192 /* mmap2: offsets in pages */
#define LINUX_munmap 91
#define LINUX_mprotect 125
#define LINUX_rt_sigaction 174
#define LINUX_sigaltstack 186
#define LINUX_setitimer 104
#define LINUX_clock_gettime 265

#define LINUX_HAS_RESTORER
#define LINUX_NEEDS_RESTORER /* QEMU 7.2 faults on its own way back from a handler */
#define LINUX_SA_RESTORER 0x04000000u

#define LINUX_ASSEMBLY \
    ".globl _start\n" \
    "_start:\n" \
    "    xorl %ebp, %ebp\n" \
    "    movl %esp, %eax\n" \
    "    andl $-16, %esp\n" \
    "    subl $12, %esp\n" \
    "    pushl %eax\n" \
    "    call linux_start\n" \
    ".globl linux_call\n" \
    ".type linux_call, @function\n" \
    "linux_call:\n" \
    "    pushl %ebp\n" \
    "    pushl %ebx\n" \
    "    pushl %esi\n" \
    "    pushl %edi\n" \
    "    movl 20(%esp), %eax\n" \
    "    movl 24(%esp), %ebx\n" \
    "    movl 28(%esp), %ecx\n" \
    "    movl 32(%esp), %edx\n" \
    "    movl 36(%esp), %esi\n" \
    "    movl 40(%esp), %edi\n" \
    "    movl 44(%esp), %ebp\n" \
    "    int $0x80\n" \
    "    popl %edi\n" \
    "    popl %esi\n" \
    "    popl %ebx\n" \
    "    popl %ebp\n" \
    "    ret\n" \
    ".size linux_call, . - linux_call\n" \
    ".globl linux_restorer\n" \
    "linux_restorer:\n" \
    "    movl $173, %eax\n" \
    "    int $0x80\n"
