/* SPDX-License-Identifier: MIT */
/*
 * The kind `hash`: two measures. A long message is one context that takes the
 * same buffer again and again; a short one is a whole hash of a few bytes, whose
 * digest goes into the message of the next one. The digest of the long message, and
 * the last short one with its digest, are told with the ticks, so that an agent that
 * is not timed can repeat them.
 */
#include "kind.h"

#include "../hal/hal.h"
#include "../subject/hash.h"

#include <stddef.h>

#define LONG_BYTES 8192u
#define MOST_DIGEST_BYTES 128u

enum test { TEST_LONG, TEST_SHORT, TEST_COUNT };

static const struct assay_hash_subject *subject;
static struct hal_region region; /* the context, with nothing beside it */
static uint8_t data[LONG_BYTES], digest[MOST_DIGEST_BYTES];
static uint8_t chain[2][MOST_DIGEST_BYTES]; /* short messages: each gives the other one */
static uint32_t turn; /* the next message is that of its lowest bit */
static uint32_t out_bits;

static void start(void *unused)
{
    (void)unused;
    subject->init(region.base, out_bits);
}

struct batch {
    uint32_t test, length, calls;
};

/* A short message closes the context, and a long one wants it open. */
static void open_again(const void *argument)
{
    const struct batch *b = argument;

    if (b->test == TEST_LONG)
        subject->close(region.base, 0, 0, digest);
    start(NULL);
}

static enum status answer_setup(void)
{
    uint64_t state;
    uint32_t i;

    out_bits = take_u32();
    state = take_u64();
    if (frame_bad() || out_bits > 8 * MOST_DIGEST_BYTES)
        return STATUS_BAD_REQUEST;
    for (i = 0; i < LONG_BYTES; i++) { /* Knuth's MMIX generator: any bytes will do */
        state = state * 6364136223846793005u + 1442695040888963407u;
        data[i] = (uint8_t)(state >> 56);
    }
    for (i = 0; i < MOST_DIGEST_BYTES; i++)
        chain[0][i] = chain[1][i] = data[i];
    subject = assay_hash_subject();
    if (region.base == NULL && !hal_map(&region, subject->context_bytes))
        return STATUS_NO_MEMORY;
    return guarded(start, NULL);
}

static void run(const void *argument)
{
    const struct batch *b = argument;
    uint32_t i;

    if (b->test == TEST_LONG) {
        for (i = 0; i < b->calls; i++)
            subject->update(region.base, data, b->length);
        return;
    }
    for (i = turn; i != turn + b->calls; i++) {
        subject->init(region.base, out_bits);
        subject->update(region.base, chain[i & 1], b->length);
        subject->close(region.base, 0, 0, chain[~i & 1]);
    }
    turn = i;
}

static int take_batch(struct batch *b)
{
    b->test = take_u8();
    b->length = take_u32();
    b->calls = 1;
    return subject != NULL && b->test < TEST_COUNT &&
           b->length <= (b->test == TEST_LONG ? LONG_BYTES : MOST_DIGEST_BYTES);
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
    open_again(&c->batch);
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
    enum status status;
    uint32_t contexts;

    if (!take_batch(&b))
        return STATUS_BAD_REQUEST;
    contexts = take_u32();
    b.calls = take_u32();
    if (contexts != 1 || b.calls == 0)
        return STATUS_BAD_REQUEST;
    status = timing_series(run, open_again, &b);
    if (status != STATUS_OK)
        return status;
    if (b.test == TEST_SHORT)
        give_bytes(chain[~turn & 1], b.length);
    give_bytes(b.test == TEST_SHORT ? chain[turn & 1] : digest, out_bits / 8);
    return STATUS_OK;
}

const struct kind_timing assay_timing = {answer_setup, answer_calibrate, answer_time};
