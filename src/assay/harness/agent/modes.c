/* SPDX-License-Identifier: MIT */
/*
 * Calls under other floating-point modes than a program starts with.
 *
 * The modes belong to the caller (System V ABI, AMD64 supplement, section 3.2.1; AAPCS64,
 * section 6.1.2), who may have set any: submitted code must work under all of them.
 */
#include "agent.h"

#define MOST_MODES 2u /* 1: towards zero, 2: upwards; both: no denormal numbers, less precision */

static unsigned mode; /* 0: as they are */

#if defined(__x86_64__) && !defined(__TINYC__)

struct modes {
    uint32_t vectors; /* MXCSR: flush to zero, rounding, masks, denormals are zero */
    uint16_t x87;     /* rounding, precision of 24 or 53 bits, masks */
};
static const struct modes chosen[MOST_MODES + 1] = {{0, 0}, {0xffc0, 0x0c7f}, {0xdfc0, 0x0a7f}};
static struct modes before;

static void set(const struct modes *m)
{
    __asm__ volatile("fldcw %0\n ldmxcsr %1" : : "m"(m->x87), "m"(m->vectors));
}

static void get(struct modes *m)
{
    __asm__ volatile("fnstcw %0\n stmxcsr %1" : "=m"(m->x87), "=m"(m->vectors));
}

#elif defined(__aarch64__) && !defined(__TINYC__)

struct modes {
    uint64_t control; /* FPCR: flush to zero, rounding */
};
static const struct modes chosen[MOST_MODES + 1] = {{0}, {0x1c00000}, {0x1400000}};
static struct modes before;

static void set(const struct modes *m)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(m->control));
}

static void get(struct modes *m) { __asm__ volatile("mrs %0, fpcr" : "=r"(m->control)); }

#else
#define NO_MODES

void modes_enter(void) {}
void modes_leave(void) {}

#endif

#if !defined(NO_MODES)
void modes_enter(void)
{
    if (mode == 0)
        return;
    get(&before);
    set(&chosen[mode]);
}

void modes_leave(void)
{
    if (mode)
        set(&before);
}
#endif

enum status modes_set(void)
{
    uint8_t wanted = take_u8();

    if (frame_bad() || wanted > MOST_MODES)
        return STATUS_BAD_REQUEST;
#if defined(NO_MODES)
    return STATUS_BAD_REQUEST;
#else
    if (mode == 0)
        get(&before); /* so that leaving does no harm before anything is entered */
    mode = wanted;
    return STATUS_OK;
#endif
}
