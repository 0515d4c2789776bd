/* SPDX-License-Identifier: MIT */
/*
 * Calls through a stub that sees what a function does to what is its caller's in Microsoft's
 * x64 calling convention ("x64 calling convention" and "x64 ABI conventions", section
 * "Caller/callee saved registers"): rbx, rbp, rdi, rsi, rsp, r12 to r15, xmm6 to xmm15, the
 * direction flag and the control words. The callee may write to the 32 bytes below its fifth
 * argument, and to its arguments, and to nothing above them.
 *
 * As its sibling in abi.c it is believed only if it has just seen all of these done wrongly.
 */
#include "abi.h"

#if defined(_WIN64) && !defined(__TINYC__)

#define SAVED_REGISTERS 8u
#define SAVED_VECTORS 10u
#define VECTOR_WORD 0x5bd1e995a7c4f301u
#define DIRECTION_FLAG 0x400u
#define MXCSR_CONTROL 0xffc0u
#define ALL_EMPTY 0xffffu

/* What the stub has seen; it knows the offsets. */
struct seen {
    uint64_t saved[SAVED_REGISTERS]; /* 0: rbx, rbp, r12 to r15, rdi, rsi */
    uint64_t stack, flags;           /* 64, 72 */
    uint32_t environment[7], mxcsr;  /* 80, 108 */
    uint64_t expected_stack;         /* 112 */
    uint32_t mxcsr_before;           /* 120 */
    uint16_t control_before, unused; /* 124 */
    uint64_t own_stack, function;    /* 128, 136 */
    uint64_t upper[2], wide;         /* 144, 160: upper halves, or-ed; 1 where there are any */
    uint64_t frame;                  /* 168: where four words above the arguments are; 1: changed */
    uint64_t given[2 * SAVED_VECTORS]; /* 176: what xmm6 to xmm15 hold before the call */
    uint64_t left[2 * SAVED_VECTORS];  /* 336: and after it */
};

struct seen assay_abi_seen;

#define EACH_SAVED(op)                                                                      \
    op(6, 0) op(7, 16) op(8, 32) op(9, 48) op(10, 64) op(11, 80) op(12, 96) op(13, 112)     \
        op(14, 128) op(15, 144)
#define SAVE(n, at) "  movups %xmm" #n ", " #at "(%rsp)\n"
#define RESTORE(n, at) "  movups " #at "(%rsp), %xmm" #n "\n"
#define SET(n, at) "  movups 176+" #at "(%rax), %xmm" #n "\n"
#define SEE(n, at) "  movups %xmm" #n ", 336+" #at "(%rbx)\n"
#define UPPER(n) "  vextractf128 $1, %ymm" #n ", %xmm" #n "\n"
#define OR(n) "  vorps %xmm" #n ", %xmm0, %xmm0\n"

__asm__(
    ".text\n.p2align 4\n.globl abi_stub_call\nabi_stub_call:\n"
    "  pushq %rbx\n  pushq %rbp\n  pushq %rdi\n  pushq %rsi\n"
    "  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n  subq $168, %rsp\n"
    EACH_SAVED(SAVE)
    "  leaq assay_abi_seen(%rip), %rax\n"
    "  movq %rsp, 128(%rax)\n  movq %rcx, 136(%rax)\n"
    "  stmxcsr 120(%rax)\n  fnstcw 124(%rax)\n"
    "  andq $-64, %rsp\n  subq %r9, %rsp\n"
    "  addq $2, %r8\n  movq %r8, %rcx\n  andq $1, %rcx\n  shlq $3, %rcx\n  subq %rcx, %rsp\n"
    "  movabsq $0x5bd1e995a7c4f301, %rcx\n  pushq %rcx\n  pushq %rcx\n  pushq %rcx\n"
    "  pushq %rcx\n  movq %rsp, 168(%rax)\n"
    "1: testq %r8, %r8\n  jz 2f\n  decq %r8\n  pushq 32(%rdx,%r8,8)\n  jmp 1b\n"
    "2: subq $32, %rsp\n  movq %rsp, 112(%rax)\n"
    "  cmpq $0, 160(%rax)\n  je 3f\n  vzeroupper\n"
    "3:\n" EACH_SAVED(SET)
    "  movq (%rdx), %rcx\n  movq 16(%rdx), %r8\n  movq 24(%rdx), %r9\n  movq 8(%rdx), %rdx\n"
    "  movabsq $0x5bd1e995a7c4f311, %rbx\n  leaq 1(%rbx), %rbp\n  leaq 2(%rbx), %r12\n"
    "  leaq 3(%rbx), %r13\n  leaq 4(%rbx), %r14\n  leaq 5(%rbx), %r15\n"
    "  leaq 6(%rbx), %rdi\n  leaq 7(%rbx), %rsi\n"
    "  leaq 8(%rbx), %r10\n  leaq 9(%rbx), %r11\n  leaq 10(%rbx), %rax\n"
    "  call *assay_abi_seen+136(%rip)\n"
    "  movq %rbx, assay_abi_seen(%rip)\n  leaq assay_abi_seen(%rip), %rbx\n"
    "  movq %rbp, 8(%rbx)\n  movq %r12, 16(%rbx)\n  movq %r13, 24(%rbx)\n"
    "  movq %r14, 32(%rbx)\n  movq %r15, 40(%rbx)\n  movq %rdi, 48(%rbx)\n"
    "  movq %rsi, 56(%rbx)\n  movq %rsp, 64(%rbx)\n"
    "  movq 168(%rbx), %rcx\n  movabsq $0x5bd1e995a7c4f301, %rdx\n  xorl %r8d, %r8d\n"
    "  cmpq %rdx, (%rcx)\n  jne 5f\n  cmpq %rdx, 8(%rcx)\n  jne 5f\n"
    "  cmpq %rdx, 16(%rcx)\n  jne 5f\n  cmpq %rdx, 24(%rcx)\n  je 6f\n"
    "5: incl %r8d\n6: movq %r8, 168(%rbx)\n"
    "  movq 128(%rbx), %rsp\n"
    EACH_SAVED(SEE)
    "  cmpq $0, 160(%rbx)\n  je 4f\n"
    UPPER(0) UPPER(1) UPPER(2) UPPER(3) UPPER(4) UPPER(5) UPPER(6) UPPER(7) UPPER(8) UPPER(9)
    UPPER(10) UPPER(11) UPPER(12) UPPER(13) UPPER(14) UPPER(15)
    OR(1) OR(2) OR(3) OR(4) OR(5) OR(6) OR(7) OR(8) OR(9) OR(10) OR(11) OR(12) OR(13) OR(14)
    OR(15)
    "  vmovups %xmm0, 144(%rbx)\n  vzeroupper\n4:\n"
    "  pushfq\n  popq 72(%rbx)\n  cld\n"
    "  fnstenv 80(%rbx)\n  stmxcsr 108(%rbx)\n"
    "  fninit\n  fldcw 124(%rbx)\n  ldmxcsr 120(%rbx)\n"
    EACH_SAVED(RESTORE)
    "  addq $168, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rsi\n  popq %rdi\n"
    "  popq %rbp\n  popq %rbx\n  ret\n");

/* --- what it must see */

#define CLOBBERER(name, code)                                                               \
    void assay_clobbers_##name(void);                                                       \
    __asm__(".text\n.globl assay_clobbers_" #name "\nassay_clobbers_" #name ":\n" code "\n")

CLOBBERER(rbx, "incq %rbx\n ret");
CLOBBERER(rbp, "incq %rbp\n ret");
CLOBBERER(r12, "incq %r12\n ret");
CLOBBERER(r13, "incq %r13\n ret");
CLOBBERER(r14, "incq %r14\n ret");
CLOBBERER(r15, "incq %r15\n ret");
CLOBBERER(rsp, "ret $16");
CLOBBERER(direction, "std\n ret");
CLOBBERER(control, "movw $0x0f7f, -8(%rsp)\n fldcw -8(%rsp)\n ret");
CLOBBERER(mmx, "movd %eax, %mm0\n ret");
CLOBBERER(mxcsr, "movl $0x9f80, -8(%rsp)\n ldmxcsr -8(%rsp)\n ret");
CLOBBERER(upper, "vcmpps $15, %ymm5, %ymm5, %ymm5\n ret");
CLOBBERER(rdi, "incq %rdi\n ret");
CLOBBERER(rsi, "incq %rsi\n ret");
CLOBBERER(xmm6, "pxor %xmm6, %xmm6\n ret");
CLOBBERER(xmm15, "movq %xmm15, %xmm15\n ret"); /* the upper half alone */
CLOBBERER(frame, "movq %rax, 56(%rsp)\n ret"); /* behind the sixth argument */
/* All that is the function's own, shadow space and arguments among it. */
CLOBBERER(nothing, "xorl %eax, %eax\n xorl %ecx, %ecx\n xorl %edx, %edx\n xorl %r8d, %r8d\n"
                   " xorl %r9d, %r9d\n xorl %r10d, %r10d\n xorl %r11d, %r11d\n"
                   " movq %rax, 8(%rsp)\n movq %rax, 32(%rsp)\n movq %rax, 48(%rsp)\n"
                   " pushq %rdi\n xorl %edi, %edi\n movd %eax, %mm0\n emms\n std\n cld\n"
                   " pxor %xmm5, %xmm5\n popq %rdi\n ret");
CLOBBERER(clean, "vcmpps $15, %ymm5, %ymm5, %ymm5\n vzeroupper\n ret");

static const struct {
    void (*function)(void);
    uint32_t finding;
} clobberers[] = {
    {assay_clobbers_rbx, FINDING_RBX},
    {assay_clobbers_rbp, FINDING_RBX << 1},
    {assay_clobbers_r12, FINDING_RBX << 2},
    {assay_clobbers_r13, FINDING_RBX << 3},
    {assay_clobbers_r14, FINDING_RBX << 4},
    {assay_clobbers_r15, FINDING_RBX << 5},
    {assay_clobbers_rsp, FINDING_RSP},
    {assay_clobbers_direction, FINDING_DIRECTION},
    {assay_clobbers_control, FINDING_X87_CONTROL},
    {assay_clobbers_mmx, FINDING_X87_REGISTERS},
    {assay_clobbers_mxcsr, FINDING_MXCSR},
    {assay_clobbers_rdi, FINDING_RDI},
    {assay_clobbers_rsi, FINDING_RSI},
    {assay_clobbers_xmm6, FINDING_XMM},
    {assay_clobbers_xmm15, FINDING_XMM},
    {assay_clobbers_frame, FINDING_FRAME},
    {assay_clobbers_upper, FINDING_UPPER_HALVES}, /* the last: not everywhere */
};
#define CLOBBERERS (sizeof clobberers / sizeof clobberers[0])

#define SAVES_STATE_AND_AVX (3u << 27) /* of leaf 1: OSXSAVE, AVX */
#define SSE_AND_AVX_STATE 6u

static uint64_t has_upper_halves(void)
{
    uint32_t a = 1, b, c = 0, d;

    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if ((c & SAVES_STATE_AND_AVX) != SAVES_STATE_AND_AVX)
        return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & SSE_AND_AVX_STATE) == SSE_AND_AVX_STATE;
}

static uint32_t registers_judged(void)
{
    const struct seen *s = &assay_abi_seen;
    const uint64_t first = 0x5bd1e995a7c4f311u;
    uint32_t found = 0, i;

    for (i = 0; i < SAVED_REGISTERS; i++)
        if (s->saved[i] != first + i)
            found |= i < 6 ? (uint32_t)FINDING_RBX << i : (uint32_t)FINDING_RDI << (i - 6);
    for (i = 0; i < 2 * SAVED_VECTORS; i++)
        if (s->given[i] != s->left[i])
            found |= FINDING_XMM;
    return s->stack == s->expected_stack ? found : found | FINDING_RSP;
}

uint32_t abi_stub_judged(void)
{
    const struct seen *s = &assay_abi_seen;
    uint32_t found = registers_judged();

    if (s->frame)
        found |= FINDING_FRAME;
    if (s->flags & DIRECTION_FLAG)
        found |= FINDING_DIRECTION;
    if ((uint16_t)s->environment[0] != s->control_before)
        found |= FINDING_X87_CONTROL;
    if ((uint16_t)s->environment[2] != ALL_EMPTY)
        found |= FINDING_X87_REGISTERS;
    if ((s->mxcsr ^ s->mxcsr_before) & MXCSR_CONTROL)
        found |= FINDING_MXCSR;
    if (s->wide && (s->upper[0] | s->upper[1]))
        found |= FINDING_UPPER_HALVES;
    return found;
}

/* None if one is seen where there is none. */
uint32_t abi_stub_proven(uint32_t *tried)
{
    const uint64_t words[6] = {0};
    uint32_t seen = 0, missed = 0, i;

    for (i = 0; i < 2 * SAVED_VECTORS; i++)
        assay_abi_seen.given[i] = VECTOR_WORD * (i + 1);
    assay_abi_seen.wide = has_upper_halves();
    *tried = 0;
    for (i = 0; i < CLOBBERERS - !assay_abi_seen.wide; i++) {
        (void)abi_stub_call(clobberers[i].function, words, 0, 0);
        *tried |= clobberers[i].finding;
        if (abi_stub_judged() == clobberers[i].finding)
            seen |= clobberers[i].finding;
        else
            missed |= clobberers[i].finding;
    }
    (void)abi_stub_call(assay_clobbers_nothing, words, 0, 0);
    if (abi_stub_judged() == 0 && assay_abi_seen.wide)
        (void)abi_stub_call(assay_clobbers_clean, words, 0, 0);
    return abi_stub_judged() == 0 ? seen & ~missed : 0;
}

#else
typedef int assay_abi_microsoft_unused; /* C wants something in every file */
#endif
