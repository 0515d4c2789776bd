/* SPDX-License-Identifier: MIT */
/*
 * The kind `hash`: two measures. A long message is one context that takes a
 * buffer again and again, of which a byte in each line changes in between, so that
 * nothing computed from a block alone can be kept; a short one is a whole hash of a
 * few bytes, whose digest goes into the message of the next one.
 *
 * All of it follows from the setup. With the ticks the agent tells the digest of the long
 * message, or that of the last short one, and the short message that the bench chose, with
 * its digest. An agent that is not timed repeats them.
 */
#include "kind.h"

#include "../hal/hal.h"
#include "../subject/hash.h"

#include <stddef.h>
#include <string.h>

#define LONG_BYTES 8192u
#define MOST_DIGEST_BYTES 128u
#define LINE_BYTES 64u
#define LINES 64u /* at which the context may begin */

enum test { TEST_LONG, TEST_SHORT, TEST_COUNT };
enum function { FUNCTION_INIT, FUNCTION_UPDATE, FUNCTION_CLOSE };

static const struct assay_hash_subject *subject;
static struct hal_region region; /* the context, with nothing beside it */
static uint8_t *context;         /* at another place in every series */
static uint8_t data[LONG_BYTES], digest[MOST_DIGEST_BYTES];
static uint8_t chain[2][MOST_DIGEST_BYTES];  /* short messages: each gives the other one */
static uint8_t chosen[2][MOST_DIGEST_BYTES]; /* one short message, and its digest */
static uint32_t turn;                        /* short messages since the setup */
static uint32_t pieces;                      /* of the long message, since the setup */
static uint64_t changes;                     /* what the changes of its bytes follow from */
static uint32_t chosen_at;                   /* the turn of the chosen one */
static uint64_t state;
static uint32_t out_bits;

struct batch {
    uint32_t test, length, calls;
};

static uint32_t random_below(uint32_t bound) /* Knuth's MMIX generator: any numbers will do */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 32) * bound >> 32);
}

static void start(void *unused)
{
    (void)unused;
    subject->init(context, out_bits);
}

/* A short message closes the context, and a long one wants it open. */
static void open_again(const void *argument)
{
    const struct batch *b = argument;

    if (b->test == TEST_LONG)
        subject->close(context, 0, 0, digest);
    start(NULL);
}

static enum status take_setup(void)
{
    uint32_t i;

    out_bits = take_u32();
    state = take_u64();
    chosen_at = take_u32();
    if (frame_bad() || out_bits > 8 * MOST_DIGEST_BYTES)
        return STATUS_BAD_REQUEST;
    for (i = 0; i < LONG_BYTES; i++)
        data[i] = (uint8_t)random_below(256);
    changes = state;
    pieces = 0;
    memcpy(chain[0], data, MOST_DIGEST_BYTES);
    memcpy(chain[1], data, MOST_DIGEST_BYTES);
    turn = 0;
    if (region.base == NULL &&
        !hal_map(&region, (size_t)assay_hash_subject()->context_bytes + LINES * LINE_BYTES))
        return STATUS_NO_MEMORY;
    context = region.base + (size_t)random_below(LINES) * LINE_BYTES;
    return STATUS_OK;
}

static enum status answer_setup(void)
{
    enum status status = take_setup();

    subject = assay_hash_subject();
    return status == STATUS_OK ? guarded(start, NULL) : status;
}

static void short_messages(uint32_t end, uint32_t length)
{
    uint32_t i;

    for (i = turn; i != end; i++) {
        subject->init(context, out_bits);
        subject->update(context, chain[i & 1], length);
        subject->close(context, 0, 0, chain[~i & 1]);
    }
    turn = i;
}

static void run_short(uint32_t end, uint32_t length)
{
    if (chosen_at - turn < end - turn) {
        short_messages(chosen_at, length);
        memcpy(chosen[0], chain[chosen_at & 1], MOST_DIGEST_BYTES);
        short_messages(chosen_at + 1, length);
        memcpy(chosen[1], chain[turn & 1], MOST_DIGEST_BYTES);
    }
    short_messages(end, length);
}

/* By another number for each piece: the upper byte of splitmix64 (Steele, Lea, Flood 2014). The
 * bench computes the same (measure/hash/message.py). */
static uint8_t next_change(void)
{
    uint64_t z = changes + ++pieces * 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint8_t)((z ^ z >> 31) >> 56 | 1);
}

static void change_lines(uint32_t length)
{
    uint8_t change = next_change(), *p = data + pieces % LINE_BYTES;
    const uint8_t *end = data + length;

    for (; p < end; p += LINE_BYTES)
        *p = (uint8_t)(*p + change);
}

static void long_message(const struct batch *b)
{
    uint32_t i;

    for (i = 0; i < b->calls; i++) {
        change_lines(b->length);
        subject->update(context, data, b->length);
    }
}

static void run(const void *argument)
{
    const struct batch *b = argument;

    if (b->test == TEST_SHORT)
        run_short(turn + b->calls, b->length);
    else
        long_message(b);
}

static void nothing(const void *unused) { (void)unused; }

static int take_batch(struct batch *b)
{
    b->test = take_u8();
    b->length = take_u32();
    b->calls = 1;
    return context != NULL && b->test < TEST_COUNT &&
           b->length <= (b->test == TEST_LONG ? LONG_BYTES : MOST_DIGEST_BYTES);
}

static int take_calls(struct batch *b)
{
    uint32_t contexts;

    if (!take_batch(b))
        return 0;
    contexts = take_u32();
    b->calls = take_u32();
    return contexts == 1 && b->calls != 0;
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

static void give_end(const struct batch *b)
{
    if (b->test == TEST_SHORT) {
        give_bytes(chosen[0], b->length);
        give_bytes(chosen[1], out_bits / 8);
    }
    give_bytes(b->test == TEST_SHORT ? chain[turn & 1] : digest, out_bits / 8);
}

static enum status answer_time(void)
{
    struct batch b;
    enum status status;

    if (!take_calls(&b))
        return STATUS_BAD_REQUEST;
    status = timing_series(nothing, run, open_again, &b);
    if (status == STATUS_OK)
        give_end(&b);
    return status;
}

/* --- the same, by calls as any other request makes them */

static enum status repeated;

static void call(enum function function, uint8_t *p, uint32_t m, uint32_t n)
{
    struct call c = {function, p ? 2 : 1, 2, {context, p}, {m, n}};

    if (repeated == STATUS_OK)
        repeated = assay_kind.call(&c);
}

static void call_init(void *ctx, uint32_t bits)
{
    (void)ctx;
    call(FUNCTION_INIT, NULL, bits, 0);
}

static void call_update(void *ctx, const uint8_t *from, size_t length)
{
    (void)ctx;
    call(FUNCTION_UPDATE, (uint8_t *)(uintptr_t)from, (uint32_t)length, 0);
}

static void call_close(void *ctx, uint32_t ub, uint32_t n, uint8_t *to)
{
    (void)ctx;
    call(FUNCTION_CLOSE, to, ub, n);
}

static enum status answer_repeat(void)
{
    static const struct assay_hash_subject by_calls = {
        .init = call_init, .update = call_update, .close = call_close};
    struct batch b;
    uint32_t samples, i;

    repeated = take_setup();
    if (repeated != STATUS_OK)
        return repeated;
    if (!take_calls(&b))
        return STATUS_BAD_REQUEST;
    samples = take_u32();
    if (frame_bad())
        return STATUS_BAD_REQUEST;
    subject = &by_calls;
    start(NULL);
    for (i = 0; i <= samples && repeated == STATUS_OK; i++)
        run(&b);
    open_again(&b);
    if (repeated == STATUS_OK)
        give_end(&b);
    return repeated;
}

const struct kind_timing assay_timing = {answer_setup, answer_calibrate, answer_time,
                                         answer_repeat};
