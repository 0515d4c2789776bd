/* SPDX-License-Identifier: MIT */
/* One call of submitted code: its function, pointers into buffers, and numbers. */

#include "kind.h"

#include <stddef.h>

static int take_pointer(uint8_t **pointer)
{
    uint8_t id = take_u8();
    uint32_t offset = take_u32();

    *pointer = id == NO_BUFFER ? NULL : buffer_at(id, offset, 0);
    return id == NO_BUFFER || *pointer != NULL;
}

enum status call_perform(void)
{
    struct call c = {0};
    unsigned i;

    c.function = take_u8();
    c.pointers = take_u8();
    c.numbers = take_u8();
    if (c.pointers > MOST_POINTERS || c.numbers > MOST_NUMBERS)
        return STATUS_BAD_REQUEST;
    for (i = 0; i < c.pointers; i++)
        if (!take_pointer(&c.p[i]))
            return STATUS_BAD_REQUEST;
    for (i = 0; i < c.numbers; i++)
        c.n[i] = take_u32();
    return frame_bad() ? STATUS_BAD_REQUEST : assay_kind.call(&c);
}

/* Kept from being inlined or found to be empty: what it costs is what a call costs. */
__attribute__((noinline)) void call_nothing(const uint8_t *p, const uint8_t *q, uint32_t n)
{
    (void)p, (void)q, (void)n;
    __asm__ volatile("" : : : "memory");
}
