/* SPDX-License-Identifier: MIT */
/*
 * The kind `stream`: the four measures of the eSTREAM framework.
 *
 * 100 keys, IVs and contexts of random content; test i takes one of two text
 * buffers as input and the other as output. One timing covers a whole batch
 * of tests; batches are counted so that one lasts the window asked for.
 *
 * All of it follows from the setup. What a series comes to is told afterwards, and an agent
 * that is not timed repeats it: the texts, what contexts encrypt next, and the calls that
 * the bench chose. Nobody knows which these are while they are timed.
 */
#include "stream_series.h"

#include "kind.h"

#include <string.h>


static struct stream_batch timed_last;

/* A seed alone is that of the IVs, once the keys are set up. */
static enum status answer_setup(void)
{
    if (take_left() == SEED_BYTES)
        return stream_renew_ivs();
    return stream_set_up(assay_stream_subject());
}

static void batch_stream(const struct stream_batch *b)
{
    assay_crypt_fn *encrypt = pool.subject->crypt_blocks[0];
    uint32_t k, j;

    for (k = 0; k < b->keys; k++)
        for (j = 0; j < b->per_key; j++, pool.turn++) {
            encrypt(stream_context(k), pool.text[pool.turn & 1], pool.text[~pool.turn & 1],
                    pool.fast_blocks);
            if (stream_is_chosen())
                stream_note_output(k, k, pool.fast_blocks * pool.subject->block_bytes);
        }
}

/* No key gets an IV twice, and none is known before the packet before has ended. */
static inline void chain_iv(uint8_t *iv, const uint8_t *end)
{
    uint64_t word, last;

    memcpy(&word, iv, sizeof word);
    memcpy(&last, end - sizeof last, sizeof last);
    word ^= last;
    memcpy(iv, &word, sizeof word);
}

static void batch_packet(const struct stream_batch *b)
{
    assay_packet_fn *encrypt = pool.subject->crypt_packet[0];
    uint32_t k, j;

    for (k = 0; k < b->keys; k++)
        for (j = 0; j < b->per_key; j++, pool.turn++) {
            chain_iv(pool.ivs[j % POOL], pool.text[pool.turn & 1] + b->length);
            encrypt(stream_context(k), pool.ivs[j % POOL], NULL, 0, pool.text[pool.turn & 1],
                    pool.text[~pool.turn & 1], b->length, pool.mac);
            if (stream_is_chosen())
                stream_note_output(k, j, b->length);
        }
}

/* A key or an IV that nothing before it tells: only `secret` and the number of the call do. */
static inline void renew(uint8_t *bytes)
{
    uint64_t word = stream_mixed(pool.secret + pool.turn * STREAM_STEP);

    memcpy(bytes, &word, sizeof word);
}

static inline void one_keysetup(uint32_t k)
{
    renew(pool.keys[k % POOL]);
    pool.subject->keysetup(pool.contexts, pool.keys[k % POOL], pool.sizes.key_bits,
                           pool.sizes.iv_bits, pool.sizes.mac_bits);
    if (stream_is_chosen())
        stream_note_context(pool.contexts, pool.keys[k % POOL], stream_no_iv);
}

static inline void one_ivsetup(uint32_t k, uint32_t j)
{
    renew(pool.ivs[j % POOL]);
    pool.subject->ivsetup(stream_context(k), pool.ivs[j % POOL]);
    if (stream_is_chosen())
        stream_note_context(stream_context(k), pool.keys[k % POOL], pool.ivs[j % POOL]);
    if (pool.subject->finalize)
        pool.subject->finalize(stream_context(k), pool.mac);
}

static void batch_keysetup(const struct stream_batch *b)
{
    uint32_t k, j;

    for (j = 0; j < b->per_key; j++)
        for (k = 0; k < b->keys; k++, pool.turn++)
            one_keysetup(k);
}

static void batch_ivsetup(const struct stream_batch *b)
{
    uint32_t k, j;

    for (j = 0; j < b->per_key; j++)
        for (k = 0; k < b->keys; k++, pool.turn++)
            one_ivsetup(k, j);
}

static void batch_agility(const struct stream_batch *b)
{
    size_t size = pool.subject->context_bytes;
    uint32_t tests = b->keys * b->per_key, i;

    for (i = 0; i < tests; i++, pool.turn++) {
        stream_short_text(pool.many + pool.order[pool.next] * size);
        pool.next = pool.next + 1 == pool.many_count ? 0 : pool.next + 1;
    }
}

/* --- a setup with what follows it: whatever a setup leaves to the texts is in there */

static void first_text(void *ctx, unsigned from)
{
    const uint8_t *in = pool.text[from];
    uint8_t *out = pool.text[from ^ 1];

    if (pool.subject->block_bytes > pool.first_bytes && pool.first_blocks == 1)
        pool.subject->crypt_bytes[0](ctx, in, out, pool.first_bytes);
    else
        pool.subject->crypt_blocks[0](ctx, in, out, pool.first_blocks);
}

/* Key and IV follow from the text before, so that nothing can be made before it is. */
static void set_up_and_encrypt(uint32_t test, uint32_t k, uint32_t j)
{
    unsigned from = pool.turn & 1;
    const uint8_t *end = pool.text[from] + pool.first_bytes;
    uint8_t *key = pool.keys[k % POOL], *iv = pool.ivs[j % POOL];
    void *ctx = stream_context(k);

    chain_iv(iv, end);
    if (test == TEST_NEW_KEY) {
        chain_iv(key, end);
        pool.subject->keysetup(ctx, key, pool.sizes.key_bits, pool.sizes.iv_bits,
                               pool.sizes.mac_bits);
    }
    pool.subject->ivsetup(ctx, iv);
    first_text(ctx, from);
    if (stream_is_chosen())
        stream_note_output(k, j, pool.first_bytes);
    if (test == TEST_TWO_TEXTS) {
        first_text(ctx, from ^ 1);
        chain_iv(iv, pool.text[from] + pool.first_bytes);
    }
    if (pool.subject->finalize)
        pool.subject->finalize(ctx, pool.mac);
}

static void batch_first_texts(const struct stream_batch *b)
{
    uint32_t k, j;

    for (j = 0; j < b->per_key; j++)
        for (k = 0; k < b->keys; k++, pool.turn++)
            set_up_and_encrypt(b->test, k, j);
}

static void run(const void *argument)
{
    const struct stream_batch *b = argument;

    switch (b->test) {
    case TEST_STREAM: batch_stream(b); break;
    case TEST_PACKET: batch_packet(b); break;
    case TEST_KEYSETUP: batch_keysetup(b); break;
    case TEST_IVSETUP: batch_ivsetup(b); break;
    case TEST_AGILITY: batch_agility(b); break;
    default: batch_first_texts(b);
    }
}

/* An authenticating cipher may refuse ivsetup before finalize. */
static void close_streams(const void *argument)
{
    const struct stream_batch *b = argument;
    uint32_t k;

    if (pool.subject->finalize && (b->test == TEST_STREAM))
        for (k = 0; k < POOL; k++)
            pool.subject->finalize(stream_context(k), pool.mac);
}

static int take_batch(struct stream_batch *b)
{
    b->test = take_u8();
    b->length = take_u32();
    return pool.contexts != NULL && b->test < TEST_COUNT && b->length <= LARGEST_PACKET &&
           (b->test != TEST_AGILITY || pool.many != NULL);
}

static uint64_t timed(const struct stream_batch *b)
{
    uint64_t start = ticks_now();

    run(b);
    return ticks_now() - start;
}

struct calibration {
    struct stream_batch batch;
    uint64_t window; /* ticks that a batch shall last */
    uint32_t trials;
    uint32_t keys, per_key;
    uint64_t spent;
};

/* Steps A to C of the procedure: how many keys, and how many tests for each. */
static void calibrate(void *argument)
{
    struct calibration *c = argument;
    uint32_t most = c->batch.test == TEST_AGILITY ? pool.many_count : POOL, count;

    c->batch.keys = c->batch.per_key = 1;
    for (;;) {
        c->spent += timed(&c->batch);
        count = timing_passes(run, &c->batch, c->window, c->trials, &c->spent); /* over all keys */
        if (count < c->batch.keys * 100 || c->batch.keys * 10 > most)
            break;
        c->batch.keys *= 10;
    }
    if (count > 500)
        count = count / 100 * 100;
    if (count > 50)
        count = count / 10 * 10;
    c->keys = c->batch.keys;
    c->per_key = count ? count : 1;
    close_streams(&c->batch);
}

static enum status answer_calibrate(void)
{
    struct calibration c;
    enum status status;

    memset(&c, 0, sizeof c);
    if (!take_batch(&c.batch))
        return STATUS_BAD_REQUEST;
    c.window = take_u64();
    c.trials = take_u32();
    if (frame_bad() || c.trials == 0)
        return STATUS_BAD_REQUEST;
    status = guarded(calibrate, &c);
    if (status == STATUS_OK) {
        give_u32(c.keys);
        give_u32(c.per_key);
        give_u64(c.spent);
    }
    return status;
}

static int take_calls(struct stream_batch *b)
{
    if (!take_batch(b))
        return 0;
    b->keys = take_u32();
    b->per_key = take_u32();
    return b->keys != 0 && b->per_key != 0;
}

static void nothing(const void *unused) { (void)unused; }

/* Step D. */
static enum status answer_time(void)
{
    if (!take_calls(&timed_last))
        return STATUS_BAD_REQUEST;
    return timing_series(nothing, run, nothing, &timed_last);
}

/* Of setups those that were chosen: no other leaves anything behind. */
static void repeat_batch(const struct stream_batch *b)
{
    uint32_t begin = pool.turn, tests = b->keys * b->per_key, at;

    if (b->test != TEST_KEYSETUP && b->test != TEST_IVSETUP) {
        run(b);
        return;
    }
    for (; (at = stream_chosen.turns[stream_chosen.next] - begin) < tests;) {
        pool.turn = begin + at;
        if (b->test == TEST_KEYSETUP)
            one_keysetup(at % b->keys);
        else
            one_ivsetup(at % b->keys, at / b->keys);
    }
    pool.turn = begin + tests;
}

static enum status repeat(void)
{
    struct stream_batch b;
    enum status status = stream_set_up(stream_by_calls());
    uint32_t samples, i;

    if (status == STATUS_OK)
        status = stream_renew_ivs();
    if (status != STATUS_OK || !take_calls(&b))
        return status != STATUS_OK ? status : STATUS_BAD_REQUEST;
    samples = take_u32();
    if (frame_bad())
        return STATUS_BAD_REQUEST;
    for (i = 0; i <= samples; i++)
        repeat_batch(&b);
    stream_use_contexts(&b);
    status = stream_calls_status();
    if (status == STATUS_OK)
        stream_give_end(&b);
    return status;
}

/* With a series it is repeated; without one, the end of that which was timed is told. */
static enum status answer_repeat(void)
{
    enum status status;

    if (take_left())
        return repeat();
    if (timed_last.keys == 0)
        return STATUS_BAD_REQUEST;
    status = guarded(stream_use_contexts, &timed_last);
    if (status == STATUS_OK)
        stream_give_end(&timed_last);
    timed_last.keys = 0;
    return status;
}

const struct kind_timing assay_timing = {answer_setup, answer_calibrate, answer_time,
                                         answer_repeat};
