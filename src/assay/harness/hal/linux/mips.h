/* SPDX-License-Identifier: MIT */
/* Linux on MIPS, o32, either byte order. */

#define LINUX_exit_group 4246
#define LINUX_read 4003
#define LINUX_write 4004
#define LINUX_poll 4188
#define LINUX_mmap 4210 /* mmap2: offsets in pages */
#define LINUX_munmap 4091
#define LINUX_mprotect 4125
#define LINUX_rt_sigaction 4194
#define LINUX_sigaltstack 4206
#define LINUX_setitimer 4104
#define LINUX_clock_gettime 4263

#define LINUX_SIGBUS 10
#define LINUX_SIGPROF 29
#define LINUX_SIGSET_BYTES 16
#define LINUX_SA_SIGINFO 8u
#define LINUX_MAP_ANONYMOUS 0x800u
#define LINUX_MAP_NORESERVE 0x400u

#define LINUX_OWN_STACK
struct linux_stack {
    void *pointer;
    size_t size;
    int flags;
};

#define LINUX_OWN_SIGACTION
struct linux_sigaction {
    unsigned flags;
    linux_handler *handler;
    uint8_t mask[LINUX_SIGSET_BYTES];
};

/* A function of position-independent code finds its own address in $25. The fourth
 * result register, $7, says whether $2 is a result or an error number. */
#define LINUX_ASSEMBLY \
    ".set push\n" \
    ".set noreorder\n" \
    ".globl _start, __start\n" \
    "_start:\n" \
    "__start:\n" \
    "    move $31, $0\n" \
    "    move $4, $29\n" \
    "    addiu $2, $0, -8\n" \
    "    and $29, $29, $2\n" \
    "    addiu $29, $29, -16\n" \
    "    lui $25, %hi(linux_start)\n" \
    "    addiu $25, $25, %lo(linux_start)\n" \
    "    jalr $25\n" \
    "    nop\n" \
    ".globl linux_call\n" \
    ".type linux_call, @function\n" \
    "linux_call:\n" \
    "    addiu $29, $29, -32\n" \
    "    move $2, $4\n" \
    "    move $4, $5\n" \
    "    move $5, $6\n" \
    "    move $6, $7\n" \
    "    lw $7, 48($29)\n" \
    "    lw $8, 52($29)\n" \
    "    lw $9, 56($29)\n" \
    "    sw $8, 16($29)\n" \
    "    sw $9, 20($29)\n" \
    "    syscall\n" \
    "    beq $7, $0, 1f\n" \
    "    nop\n" \
    "    subu $2, $0, $2\n" \
    "1:  jr $31\n" \
    "    addiu $29, $29, 32\n" \
    ".size linux_call, . - linux_call\n" \
    ".set pop\n"
