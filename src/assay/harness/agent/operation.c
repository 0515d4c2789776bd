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

#define CONSTANT 0xff

unsigned long long assay_registers[REGISTERS];

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
    give_u32(state_bytes());
    give_u8((uint8_t)marks_secrets());
}

uint64_t take_number(void)
{
    unsigned tag = take_u8();

    return tag == CONSTANT ? take_u64() : assay_registers[tag % REGISTERS];
}

struct progress {
    volatile uint32_t step;
    volatile int done;
    enum status status; /* of steps that were guarded by themselves, or that found no room */
};
static struct progress *in_hand;
static void perform_all(void *argument);

/* --- the steps but for those of memory; 1: done */

int take_arguments(const char *parameters, union assay_word *words)
{
    for (; *parameters; parameters++, words++) {
        if (*parameters == 'n')
            words->number = take_number();
        else if (*parameters == 'r')
            words->length = &assay_registers[take_u8() % REGISTERS];
        else if (!take_pointer(&words->bytes))
            return 0;
    }
    return !frame_bad();
}

struct one_call {
    long long (*call)(const union assay_word *arguments);
    union assay_word words[ASSAY_MOST_PARAMETERS];
    unsigned number;
    long long result;
};

static void make_call(void *argument)
{
    struct one_call *c = argument;

    if (abi_watching()) {
        const uint64_t watched[ABI_REGISTER_WORDS] = {(uint64_t)(uintptr_t)c->words};

        c->result = (long long)abi_call(c->number, (void (*)(void))c->call, watched, 0);
    } else
        c->result = c->call(c->words);
    CALL_RETURNS;
}

/* As deep as the call of a function that takes nothing. */
static long long make_none(const union assay_word *words)
{
    (void)words;
    __asm__ volatile("" : : : "memory");
    return 0;
}

static int step_call(void)
{
    unsigned code = take_u8();
    struct one_call c = {.number = code & ~HOLLOW_CALL};
    const struct assay_function *f = operation_function(c.number);

    if (f == NULL || !take_arguments(f->parameters, c.words))
        return 0;
    c.call = code & HOLLOW_CALL ? make_none : f->call;
    modes_enter();
    stack_within(make_call, &c);
    modes_leave();
    mark_public(&c.result, sizeof c.result);
    mark_public(assay_registers, sizeof assay_registers);
    give_u64((uint64_t)c.result);
    return 1;
}

int no_room(void)
{
    in_hand->status = STATUS_NO_MEMORY;
    return 0;
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
    if (kept < calls && kept < TOLD_LENGTHS)
        return no_room();
    give_u32(calls);
    for (i = 0; i < kept; i++)
        give_u32(lengths[i]);
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
    case STEP_CALL: return step_call();
    case STEP_GIVE: return step_give();
    case STEP_SEED: return step_seed();
    case STEP_RANDOM: return step_random();
    case STEP_SET: return step_set();
    case STEP_SUPPLY: return step_supply();
    case STEP_LOG: return step_log();
    case STEP_BESIDE: return step_beside();
    case STEP_FAIL: return step_fail();
    default: return memory_step(code);
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
    if (status == STATUS_NO_MEMORY) { /* for a step, or the stack ran into other memory */
        if (progress.status == STATUS_NO_MEMORY)
            give_reset();
        return status;
    }
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
