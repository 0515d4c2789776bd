/* SPDX-License-Identifier: MIT */
/*
 * The kind `hash`: two measures. A long message is one context that takes the
 * same buffer again and again; a short one is a whole hash of a few bytes.
 */
#include "kind.h"

#include "../hal/hal.h"
#include "../subject/hash.h"

#include <stddef.h>

#define LONG_BYTES 8192u

enum test { TEST_LONG, TEST_SHORT, TEST_COUNT };

static const struct assay_hash_subject *subject;
static struct hal_region region; /* the context, with nothing beside it */
static uint8_t data[LONG_BYTES], digest[128];
static uint32_t out_bits;

static void start(void *unused)
{
    (void)unused;
    subject->init(region.base, out_bits);
}

/* A short message closes the context, and a long one wants it open. */
static void open_again(const void *unused)
{
    (void)unused;
    start(NULL);
}

static enum status answer_setup(void)
{
    uint64_t state;
    uint32_t i;

    out_bits = take_u32();
    state = take_u64();
    if (frame_bad())
        return STATUS_BAD_REQUEST;
    for (i = 0; i < LONG_BYTES; i++) { /* Knuth's MMIX generator: any bytes will do */
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (uint8_t)(state >> 56);
    }
    subject = assay_hash_subject();
    if (region.base == NULL && !hal_map(&region, subject->context_bytes))
        return STATUS_NO_MEMORY;
    return guarded(start, NULL);
}

struct batch {
    uint32_t test, length, calls;
};

static void run(const void *argument)
{
    const struct batch *b = argument;
    uint32_t i;

    for (i = 0; i < b->calls; i++) {
        if (b->test == TEST_SHORT)
            subject->init(region.base, out_bits);
        subject->update(region.base, data, b->length);
        if (b->test == TEST_SHORT)
            subject->close(region.base, 0, 0, digest);
    }
}

static int take_batch(struct batch *b)
{
    b->test = take_u8();
    b->length = take_u32();
    b->calls = 1;
    return subject != NULL && b->test < TEST_COUNT && b->length <= LONG_BYTES;
}

struct calibration {
    struct batch batch;
    uint64_t window, spent;
    uint32_t trials, calls;
};

static void calibrate(void *argument)
{
    struct calibration *c = argument;

    run(&c->batch);
    c->calls = timing_passes(run, &c->batch, c->window, c->trials, &c->spent);
    open_again(NULL);
}

static enum status answer_calibrate(void)
{
    struct calibration c = {.spent = 0};
    enum status status;

    if (!take_batch(&c.batch))
        return STATUS_BAD_REQUEST;
    c.window = take_u64();
    c.trials = take_u32();
    if (frame_bad() || c.trials == 0)
        return STATUS_BAD_REQUEST;
    status = guarded(calibrate, &c);
    if (status == STATUS_OK) {
        give_u32(1);
        give_u32(c.calls ? c.calls : 1);
        give_u64(c.spent);
    }
    return status;
}

static enum status answer_time(void)
{
    struct batch b;
    uint32_t contexts;

    if (!take_batch(&b))
        return STATUS_BAD_REQUEST;
    contexts = take_u32();
    b.calls = take_u32();
    if (contexts != 1 || b.calls == 0)
        return STATUS_BAD_REQUEST;
    return timing_series(run, open_again, &b);
}

const struct kind_timing assay_timing = {answer_setup, answer_calibrate, answer_time};
