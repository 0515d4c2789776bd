/* SPDX-License-Identifier: MIT */
/*
 * The steps of a script that concern memory: buffers, the package's own static memory, a region
 * of zeros, and the stack.
 */
#include "operation.h"

#include "kind.h"

#include "../hal/hal.h"

#include <stddef.h>
#include <string.h>

/* Of the room below us, for what is called. */
#if defined(ASSAY_SMALL)
#define STACK_KEPT 512u
#else
#define STACK_KEPT 65536u
#endif

/* The static memory of the package: its sections get these names when it is built. */
#if defined(_WIN32)
/* The linker sorts sections of these names: those of the package lie in between. */
static uint8_t __start_assay_data[1] __attribute__((section(".data$assay_a"), used)) = {1};
static uint8_t __stop_assay_data[1] __attribute__((section(".data$assay_z"), used)) = {1};

static uint32_t data_bytes(void)
{
    return (uint32_t)((uintptr_t)__stop_assay_data - (uintptr_t)__start_assay_data - 1);
}
static uint32_t bss_bytes(void) { return 0; } /* stands with the data */
static uint8_t *data_at(uint32_t offset) { return __start_assay_data + 1 + offset; }
static uint8_t *bss_at(uint32_t offset) { return data_at(offset); }
#else
extern uint8_t __start_assay_data[] __attribute__((weak)),
    __stop_assay_data[] __attribute__((weak));
extern uint8_t __start_assay_bss[] __attribute__((weak)), __stop_assay_bss[] __attribute__((weak));

static uint32_t data_bytes(void) { return (uint32_t)(__stop_assay_data - __start_assay_data); }
static uint32_t bss_bytes(void) { return (uint32_t)(__stop_assay_bss - __start_assay_bss); }
static uint8_t *data_at(uint32_t offset) { return __start_assay_data + offset; }
static uint8_t *bss_at(uint32_t offset) { return __start_assay_bss + offset; }
#endif

uint32_t state_bytes(void) { return data_bytes() + bss_bytes(); }

static uint8_t *state_at(uint32_t offset)
{
    uint32_t data = data_bytes();

    return offset < data ? data_at(offset) : bss_at(offset - data);
}

/* --- places */

struct place {
    unsigned id;
    uint32_t offset;
};

static struct place take_place(void)
{
    struct place p;

    p.id = take_u8();
    p.offset = take_u32();
    return p;
}

/* NULL unless so many bytes are there. */
static uint8_t *bytes_at(struct place p, uint64_t length)
{
    return length > UINT32_MAX ? NULL : buffer_at(p.id, p.offset, (uint32_t)length);
}

static int in_state(struct place p, uint64_t length)
{
    uint64_t size = state_bytes();

    return p.id == STATE_BUFFER && length <= size && p.offset <= size - length;
}

/* --- the steps; 1: done */

static int write_state(struct place p, const uint8_t *from, uint32_t length)
{
    uint32_t i;

    for (i = 0; i < length; i++)
        *state_at(p.offset + i) = from[i];
    return 1;
}

static int step_write(void)
{
    struct place p = take_place();
    uint32_t length = take_u32();
    const uint8_t *from = take_bytes(length);
    uint8_t *to = bytes_at(p, length);

    if (from && in_state(p, length))
        return write_state(p, from, length);
    if (from == NULL || to == NULL)
        return 0;
    memcpy(to, from, (size_t)length);
    return 1;
}

static int step_read(void)
{
    struct place p = take_place();
    uint64_t length = take_number(), i;
    const uint8_t *from = bytes_at(p, length);

    if (in_state(p, length)) {
        for (i = 0; i < length; i++)
            give_u8(*state_at((uint32_t)(p.offset + i)));
        return 1;
    }
    if (from == NULL)
        return 0;
    mark_public(from, length);
    give_bytes(from, (uint32_t)length);
    return 1;
}

static int step_copy(void)
{
    struct place to = take_place(), from = take_place();
    uint64_t length = take_number();
    uint8_t *t = bytes_at(to, length), *f = bytes_at(from, length);

    if (t == NULL || f == NULL)
        return 0;
    memmove(t, f, (size_t)length);
    return 1;
}

static int step_fill(void)
{
    struct place p = take_place();
    uint64_t length = take_number();
    uint8_t value = take_u8(), *to = bytes_at(p, length);

    if (to == NULL)
        return 0;
    memset(to, value, (size_t)length);
    return 1;
}

static int step_add(void)
{
    struct place p = take_place();
    uint64_t position = take_u64(), modulus = take_number();
    uint8_t value = take_u8(), *to;

    if (modulus == 0)
        return 1;
    position %= modulus;
    if (p.id == STATE_BUFFER && in_state(p, position + 1)) {
        *state_at((uint32_t)(p.offset + position)) += value;
        return 1;
    }
    to = bytes_at(p, position + 1);
    if (to == NULL)
        return 0;
    to[position] = (uint8_t)(to[position] + value);
    return 1;
}

static const uint8_t *zeros; /* more bytes than a buffer has */
static uint64_t zeros_bytes;

static int step_zeros(void)
{
    uint64_t length = take_u64();

    if (zeros != NULL)
        hal_unmap_zeros(zeros, zeros_bytes);
    zeros = length ? hal_map_zeros(length) : NULL;
    zeros_bytes = length;
    return length == 0 || zeros != NULL || no_room();
}

static int step_draw(void)
{
    struct place p = take_place();
    uint64_t length = take_number();
    uint8_t *to = bytes_at(p, length);

    if (to != NULL)
        (void)randombytes(to, length);
    return to != NULL;
}

static int step_equal(void)
{
    struct place one = take_place(), other = take_place();
    uint64_t length = take_number();
    const uint8_t *a = bytes_at(one, length), *b = bytes_at(other, length);

    if (a == NULL || b == NULL)
        return 0;
    give_u64(memcmp(a, b, (size_t)length) == 0);
    return 1;
}

static int step_watch(void)
{
    struct place p = take_place(), expected = take_place();
    uint64_t length = take_number();
    const uint8_t *as = bytes_at(expected, length);

    if (as == NULL || p.offset != 0 || bytes_at(p, length) == NULL)
        return 0;
    return buffer_watch(p.id, as, (uint32_t)length);
}

static int step_watched(void)
{
    uint32_t writes = 0, most = 0;
    int done = hal_watched(&writes, &most);

    give_u64(writes);
    give_u64(most);
    return done;
}

int take_pointer(uint8_t **to)
{
    struct place p = take_place();

    if (p.id == ZEROS_BUFFER) {
        *to = (uint8_t *)(uintptr_t)zeros;
        return zeros != NULL;
    }
    *to = p.id == NO_BUFFER ? NULL : bytes_at(p, 0);
    return p.id == NO_BUFFER || *to != NULL;
}

static int step_mark(void (*mark)(const void *, uint64_t))
{
    struct place p = take_place();
    uint64_t length = take_number();
    const uint8_t *from = bytes_at(p, length);

    if (from == NULL)
        return 0;
    mark(from, length);
    return 1;
}

static __attribute__((noinline)) void fill_below(uint32_t length, uint8_t value)
{
    volatile uint8_t room[length];
    uint32_t i;

    for (i = 0; i < length; i++)
        room[i] = value;
    (void)room[0];
}

static int step_stack(void)
{
    volatile uint8_t here = 0;
    uint32_t length = take_u32(), room = hal_stack_room((uintptr_t)&here);
    uint8_t value = take_u8();

    if (room < STACK_KEPT + length || length == 0)
        return no_room();
    fill_below(length, value);
    return 1;
}

int memory_step(unsigned code)
{
    switch (code) {
    case STEP_WRITE: return step_write();
    case STEP_READ: return step_read();
    case STEP_COPY: return step_copy();
    case STEP_FILL: return step_fill();
    case STEP_ADD: return step_add();
    case STEP_SECRET: return step_mark(mark_secret);
    case STEP_PUBLIC: return step_mark(mark_public);
    case STEP_STACK: return step_stack();
    case STEP_ZEROS: return step_zeros();
    case STEP_DRAW: return step_draw();
    case STEP_EQUAL: return step_equal();
    case STEP_WATCH: return step_watch();
    case STEP_WATCHED: return step_watched();
    default: return 0;
    }
}
