/* SPDX-License-Identifier: MIT */
/*
 * Calls of operations that are seen to keep the registers that are their caller's, on
 * architectures other than x86 (abi.c): Arm's AAPCS and AAPCS64, the RISC-V psABI, avr-gcc's, the
 * System V ABIs of MIPS (o32), PowerPC and s390x.
 *
 * A stub puts a pattern into each of them, calls, and stores what is in them then. What functions
 * return goes through untouched. For each architecture there are, in the same order, the names,
 * and functions that spoil one register each, 16 bytes apart.
 */
#include "abi.h"

#if defined(__aarch64__) || defined(__arm__) || defined(__riscv) || defined(__AVR__) ||         \
    (defined(__mips__) && _MIPS_SIM == _ABIO32) ||                                              \
    (defined(__powerpc__) && !defined(__powerpc64__)) || defined(__s390x__)

#define MOST_SAVED 32u
#define HIDDEN(name) ".p2align 4\n.hidden " #name "\n.globl " #name "\n"
#define FUNCTION(name) HIDDEN(name) ".type " #name ", %function\n" #name ":\n"
#define STRIDE 16u

#if defined(__AVR__)
typedef uint8_t word;
#define FIRST 0xd1u
#elif defined(__arm__)
typedef uintptr_t word;
#define FIRST 0x5bd1e995u
#else
#define FIRST 0x5bd1u
typedef uintptr_t word;
#endif

/* The stubs know the offsets. */
struct seen {
    word saved[MOST_SAVED];
    uintptr_t sp, own; /* the stack pointer after the call, and before */
};

__attribute__((visibility("hidden"))) struct seen assay_saved_seen;

/* `function` returns what it likes. */
uint64_t assay_saved_call(void (*function)(void), const void *argument);
extern void assay_saved_spoils(void);
void assay_saved_nothing(void); /* spoils what is the function's own alone */

#if defined(__aarch64__)
#define NAMES "x19 x20 x21 x22 x23 x24 x25 x26 x27 x28 x29 d8 d9 d10 d11 d12 d13 d14 d15"
#define SEEN(r) "  adrp " r ", assay_saved_seen\n  add " r ", " r ", :lo12:assay_saved_seen\n"
__asm__(
    ".text\n" FUNCTION(assay_saved_call)
    "  stp x29, x30, [sp, #-176]!\n  stp x19, x20, [sp, #16]\n  stp x21, x22, [sp, #32]\n"
    "  stp x23, x24, [sp, #48]\n  stp x25, x26, [sp, #64]\n  stp x27, x28, [sp, #80]\n"
    "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n"
    "  stp d14, d15, [sp, #144]\n"
    "  mov x9, x0\n  mov x0, x1\n" SEEN("x10") "  mov x11, sp\n  str x11, [x10, #264]\n"
    "  mov w19, #0x5bd1\n"
    "  add x20, x19, #1\n  add x21, x19, #2\n  add x22, x19, #3\n  add x23, x19, #4\n"
    "  add x24, x19, #5\n  add x25, x19, #6\n  add x26, x19, #7\n  add x27, x19, #8\n"
    "  add x28, x19, #9\n  add x29, x19, #10\n"
    ".irp n, 8,9,10,11,12,13,14,15\n  add x12, x19, #\\n+3\n  fmov d\\n, x12\n.endr\n"
    "  blr x9\n" SEEN("x10")
    "  stp x19, x20, [x10]\n  stp x21, x22, [x10, #16]\n  stp x23, x24, [x10, #32]\n"
    "  stp x25, x26, [x10, #48]\n  stp x27, x28, [x10, #64]\n  str x29, [x10, #80]\n"
    "  stp d8, d9, [x10, #88]\n  stp d10, d11, [x10, #104]\n  stp d12, d13, [x10, #120]\n"
    "  stp d14, d15, [x10, #136]\n  mov x11, sp\n  str x11, [x10, #256]\n"
    "  ldr x11, [x10, #264]\n  mov sp, x11\n"
    "  ldp d14, d15, [sp, #144]\n  ldp d12, d13, [sp, #128]\n  ldp d10, d11, [sp, #112]\n"
    "  ldp d8, d9, [sp, #96]\n  ldp x27, x28, [sp, #80]\n  ldp x25, x26, [sp, #64]\n"
    "  ldp x23, x24, [sp, #48]\n  ldp x21, x22, [sp, #32]\n  ldp x19, x20, [sp, #16]\n"
    "  ldp x29, x30, [sp], #176\n  ret\n"
    FUNCTION(assay_saved_spoils)
    ".irp n, 19,20,21,22,23,24,25,26,27,28,29\n.p2align 4\n  add x\\n, x\\n, #1\n  ret\n.endr\n"
    ".irp n, 8,9,10,11,12,13,14,15\n.p2align 4\n  fmov x9, d\\n\n  add x9, x9, #1\n"
    "  fmov d\\n, x9\n  ret\n.endr\n.p2align 4\n  add sp, sp, #16\n  ret\n"
    FUNCTION(assay_saved_nothing)
    ".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\n  mov x\\n, #0\n.endr\n"
    ".irp n, 0,1,2,3,4,5,6,7,16,31\n  fmov d\\n, xzr\n.endr\n  ret\n");

#elif defined(__arm__)
#if defined(__ARM_ARCH) && __ARM_ARCH >= 7 && defined(__ARM_PCS_VFP)
#define NAMES                                                                               \
    "r4 r5 r6 r7 r8 r9 r10 r11 d8 d8 d9 d9 d10 d10 d11 d11 d12 d12 d13 d13 d14 d14 d15 d15"
#define PUSH_FLOATS "  vpush {d8-d15}\n"
#define POP_FLOATS "  vpop {d8-d15}\n"
#define FLOATS(m) m(8, 8) m(9, 10) m(10, 12) m(11, 14) m(12, 16) m(13, 18) m(14, 20) m(15, 22)
#define SET(n, at) "  add r1, r4, #" #at "\n  add r12, r4, #" #at "+1\n  vmov d" #n ", r1, r12\n"
#define STORE(n, at) "  vmov r3, r12, d" #n "\n  str r3, [r2, #4*" #at "]\n"               \
                     "  str r12, [r2, #4*" #at "+4]\n"
#else
#define NAMES "r4 r5 r6 r7 r8 r9 r10 r11"
#define PUSH_FLOATS
#define POP_FLOATS
#define FLOATS(m)
#endif
#if defined(__thumb__)
#define MODE ".syntax unified\n.thumb\n"
#define ENTRY ".thumb_func\n"
#define ADD_PC "add r2, pc"
#define AHEAD "4"
#else
#define MODE ".syntax unified\n.arm\n"
#define ENTRY
#define ADD_PC "add r2, pc, r2"
#define AHEAD "8"
#endif
#if defined(__ARM_ARCH_4__)
#define JUMP(r) "  mov pc, " r "\n"
#else
#define JUMP(r) "  bx " r "\n"
#endif
/* Without an address in the code, and within the reach of Thumb's instructions. */
#define SEEN(n) "  ldr r2, 8" #n "f\n7" #n ": " ADD_PC "\n"
#define PLACE(n) ".p2align 2\n8" #n ": .word assay_saved_seen - (7" #n "b + " AHEAD ")\n"
__asm__(
    ".text\n" MODE HIDDEN(assay_saved_call) ".type assay_saved_call, %function\n" ENTRY
    "assay_saved_call:\n"
    "  push {r3-r7, lr}\n  mov r4, r8\n  mov r5, r9\n  mov r6, r10\n  mov r7, r11\n"
    "  push {r4-r7}\n" PUSH_FLOATS
    "  movs r3, r0\n  movs r0, r1\n" SEEN(1) "  adds r2, #64\n  mov r1, sp\n  str r1, [r2, #68]\n"
    "  ldr r4, 83f\n  adds r5, r4, #4\n  mov r8, r5\n  adds r5, r4, #5\n  mov r9, r5\n"
    "  adds r5, r4, #6\n  mov r10, r5\n  adds r5, r4, #7\n  mov r11, r5\n" FLOATS(SET)
    "  adds r5, r4, #1\n  adds r6, r4, #2\n  adds r7, r4, #3\n"
    "  bl 2f\n" SEEN(2)
    "  str r4, [r2]\n  str r5, [r2, #4]\n  str r6, [r2, #8]\n  str r7, [r2, #12]\n"
    "  mov r3, r8\n  str r3, [r2, #16]\n  mov r3, r9\n  str r3, [r2, #20]\n"
    "  mov r3, r10\n  str r3, [r2, #24]\n  mov r3, r11\n  str r3, [r2, #28]\n" FLOATS(STORE)
    "  adds r2, #64\n  mov r3, sp\n  str r3, [r2, #64]\n  ldr r3, [r2, #68]\n  mov sp, r3\n"
    POP_FLOATS "  pop {r4-r7}\n  mov r8, r4\n  mov r9, r5\n  mov r10, r6\n  mov r11, r7\n"
    "  pop {r3-r7}\n  pop {r2}\n" JUMP("r2") "2:\n" JUMP("r3")
    PLACE(1) PLACE(2) ".p2align 2\n83: .word 0x5bd1e995\n"
    HIDDEN(assay_saved_spoils) ".type assay_saved_spoils, %function\n" ENTRY
    "assay_saved_spoils:\n"
    ".irp r, r4,r5,r6,r7\n.p2align 4\n  adds \\r, #1\n" JUMP("lr") ".endr\n"
    ".irp r, r8,r9,r10,r11\n.p2align 4\n  mov r3, \\r\n  adds r3, #1\n  mov \\r, r3\n" JUMP("lr")
    ".endr\n"
#if defined(__ARM_PCS_VFP) && __ARM_ARCH >= 7
    ".irp n, 8,9,10,11,12,13,14,15\n"
    ".p2align 4\n  vmov r2, r3, d\\n\n  adds r2, #1\n  vmov d\\n, r2, r3\n  bx lr\n"
    ".p2align 4\n  vmov r2, r3, d\\n\n  adds r3, #1\n  vmov d\\n, r2, r3\n  bx lr\n.endr\n"
#endif
    ".p2align 4\n  add sp, #8\n" JUMP("lr")
    HIDDEN(assay_saved_nothing) ".type assay_saved_nothing, %function\n" ENTRY
    "assay_saved_nothing:\n  movs r0, #0\n  movs r1, #0\n  movs r2, #0\n  movs r3, #0\n  mov r12, r0\n"
    JUMP("lr"));

#elif defined(__riscv)
#if __riscv_xlen == 64
#define W "8"
#define LOAD "ld"
#define STORE "sd"
#else
#define W "4"
#define LOAD "lw"
#define STORE "sw"
#endif
#define EACH(m) m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11)
#define NAMES_OF "s0 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11"
#define KEEP(n) "  " STORE " s" #n ", " W "*" #n "+16(sp)\n"
#define BACK(n) "  " LOAD " s" #n ", " W "*" #n "+16(sp)\n"
#define SET(n) "  addi s" #n ", t2, " #n "\n"
#define SEE(n) "  " STORE " s" #n ", " W "*" #n "(t0)\n"
#define SPOIL(n) ".p2align 4\n  addi s" #n ", s" #n ", 1\n  ret\n"
#if __riscv_xlen == 64 && defined(__riscv_float_abi_double)
#define NAMES NAMES_OF " fs0 fs1 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11"
#define FLOATS(m) EACH(m)
#define KEEP_F(n) "  fsd fs" #n ", 8*" #n "+128(sp)\n"
#define BACK_F(n) "  fld fs" #n ", 8*" #n "+128(sp)\n"
#define SET_F(n) "  addi t3, t2, 12+" #n "\n  fmv.d.x fs" #n ", t3\n"
#define SEE_F(n) "  fsd fs" #n ", 8*" #n "+96(t0)\n"
#define SPOIL_F(n)                                                                          \
    ".p2align 4\n  fmv.x.d t0, fs" #n "\n  addi t0, t0, 1\n  fmv.d.x fs" #n ", t0\n  ret\n"
#else
#define NAMES NAMES_OF
#define FLOATS(m)
#endif
#define SP_OFFSET W "*32(t0)"
#define OWN_OFFSET W "*33(t0)"
__asm__(
    ".text\n.option push\n.option norvc\n" FUNCTION(assay_saved_call)
    "  addi sp, sp, -256\n  " STORE " ra, 0(sp)\n" EACH(KEEP) FLOATS(KEEP_F)
    "  mv t1, a0\n  mv a0, a1\n  lla t0, assay_saved_seen\n  " STORE " sp, " OWN_OFFSET "\n"
    "  li t2, 0x5bd1\n" EACH(SET) FLOATS(SET_F)
    "  jalr ra, t1\n  lla t0, assay_saved_seen\n" EACH(SEE) FLOATS(SEE_F)
    "  " STORE " sp, " SP_OFFSET "\n  " LOAD " sp, " OWN_OFFSET "\n"
    EACH(BACK) FLOATS(BACK_F) "  " LOAD " ra, 0(sp)\n  addi sp, sp, 256\n  ret\n"
    FUNCTION(assay_saved_spoils)
    EACH(SPOIL) FLOATS(SPOIL_F) ".p2align 4\n  addi sp, sp, 16\n  ret\n"
    FUNCTION(assay_saved_nothing)
    ".irp r, a0,a1,a2,a3,a4,a5,a6,a7,t0,t1,t2,t3,t4,t5,t6\n  li \\r, 0\n.endr\n  ret\n"
    ".option pop\n");

#elif defined(__AVR__)
#define NAMES "r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15 r16 r17 r28 r29 r1"
#define KEPT "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,28,29"
#define BACK "29,28,17,16,15,14,13,12,11,10,9,8,7,6,5,4,3,2"
#undef STRIDE
#define STRIDE 8u /* code has addresses of words */
/* r1 is 0: a number is added to it, so that it is seen as the others are. */
__asm__(
    ".text\n" FUNCTION(assay_saved_call)
    ".irp n, " KEPT "\n  push r\\n\n.endr\n  movw r30, r24\n  movw r24, r22\n"
    "  in r18, 0x3d\n  in r19, 0x3e\n  sts assay_saved_seen+34, r18\n"
    "  sts assay_saved_seen+35, r19\n  ldi r18, 0xd1\n"
    ".irp n, " KEPT "\n  mov r\\n, r18\n  inc r18\n.endr\n  icall\n"
    ".set at, 0\n.irp n, " KEPT "\n  sts assay_saved_seen+at, r\\n\n.set at, at+1\n.endr\n"
    "  mov r26, r1\n  subi r26, lo8(-(0xd1+18))\n  sts assay_saved_seen+18, r26\n  clr r1\n"
    "  in r26, 0x3d\n  in r27, 0x3e\n  sts assay_saved_seen+32, r26\n"
    "  sts assay_saved_seen+33, r27\n  lds r26, assay_saved_seen+34\n"
    "  lds r27, assay_saved_seen+35\n  in r0, 0x3f\n  cli\n  out 0x3e, r27\n  out 0x3f, r0\n"
    "  out 0x3d, r26\n.irp n, " BACK "\n  pop r\\n\n.endr\n  ret\n"
    FUNCTION(assay_saved_spoils)
    ".irp n, " KEPT ",1\n.p2align 4\n  inc r\\n\n  ret\n.endr\n"
    ".p2align 4\n  pop r31\n  pop r30\n  pop r0\n  ijmp\n"
    FUNCTION(assay_saved_nothing)
    ".irp n, 18,19,20,21,22,23,24,25,26,27,30,31,0\n  mov r\\n, r1\n.endr\n  ret\n");

#elif defined(__mips__)
#define NAMES "s0 s1 s2 s3 s4 s5 s6 s7 fp"
#define EACH(m) m(16, 0) m(17, 4) m(18, 8) m(19, 12) m(20, 16) m(21, 20) m(22, 24) m(23, 28) m(30, 32)
#define KEEP(r, at) "  sw $" #r ", 16+" #at "($29)\n"
#define RETURN(r, at) "  lw $" #r ", 16+" #at "($29)\n"
#define SET(r, at) "  addiu $" #r ", $9, " #at "/4\n"
#define SEE(r, at) "  sw $" #r ", " #at "($8)\n"
#define SPOIL(r, at) ".p2align 4\n  jr $31\n  addiu $" #r ", $" #r ", 1\n"
#define SEEN "  lui $8, %hi(assay_saved_seen)\n  addiu $8, $8, %lo(assay_saved_seen)\n"
__asm__(
    ".text\n.set push\n.set noreorder\n.set noat\n" FUNCTION(assay_saved_call)
    "  addiu $29, $29, -64\n  sw $31, 60($29)\n  sw $28, 56($29)\n" EACH(KEEP)
    "  move $25, $4\n  move $4, $5\n" SEEN "  sw $29, 132($8)\n  li $9, 0x5bd1\n" EACH(SET)
    "  jalr $25\n  nop\n" SEEN EACH(SEE) "  sw $29, 128($8)\n  lw $29, 132($8)\n"
    EACH(RETURN) "  lw $28, 56($29)\n  lw $31, 60($29)\n  jr $31\n  addiu $29, $29, 64\n"
    FUNCTION(assay_saved_spoils) EACH(SPOIL) ".p2align 4\n  jr $31\n  addiu $29, $29, 8\n"
    FUNCTION(assay_saved_nothing)
    ".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,24,25\n  move $\\n, $0\n.endr\n  jr $31\n  nop\n"
    ".set pop\n");

#elif defined(__powerpc__)
#define NAMES                                                                               \
    "r14 r15 r16 r17 r18 r19 r20 r21 r22 r23 r24 r25 r26 r27 r28 r29 r30 r31 cr2-cr4"
#define KEPT "14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define SEEN "  lis 11, assay_saved_seen@ha\n  addi 11, 11, assay_saved_seen@l\n"
/* Fields 2 to 4 of the condition register hold a pattern, too; the others are anybody's. */
__asm__(
    ".text\n" FUNCTION(assay_saved_call)
    "  stwu 1, -112(1)\n  mflr 0\n  stw 0, 116(1)\n  mfcr 0\n  stw 0, 12(1)\n  stmw 14, 16(1)\n"
    "  mtctr 3\n  mr 3, 4\n" SEEN "  stw 1, 132(11)\n  li 12, 0x5bd1\n"
    ".irp n, " KEPT "\n  addi \\n, 12, \\n-14\n.endr\n"
    "  lis 0, 0x5a\n  ori 0, 0, 0x5000\n  mtcrf 0x38, 0\n  bctrl\n" SEEN
    "  stmw 14, 0(11)\n  mfcr 0\n  rlwinm 0, 0, 0, 8, 19\n  lis 12, 0x5a\n  ori 12, 12, 0x5000\n"
    "  subf 12, 12, 0\n  addi 12, 12, 0x5bd1+18\n  stw 12, 72(11)\n"
    "  stw 1, 128(11)\n  lwz 1, 132(11)\n  lmw 14, 16(1)\n  lwz 0, 12(1)\n  mtcrf 0x38, 0\n"
    "  lwz 0, 116(1)\n  mtlr 0\n  addi 1, 1, 112\n  blr\n"
    FUNCTION(assay_saved_spoils)
    ".irp n, " KEPT "\n.p2align 4\n  addi \\n, \\n, 1\n  blr\n.endr\n"
    ".p2align 4\n  crnot 8, 8\n  blr\n.p2align 4\n  addi 1, 1, 16\n  blr\n"
    FUNCTION(assay_saved_nothing)
    ".irp n, 0,3,4,5,6,7,8,9,10,11,12\n  li \\n, 0\n.endr\n  cmpwi 0, 3, 1\n  cmpwi 7, 3, 1\n"
    "  blr\n");

#else /* s390x */
#define NAMES "r6 r7 r8 r9 r10 r11 r12 r13 f8 f9 f10 f11 f12 f13 f14 f15"
#define FLOATS "8,9,10,11,12,13,14,15"
__asm__(
    ".text\n" FUNCTION(assay_saved_call)
    "  stmg %r6, %r15, 48(%r15)\n  aghi %r15, -224\n"
    ".irp n, " FLOATS "\n  std %f\\n, 160+8*(\\n-8)(%r15)\n.endr\n"
    "  lgr %r1, %r2\n  lgr %r2, %r3\n  larl %r5, assay_saved_seen\n  stg %r15, 264(%r5)\n"
    "  lghi %r0, 0x5bd1\n.irp n, 6,7,8,9,10,11,12,13\n  lgr %r\\n, %r0\n  aghi %r\\n, \\n-6\n.endr\n"
    ".irp n, " FLOATS "\n  lgr %r4, %r0\n  aghi %r4, \\n\n  ldgr %f\\n, %r4\n.endr\n"
    "  basr %r14, %r1\n  larl %r5, assay_saved_seen\n  stmg %r6, %r13, 0(%r5)\n"
    ".irp n, " FLOATS "\n  std %f\\n, 8*\\n(%r5)\n.endr\n"
    "  stg %r15, 256(%r5)\n  lg %r15, 264(%r5)\n"
    ".irp n, " FLOATS "\n  ld %f\\n, 160+8*(\\n-8)(%r15)\n.endr\n"
    "  lmg %r6, %r15, 272(%r15)\n  br %r14\n"
    FUNCTION(assay_saved_spoils)
    ".irp n, 6,7,8,9,10,11,12,13\n.p2align 4\n  aghi %r\\n, 1\n  br %r14\n.endr\n"
    ".irp n, " FLOATS "\n.p2align 4\n  lgdr %r1, %f\\n\n  aghi %r1, 1\n  ldgr %f\\n, %r1\n"
    "  br %r14\n.endr\n.p2align 4\n  aghi %r15, 16\n  br %r14\n"
    FUNCTION(assay_saved_nothing)
    ".irp n, 0,1,2,3,4,5\n  lghi %r\\n, 0\n.endr\n"
    ".irp n, 0,1,2,3,4,5,6,7\n  lzdr %f\\n\n.endr\n  br %r14\n");
#endif

const char *abi_saved_names(void) { return NAMES; }

static unsigned words(void)
{
    const char *at;
    unsigned found = 1;

    for (at = NAMES; *at; at++)
        found += *at == ' ';
    return found;
}

/* Each has the first one's pattern and its own number; behind the last stands the stack pointer. */
static uint32_t judged(void)
{
    const struct seen *s = &assay_saved_seen;
    unsigned i, most = words();
    uint32_t found = 0;

    for (i = 0; i < most; i++)
        if (s->saved[i] != (word)(FIRST + i))
            found |= (uint32_t)1 << i;
    return found | (uint32_t)(s->sp != s->own) << most;
}

uint64_t abi_saved_call(void (*function)(void), const void *argument, uint32_t *found)
{
    uint64_t result = assay_saved_call(function, argument);

    *found = judged();
    return result;
}

uint32_t abi_saved_proven(uint32_t *tried)
{
    const uintptr_t first = (uintptr_t)assay_saved_spoils;
    unsigned i, most = words();
    uint32_t seen = 0, found;

    *tried = ((uint32_t)1 << most << 1) - 1;
    for (i = 0; i <= most; i++) {
        (void)abi_saved_call((void (*)(void))(first + STRIDE * i), "", &found);
        seen |= found == (uint32_t)1 << i ? found : 0;
    }
    (void)abi_saved_call(assay_saved_nothing, "", &found);
    return found ? 0 : seen;
}
#endif
