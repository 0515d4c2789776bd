/* SPDX-License-Identifier: MIT */
/*
 * Calls through a stub that sees what a function does to registers and flags that are
 * its caller's (System V ABI, AMD64 supplement, sections 3.2.1 and 3.2.3;
 * that of Windows: abi_microsoft.c).
 *
 * C cannot see it: a compiler saves what it needs itself, or needs nothing just then. Before
 * it is believed the stub calls functions that do each of these wrongs, and one that does none.
 */
#include "abi.h"

#include "agent.h"

#include <stddef.h>

#define MOST_FUNCTIONS 16u /* of a kind, whose findings are kept apart */
#define UPPER_HALVES ((uint64_t)0xa5a5a5a5u << 32)


static uint32_t findings[MOST_FUNCTIONS], calls;
static uint8_t watching, shift;

int abi_watching(void) { return watching; }

uint64_t abi_half(uint32_t value) { return UPPER_HALVES | value; }

#if defined(__x86_64__) && !defined(__ILP32__) && !defined(__TINYC__) && defined(__ELF__)

#define SAVED_REGISTERS 6u
#define DIRECTION_FLAG 0x400u
#define MXCSR_CONTROL 0xffc0u /* the others tell what has happened, and are anybody's */
#define ALL_EMPTY 0xffffu

/* What the stub has seen; it knows the offsets. */
struct seen {
    uint64_t saved[SAVED_REGISTERS]; /* 0 */
    uint64_t stack, flags;           /* 48, 56 */
    uint32_t environment[7], mxcsr;  /* 64, 92 */
    uint64_t expected_stack;         /* 96 */
    uint32_t mxcsr_before;           /* 104 */
    uint16_t control_before, unused; /* 108 */
    uint64_t own_stack, function;    /* 112, 120 */
    uint64_t upper[2], wide;         /* 128, 144: upper halves, or-ed; 1 where there are any */
};

__attribute__((visibility("hidden"))) struct seen assay_abi_seen;

/* Words: six for registers, then those of the stack, of which there are `beyond`. */
uint64_t assay_abi_call(void (*function)(void), const uint64_t *words, uint64_t beyond,
                        uint64_t shift_bytes);

#define UPPER(n) "  vextractf128 $1, %ymm" #n ", %xmm" #n "\n"
#define OR(n) "  vorps %xmm" #n ", %xmm0, %xmm0\n"

__asm__(
    ".text\n.p2align 4\n.hidden assay_abi_call\n.globl assay_abi_call\n"
    ".type assay_abi_call, @function\nassay_abi_call:\n"
    "  pushq %rbx\n  pushq %rbp\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  leaq assay_abi_seen(%rip), %rax\n"
    "  movq %rsp, 112(%rax)\n  movq %rdi, 120(%rax)\n"
    "  stmxcsr 104(%rax)\n  fnstcw 108(%rax)\n"
    "  andq $-64, %rsp\n  subq %rcx, %rsp\n"
    "  movq %rdx, %rcx\n  andq $1, %rcx\n  shlq $3, %rcx\n  subq %rcx, %rsp\n"
    "1: testq %rdx, %rdx\n  jz 2f\n  decq %rdx\n  pushq 48(%rsi,%rdx,8)\n  jmp 1b\n"
    "2: movq %rsp, 96(%rax)\n"
    "  cmpq $0, 144(%rax)\n  je 3f\n  vzeroupper\n"
    "3: movq %rsi, %rax\n"
    "  movq (%rax), %rdi\n  movq 8(%rax), %rsi\n  movq 16(%rax), %rdx\n"
    "  movq 24(%rax), %rcx\n  movq 32(%rax), %r8\n  movq 40(%rax), %r9\n"
    "  movabsq $0x5bd1e995a7c4f311, %rbx\n  leaq 1(%rbx), %rbp\n  leaq 2(%rbx), %r12\n"
    "  leaq 3(%rbx), %r13\n  leaq 4(%rbx), %r14\n  leaq 5(%rbx), %r15\n"
    "  leaq 6(%rbx), %r10\n  leaq 7(%rbx), %r11\n  leaq 8(%rbx), %rax\n"
    "  call *assay_abi_seen+120(%rip)\n"
    "  movq %rbx, assay_abi_seen(%rip)\n  leaq assay_abi_seen(%rip), %rbx\n"
    "  movq %rbp, 8(%rbx)\n  movq %r12, 16(%rbx)\n  movq %r13, 24(%rbx)\n"
    "  movq %r14, 32(%rbx)\n  movq %r15, 40(%rbx)\n  movq %rsp, 48(%rbx)\n"
    "  movq 112(%rbx), %rsp\n"
    "  cmpq $0, 144(%rbx)\n  je 4f\n"
    UPPER(0) UPPER(1) UPPER(2) UPPER(3) UPPER(4) UPPER(5) UPPER(6) UPPER(7) UPPER(8) UPPER(9)
    UPPER(10) UPPER(11) UPPER(12) UPPER(13) UPPER(14) UPPER(15)
    OR(1) OR(2) OR(3) OR(4) OR(5) OR(6) OR(7) OR(8) OR(9) OR(10) OR(11) OR(12) OR(13) OR(14)
    OR(15)
    "  vmovups %xmm0, 128(%rbx)\n  vzeroupper\n4:\n"
    "  pushfq\n  popq 56(%rbx)\n  cld\n"
    "  fnstenv 64(%rbx)\n  stmxcsr 92(%rbx)\n"
    "  fninit\n  fldcw 108(%rbx)\n  ldmxcsr 104(%rbx)\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbp\n  popq %rbx\n"
    "  ret\n.size assay_abi_call, .-assay_abi_call\n");

/* --- what it must see, in the order of `enum finding` */

#define CLOBBERER(name, code)                                                               \
    void assay_clobbers_##name(void);                                                       \
    __asm__(".text\n.hidden assay_clobbers_" #name "\n.globl assay_clobbers_" #name         \
            "\nassay_clobbers_" #name ":\n" code "\n")

CLOBBERER(rbx, "incq %rbx\n ret");
CLOBBERER(rbp, "incq %rbp\n ret");
CLOBBERER(r12, "incq %r12\n ret");
CLOBBERER(r13, "incq %r13\n ret");
CLOBBERER(r14, "incq %r14\n ret");
CLOBBERER(r15, "incq %r15\n ret");
CLOBBERER(rsp, "ret $16");
CLOBBERER(direction, "std\n ret");
CLOBBERER(control, "movw $0x027f, -8(%rsp)\n fldcw -8(%rsp)\n ret");
CLOBBERER(mmx, "movd %eax, %mm0\n ret");
CLOBBERER(mxcsr, "movl $0x9f80, -8(%rsp)\n ldmxcsr -8(%rsp)\n ret");
CLOBBERER(upper, "vcmpps $15, %ymm15, %ymm15, %ymm15\n ret");
/* All that is the function's own, and what it gives back in order. */
CLOBBERER(nothing, "xorl %eax, %eax\n xorl %ecx, %ecx\n xorl %edx, %edx\n xorl %esi, %esi\n"
                   " xorl %edi, %edi\n xorl %r8d, %r8d\n xorl %r9d, %r9d\n xorl %r10d, %r10d\n"
                   " xorl %r11d, %r11d\n pushq %rbx\n xorl %ebx, %ebx\n movd %eax, %mm0\n emms\n"
                   " std\n cld\n pxor %xmm15, %xmm15\n popq %rbx\n ret");
CLOBBERER(clean, "vcmpps $15, %ymm15, %ymm15, %ymm15\n vzeroupper\n ret");

static void (*const clobberers[])(void) = {
    assay_clobbers_rbx,     assay_clobbers_rbp,     assay_clobbers_r12, assay_clobbers_r13,
    assay_clobbers_r14,     assay_clobbers_r15,     assay_clobbers_rsp, assay_clobbers_direction,
    assay_clobbers_control, assay_clobbers_mmx,     assay_clobbers_mxcsr,
    assay_clobbers_upper};
#define ALL_CLOBBERERS ((unsigned)(sizeof clobberers / sizeof clobberers[0]))
#define CLOBBERERS (ALL_CLOBBERERS - !assay_abi_seen.wide)

#define SAVES_STATE_AND_AVX (3u << 27) /* of leaf 1: OSXSAVE, AVX */
#define SSE_AND_AVX_STATE 6u

/* Whether the processor has AVX, and the system keeps its registers. */
static uint64_t has_upper_halves(void)
{
    uint32_t a = 1, b, c = 0, d;

    __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if ((c & SAVES_STATE_AND_AVX) != SAVES_STATE_AND_AVX)
        return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (a & SSE_AND_AVX_STATE) == SSE_AND_AVX_STATE;
}

static uint32_t judged(void)
{
    const struct seen *s = &assay_abi_seen;
    const uint64_t first = 0x5bd1e995a7c4f311u;
    uint32_t found = 0, i;

    for (i = 0; i < SAVED_REGISTERS; i++)
        if (s->saved[i] != first + i)
            found |= (uint32_t)FINDING_RBX << i;
    if (s->stack != s->expected_stack)
        found |= FINDING_RSP;
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

uint64_t abi_call(unsigned number, void (*function)(void), const uint64_t *words, unsigned beyond)
{
    uint64_t result = assay_abi_call(function, words, beyond, shift);

    calls++;
    findings[number % MOST_FUNCTIONS] |= judged();
    return result;
}

/* Which wrongs are seen as what they are; none if one is seen where there is none. */
static uint32_t proven(uint32_t *tried)
{
    const uint64_t words[6] = {0};
    uint32_t seen = 0, i;

    assay_abi_seen.wide = has_upper_halves();
    *tried = (1u << CLOBBERERS) - 1;
    for (i = 0; i < CLOBBERERS; i++) {
        (void)assay_abi_call(clobberers[i], words, 0, 0);
        seen |= judged() == 1u << i ? 1u << i : 0;
    }
    (void)assay_abi_call(assay_clobbers_nothing, words, 0, 0);
    if (judged() == 0 && assay_abi_seen.wide)
        (void)assay_abi_call(assay_clobbers_clean, words, 0, 0);
    return judged() == 0 ? seen : 0;
}

#elif defined(_WIN64) && !defined(__TINYC__) /* Microsoft's convention: abi_microsoft.c */

uint64_t abi_call(unsigned number, void (*function)(void), const uint64_t *words, unsigned beyond)
{
    uint64_t result = abi_stub_call(function, words, beyond, shift);

    calls++;
    findings[number % MOST_FUNCTIONS] |= abi_stub_judged();
    return result;
}

static uint32_t proven(uint32_t *tried) { return abi_stub_proven(tried); }

#else /* what abi_saved.c has, in agents that have it */

#define WEAK __attribute__((weak))

WEAK const char *abi_saved_names(void) { return NULL; }

WEAK uint64_t abi_saved_call(void (*function)(void), const void *argument, uint32_t *found)
{
    (void)function, (void)argument, (void)found;
    return 0;
}

WEAK uint32_t abi_saved_proven(uint32_t *tried) { return *tried = 0; }

uint64_t abi_call(unsigned number, void (*function)(void), const uint64_t *words, unsigned beyond)
{
    uint32_t found = 0;
    uint64_t result = abi_saved_call(function, (const void *)(uintptr_t)words[0], &found);

    (void)beyond;
    calls++;
    findings[number % MOST_FUNCTIONS] |= found;
    return result;
}

static uint32_t proven(uint32_t *tried) { return abi_saved_proven(tried); }
#define HAS_NAMES
#endif

#if defined(HAS_NAMES)
static const char *names(void) { return abi_saved_names(); }
#else
static const char *names(void) { return NULL; }
#endif

enum status abi_watch(void)
{
    uint8_t wanted = take_u8(), by = take_u8();
    uint32_t tried, seen, i;

    if (frame_bad() || by % 16 || by > 48)
        return STATUS_BAD_REQUEST;
    seen = proven(&tried);
    if (tried == 0 || (by && names()))
        return STATUS_BAD_REQUEST;
    give_u32(tried);
    give_u32(seen);
    give_u32(calls);
    for (i = 0; i < MOST_FUNCTIONS; i++) {
        give_u32(findings[i]);
        findings[i] = 0;
    }
    give_text(names());
    calls = 0;
    watching = wanted != 0;
    shift = by;
    return STATUS_OK;
}
