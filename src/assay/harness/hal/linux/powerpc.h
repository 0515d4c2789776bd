/* SPDX-License-Identifier: MIT */
/* Linux on 32-bit PowerPC, System V ABI. */

#define LINUX_exit_group 234
#define LINUX_read 3
#define LINUX_write 4
#define LINUX_poll 167
#define LINUX_mmap 192 /* mmap2: offsets in pages */
#define LINUX_munmap 91
#define LINUX_mprotect 125
#define LINUX_rt_sigaction 173
#define LINUX_sigaltstack 185
#define LINUX_setitimer 104
#define LINUX_clock_gettime 246

#define LINUX_HAS_RESTORER
#define LINUX_MAP_ANONYMOUS 0x20u
#define LINUX_MAP_NORESERVE 0x40u

/* The summary overflow bit says whether r3 is a result or an error number. */
#define LINUX_ASSEMBLY \
    ".globl _start\n" \
    "_start:\n" \
    "    mr 3, 1\n" \
    "    rlwinm 1, 1, 0, 0, 27\n" \
    "    li 0, 0\n" \
    "    mtlr 0\n" \
    "    stwu 1, -16(1)\n" \
    "    stw 0, 0(1)\n" \
    "    bl linux_start\n" \
    ".globl linux_call\n" \
    ".type linux_call, @function\n" \
    "linux_call:\n" \
    "    mr 0, 3\n" \
    "    mr 3, 4\n" \
    "    mr 4, 5\n" \
    "    mr 5, 6\n" \
    "    mr 6, 7\n" \
    "    mr 7, 8\n" \
    "    mr 8, 9\n" \
    "    sc\n" \
    "    bnslr\n" \
    "    neg 3, 3\n" \
    "    blr\n" \
    ".size linux_call, . - linux_call\n"
