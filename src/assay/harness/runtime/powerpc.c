/* SPDX-License-Identifier: MIT */
/*
 * PowerPC: prologues and epilogues that -Os takes out of line (System V ABI).
 * r11 points behind the place of r31; the functions of one row fall through.
 */
typedef int nothing_elsewhere; /* a C file has to declare something */

#if defined(__powerpc__) && !defined(__powerpc64__)

#define ROW(first, body) \
    ".irp n,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n" \
    ".globl " first "\n" \
    first ":\n" \
    body "\n" \
    ".endr\n"

__asm__(".text\n"
        ROW("_savegpr_\\n", "stw \\n, 4*(\\n-32)(11)")
        "blr\n"
        ROW("_restgpr_\\n", "lwz \\n, 4*(\\n-32)(11)")
        "blr\n"
        ROW("_restgpr_\\n\\()_x", "lwz \\n, 4*(\\n-32)(11)")
        "lwz 0, 4(11)\n"
        "mtlr 0\n"
        "mr 1, 11\n"
        "blr\n");

#endif
