/* SPDX-License-Identifier: MIT */
/*
 * The kind `operation`: packages of the SUPERCOP API, and scripts of calls.
 *
 * A script is a list of steps that are performed one after another (docs/reference/protocol.md).
 * It answers bytes and numbers, and judges nothing.
 */
#include "operation.h"
#include "kind.h"
#include "../hal/hal.h"

#include <stddef.h>
#include <string.h>

enum step {
    STEP_WRITE = 1,
    STEP_READ,
    STEP_COPY,
    STEP_FILL,
    STEP_ADD,
    STEP_CALL,
    STEP_GIVE,
    STEP_SECRET,
    STEP_PUBLIC,
    STEP_SEED,
    STEP_RANDOM,
    STEP_STACK,
    STEP_SET,
    STEP_SUPPLY,
    STEP_LOG,
    STEP_ZEROS,
    STEP_BESIDE,
    STEP_FAIL
};

#define CONSTANT 0xff
#define STACK_KEPT 65536u /* of the room below us, for what is called */

unsigned long long assay_registers[REGISTERS];

/* The static memory of the package: its sections get these names when it is built. */
extern uint8_t __start_assay_data[] __attribute__((weak)), __stop_assay_data[] __attribute__((weak));
extern uint8_t __start_assay_bss[] __attribute__((weak)), __stop_assay_bss[] __attribute__((weak));

static uint32_t data_bytes(void) { return (uint32_t)(__stop_assay_data - __start_assay_data); }
static uint32_t bss_bytes(void) { return (uint32_t)(__stop_assay_bss - __start_assay_bss); }

static uint8_t *state_at(uint32_t offset)
{
    uint32_t data = data_bytes();

    return offset < data ? __start_assay_data + offset : __start_assay_bss + (offset - data);
}

const struct assay_function *operation_function(unsigned number)
{
    const struct assay_function *f = assay_operation_subject.functions;

    while (f->suffix && number--)
        f++;
    return f->suffix ? f : NULL;
}

static void describe(void)
{
    const struct assay_operation_subject *s = &assay_operation_subject;
    const struct assay_constant *c;
    const struct assay_function *f;

    give_text(s->operation);
    give_text(s->primitive);
    give_text(s->implementation);
    for (c = s->constants; c->name; c++) {
        give_text(c->name);
        give_u64(c->value);
    }
    give_text(NULL);
    for (f = s->functions; f->suffix; f++)
        give_text(f->suffix);
    give_text(NULL);
    give_u32(data_bytes() + bss_bytes());
    give_u8((uint8_t)marks_secrets());
}

/* --- what steps are made of */

uint64_t take_number(void)
{
    unsigned tag = take_u8();

    return tag == CONSTANT ? take_u64() : assay_registers[tag % REGISTERS];
}

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
    uint64_t size = (uint64_t)data_bytes() + bss_bytes();

    return p.id == STATE_BUFFER && length <= size && p.offset <= size - length;
}

struct progress {
    volatile uint32_t step;
    volatile int done;
    enum status status; /* of steps that were guarded by themselves */
};
static struct progress *in_hand;
static void perform_all(void *argument);

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
    return length == 0 || zeros != NULL;
}

static int take_pointer(union assay_word *word)
{
    struct place p = take_place();

    if (p.id == ZEROS_BUFFER) {
        word->bytes = (uint8_t *)(uintptr_t)zeros;
        return zeros != NULL;
    }
    word->bytes = p.id == NO_BUFFER ? NULL : bytes_at(p, 0);
    return p.id == NO_BUFFER || word->bytes != NULL;
}

int take_arguments(const char *parameters, union assay_word *words)
{
    for (; *parameters; parameters++, words++) {
        if (*parameters == 'n')
            words->number = take_number();
        else if (*parameters == 'r')
            words->length = &assay_registers[take_u8() % REGISTERS];
        else if (!take_pointer(words))
            return 0;
    }
    return !frame_bad();
}

static int step_call(void)
{
    unsigned number = take_u8();
    const struct assay_function *f = operation_function(number);
    union assay_word words[ASSAY_MOST_PARAMETERS];
    long long result;

    if (f == NULL || !take_arguments(f->parameters, words))
        return 0;
    modes_enter();
    if (abi_watching()) {
        const uint64_t watched[ABI_REGISTER_WORDS] = {(uint64_t)(uintptr_t)words};

        result = (long long)abi_call(number, (void (*)(void))f->call, watched, 0);
    } else
        result = f->call(words);
    modes_leave();
    mark_public(&result, sizeof result);
    mark_public(assay_registers, sizeof assay_registers);
    give_u64((uint64_t)result);
    return 1;
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

static int step_seed(void)
{
    const uint8_t *key = take_bytes(RANDOM_KEY_BYTES);

    if (key)
        random_seed(key);
    return key != NULL;
}

static int step_supply(void)
{
    uint32_t length = take_u32();
    const uint8_t *data = take_bytes(length);

    return data != NULL && random_supply(data, length);
}

static int step_random(void)
{
    uint64_t calls, bytes;

    random_counts(&calls, &bytes);
    give_u64(calls);
    give_u64(bytes);
    return 1;
}

static int step_log(void)
{
    uint32_t calls, i, kept;
    const uint32_t *lengths = random_log(&calls);

    kept = calls < MOST_LOGGED ? calls : MOST_LOGGED;
    give_u32(calls);
    for (i = 0; i < kept; i++)
        give_u32(lengths[i]);
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
        return 0;
    fill_below(length, value);
    return 1;
}

static int step_beside(void)
{
    in_hand->step++; /* what faults is behind it */
    in_hand->status = operation_beside(perform_all, in_hand);
    return in_hand->status == STATUS_OK && in_hand->done;
}

static int step_fail(void)
{
    unsigned how = take_u8();
    uint32_t from = take_u32();

    random_fail((enum random_fault)how, from);
    return how <= RANDOM_REPEATS;
}

static int step_set(void)
{
    unsigned number = take_u8();

    assay_registers[number % REGISTERS] = take_u64();
    return 1;
}

static int step_give(void)
{
    give_u64(take_number());
    return 1;
}

static int perform(unsigned code)
{
    switch (code) {
    case STEP_WRITE: return step_write();
    case STEP_READ: return step_read();
    case STEP_COPY: return step_copy();
    case STEP_FILL: return step_fill();
    case STEP_ADD: return step_add();
    case STEP_CALL: return step_call();
    case STEP_GIVE: return step_give();
    case STEP_SECRET: return step_mark(mark_secret);
    case STEP_PUBLIC: return step_mark(mark_public);
    case STEP_SEED: return step_seed();
    case STEP_RANDOM: return step_random();
    case STEP_STACK: return step_stack();
    case STEP_SET: return step_set();
    case STEP_SUPPLY: return step_supply();
    case STEP_LOG: return step_log();
    case STEP_ZEROS: return step_zeros();
    case STEP_BESIDE: return step_beside();
    case STEP_FAIL: return step_fail();
    default: return 0;
    }
}

static void perform_all(void *argument)
{
    struct progress *progress = argument;

    progress->done = 1;
    while (progress->done && take_left() && !frame_bad()) {
        progress->done = perform(take_u8());
        progress->step += progress->done != 0;
    }
}

/* After a fault, which step it was in follows what is said of the fault. */
static enum status script(void)
{
    struct progress progress = {0, 0, STATUS_OK};
    enum status status;

    in_hand = &progress;
    hal_close_doors(); /* as SUPERCOP does before its tests */
    status = guarded(perform_all, &progress);
    modes_leave();
    if (status == STATUS_OK)
        status = progress.status;

    if (status == STATUS_OK && progress.done && !frame_bad())
        return STATUS_OK;
    if (status != STATUS_FAULT) {
        give_reset();
        status = STATUS_BAD_REQUEST;
    }
    give_u32(progress.step);
    return status;
}

static enum status call(struct call *c)
{
    if (c->function != FUNCTION_NOTHING)
        return STATUS_BAD_REQUEST;
    call_nothing(c->p[0], c->p[1], c->n[0]);
    return STATUS_OK;
}

const struct kind assay_kind = {"operation", describe, call, script};
