/* SPDX-License-Identifier: MIT */
/*
 * What ports to Cortex-M share: vector table, start-up, and faults as answers.
 * Included by a port's only source file, which is linked with its <port>.ld.
 */
#ifndef ASSAY_CORTEX_M_H
#define ASSAY_CORTEX_M_H

#include "board.h"

#include <string.h>

#ifndef __ARM_ARCH_PROFILE
#error "this is for Cortex-M"
#elif __ARM_ARCH_PROFILE != 'M'
#error "this is for Cortex-M"
#endif

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define LEAST_ROOM 256u /* for what the agent itself does below a painted stack */

/* From the linker's script. */
extern uint8_t data_load[], data_start[], data_end[], bss_start[], bss_end[];
extern uint8_t stack_limit[], stack_top[];

int main(int argc, char **argv);
void _exit(int code);
void cortex_start(void);
void cortex_fault(uint32_t *frame);

/* --- faults */

enum { SIGNAL_ILL = 4, SIGNAL_BUS = 7, SIGNAL_FPE = 8, SIGNAL_SEGV = 11 };

/* r4 to r11, sp, lr at the call of escape_set(); with hard floats s16 to s31, too. */
#if defined __ARM_PCS_VFP
#define KEEP_FLOATS "vstmia r0!, {s16-s31}\n\t"
#define TAKE_FLOATS "vldmia r0!, {s16-s31}\n\t"
static uint32_t escape[26];
#else
#define KEEP_FLOATS
#define TAKE_FLOATS
static uint32_t escape[10];
#endif
static volatile int armed;
static volatile uintptr_t fault_address;

/* Returns 0; and again with the number that escape_take() is given. */
__attribute__((naked, noinline, returns_twice)) static int escape_set(uint32_t *to)
{
    (void)to; /* r0 */
    __asm__ volatile(KEEP_FLOATS "stmia r0!, {r4-r7}\n\t"
                     "mov r1, r8\n\tmov r2, r9\n\tmov r3, r10\n\tstmia r0!, {r1-r3}\n\t"
                     "mov r1, r11\n\tmov r2, sp\n\tmov r3, lr\n\tstmia r0!, {r1-r3}\n\t"
                     "movs r0, #0\n\tbx lr");
}

__attribute__((naked, used)) static void escape_take(const uint32_t *from, int number)
{
    (void)from, (void)number; /* r0, r1 */
    __asm__ volatile(TAKE_FLOATS "ldmia r0!, {r4-r7}\n\t"
                     "ldmia r0!, {r2, r3}\n\tmov r8, r2\n\tmov r9, r3\n\t"
                     "ldmia r0!, {r2, r3}\n\tmov r10, r2\n\tmov r11, r3\n\t"
                     "ldmia r0!, {r2, r3}\n\tmov sp, r2\n\t"
                     "movs r0, r1\n\tbx r3");
}

#if __ARM_ARCH >= 7
#define FAULT_STATUS REGISTER(0xe000ed28)
#define FAULT_UNDEFINED 0x000f0000u
#define FAULT_UNALIGNED 0x01000000u
#define FAULT_DIVISION 0x02000000u
#define FAULT_BUS_ADDRESS 0x00008000u
#define FAULT_MEMORY_ADDRESS 0x00000080u

static int fault_number(void)
{
    uint32_t status = FAULT_STATUS;

    fault_address = 0;
    if (status & FAULT_BUS_ADDRESS)
        fault_address = REGISTER(0xe000ed38);
    else if (status & FAULT_MEMORY_ADDRESS)
        fault_address = REGISTER(0xe000ed34);
    FAULT_STATUS = status; /* ones clear it */
    if (status & FAULT_DIVISION)
        return SIGNAL_FPE;
    if (status & FAULT_UNALIGNED)
        return SIGNAL_BUS;
    return status & FAULT_UNDEFINED ? SIGNAL_ILL : SIGNAL_SEGV;
}
#else /* ARMv6-M says nothing but that there was one */
static int fault_number(void)
{
    fault_address = 0;
    return SIGNAL_SEGV;
}
#endif

/* Called with the registers that the processor has saved. Returning from the fault then
 * goes to escape_take() instead of where it came from. */
__attribute__((used)) void cortex_fault(uint32_t *frame)
{
    while (!armed)
        ; /* the agent itself is wrong, and cannot say so */
    armed = 0;
    frame[0] = (uint32_t)(uintptr_t)escape;
    frame[1] = (uint32_t)fault_number();
    frame[6] = (uint32_t)(uintptr_t)escape_take & ~1u;
    frame[7] = 0x01000000; /* Thumb, outside of any IT block */
}

__attribute__((naked)) static void on_fault(void)
{
    __asm__ volatile("mov r0, sp\n\tldr r1, =cortex_fault\n\tbx r1\n\t.ltorg");
}

int board_guarded(void (*work)(void *), void *argument, uintptr_t *address)
{
    int number = escape_set(escape);

    if (number != 0) {
        *address = fault_address;
        return number;
    }
    armed = 1;
    work(argument);
    armed = 0;
    return 0;
}

/* What the C library's exit() ends with: submitted code that gives up is a fault. */
void _exit(int code)
{
    (void)code;
    for (;;)
        __builtin_trap();
}

/* --- waiting */

/* Interrupts wake the processor and are never served: they stay masked. So nothing but
 * the code under test runs during a call, and an emulator that waits costs no time. */
static inline void wake_by(uint32_t line)
{
    __asm__ volatile("cpsid i" : : : "memory");
    REGISTER(0xe000e100) = 1u << line;
}

static inline void sleep(void) { __asm__ volatile("dsb\n\twfi" : : : "memory"); }

static inline void awake(uint32_t line) { REGISTER(0xe000e280) = 1u << line; }

/* --- start */

__attribute__((noreturn)) void cortex_start(void)
{
#if defined __ARM_FP
    REGISTER(0xe000ed88) |= 0xfu << 20; /* the FPU, off at reset: coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb" : : : "memory");
#endif
    memcpy(data_start, data_load, (size_t)(data_end - data_start));
    memset(bss_start, 0, (size_t)(bss_end - bss_start));
#if defined BOARD_TRAP_UNALIGNED && __ARM_ARCH >= 7
    REGISTER(0xe000ed14) |= 1u << 3; /* else words and half-words may stand anywhere */
#endif
    main(0, NULL);
    for (;;)
        ;
}

union vector {
    uint8_t *stack;
    void (*handler)(void);
};

/* Nothing but faults is ever served. */
__attribute__((section(".vectors"), used)) static const union vector vectors[16] = {
    {.stack = stack_top}, {.handler = cortex_start}, {.handler = on_fault},
    {.handler = on_fault}, {.handler = on_fault},    {.handler = on_fault},
    {.handler = on_fault},
};

uint8_t *board_stack_end(void) { return stack_limit; }

uint32_t board_stack_room(uintptr_t stack_pointer)
{
    uintptr_t end = (uintptr_t)stack_limit + LEAST_ROOM;

    return stack_pointer > end ? (uint32_t)(stack_pointer - end) : 0;
}

#endif
