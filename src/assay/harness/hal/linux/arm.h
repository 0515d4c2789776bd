/* SPDX-License-Identifier: MIT */
/* Linux on ARM, EABI, either byte order: ARMv4 without bx, and ARM or Thumb from ARMv4T on. */

#define LINUX_exit_group 248
#define LINUX_read 3
#define LINUX_write 4
#define LINUX_poll 168
#define LINUX_mmap 192 /* mmap2: offsets in pages */
#define LINUX_munmap 91
#define LINUX_mprotect 125
#define LINUX_rt_sigaction 174
#define LINUX_sigaltstack 186
#define LINUX_setitimer 104
#define LINUX_clock_gettime 263

#define LINUX_HAS_RESTORER
#define LINUX_NEEDS_RESTORER /* that of QEMU 7.2 is not for big-endian Thumb */
#define LINUX_SA_RESTORER 0x04000000u

#if defined(__thumb__)
#define LINUX_ARM_FUNCTION(name) \
    ".globl " name "\n.type " name ", %function\n.thumb\n.thumb_func\n" name ":\n"
#define LINUX_ARM_RETURN "pop {r4, r5, r7}\n pop {r1}\n bx r1\n"
#elif defined(__ARM_ARCH_4__)
#define LINUX_ARM_FUNCTION(name) \
    ".globl " name "\n.type " name ", %function\n.arm\n" name ":\n"
#define LINUX_ARM_RETURN "pop {r4, r5, r7, pc}\n"
#else
#define LINUX_ARM_FUNCTION(name) \
    ".globl " name "\n.type " name ", %function\n.arm\n" name ":\n"
#define LINUX_ARM_RETURN "pop {r4, r5, r7, lr}\n bx lr\n"
#endif

/* Thumb has no move between low registers. */
#define LINUX_ASSEMBLY \
    ".syntax unified\n" \
    ".align 2\n" \
    LINUX_ARM_FUNCTION("_start") \
    "    mov r0, sp\n" \
    "    mov r1, sp\n" \
    "    movs r2, #7\n" \
    "    bics r1, r1, r2\n" \
    "    mov sp, r1\n" \
    "    bl linux_start\n" \
    ".align 2\n" \
    LINUX_ARM_FUNCTION("linux_call") \
    "    push {r4, r5, r7, lr}\n" \
    "    adds r7, r0, #0\n" \
    "    adds r0, r1, #0\n" \
    "    adds r1, r2, #0\n" \
    "    adds r2, r3, #0\n" \
    "    ldr r3, [sp, #16]\n" \
    "    ldr r4, [sp, #20]\n" \
    "    ldr r5, [sp, #24]\n" \
    "    svc #0\n" \
    "    " LINUX_ARM_RETURN \
    ".size linux_call, . - linux_call\n" \
    ".align 2\n" \
    LINUX_ARM_FUNCTION("linux_restorer") \
    "    movs r7, #173\n" \
    "    svc #0\n"
