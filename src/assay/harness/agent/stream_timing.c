/* SPDX-License-Identifier: MIT */
/*
 * The kind `stream`: the four measures of the eSTREAM framework (facts §4).
 *
 * 100 keys, IVs and contexts of random content; test i takes one of two text
 * buffers as input and the other as output. One timing covers a whole batch
 * of tests; batches are counted so that one lasts the window asked for.
 */
#include "kind.h"

#include "../hal/hal.h"
#include "../subject/stream.h"

#include <stdlib.h>
#include <string.h>

#define POOL 100            /* keys, IVs and contexts */
#define MOST_SIZE_BYTES 1024
#define AGILITY_BYTES 0x1000000u
#define AGILITY_BLOCK_BYTES 256u
#define LARGEST_PACKET 1500u
#define ALIGNMENT 64u

enum test { TEST_STREAM, TEST_PACKET, TEST_KEYSETUP, TEST_IVSETUP, TEST_AGILITY, TEST_COUNT };

struct sizes {
    uint32_t key_bits, iv_bits, mac_bits;
};

static const struct assay_stream_subject *subject;
static uint8_t keys[POOL][MOST_SIZE_BYTES], ivs[POOL][MOST_SIZE_BYTES];
static uint8_t mac[MOST_SIZE_BYTES];
static uint8_t *contexts, *many;  /* POOL contexts; AGILITY_BYTES of contexts */
static uint8_t *text[2];
static uint32_t *order, many_count, next, stride;
static uint32_t fast_blocks, small_blocks;
static uint64_t random_state;

static uint64_t random_next(void) /* splitmix64 (Steele, Lea, Flood 2014) */
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void random_fill(uint8_t *to, size_t length)
{
    while (length--)
        *to++ = (uint8_t)random_next();
}

/* Allocated once and never freed: a fault may end any setup half-way. */
static uint8_t *claim(size_t length)
{
    uint8_t *block = malloc(length + ALIGNMENT + 8192);

    if (block)
        block += (ALIGNMENT - (uintptr_t)block % ALIGNMENT) % ALIGNMENT;
    return block;
}

static int claim_all(void)
{
    uint32_t block = subject->block_bytes, longest;

    if (contexts)
        return 1;
    stride = (subject->context_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    fast_blocks = (subject->buffer_bytes + block - 1) / block;
    small_blocks = (AGILITY_BLOCK_BYTES + block - 1) / block;
    longest = fast_blocks > small_blocks ? fast_blocks * block : small_blocks * block;
    longest = longest > LARGEST_PACKET ? longest : LARGEST_PACKET;
    many_count = AGILITY_BYTES / (subject->context_bytes ? subject->context_bytes : 1);
    many_count = many_count < POOL ? POOL : many_count;
    text[0] = claim(longest);
    text[1] = claim(longest);
    order = malloc(many_count * sizeof *order);
    contexts = claim((size_t)POOL * stride);
    if (text[0])
        random_fill(text[0], longest);
    if (text[1])
        memset(text[1], 0, longest);
    return contexts && text[0] && text[1] && order;
}

static void *context(uint32_t i) { return contexts + (size_t)(i % POOL) * stride; }

static void setup_pool(void *argument)
{
    const struct sizes *s = argument;
    uint32_t i;

    random_fill(keys[0], sizeof keys);
    random_fill(ivs[0], sizeof ivs);
    for (i = 0; i < POOL; i++) {
        subject->keysetup(context(i), keys[i], s->key_bits, s->iv_bits, s->mac_bits);
        subject->ivsetup(context(i), ivs[i]);
    }
}

/* A random permutation (Fisher and Yates), one for the whole launch. */
static void shuffle(void)
{
    uint32_t i, j, swap;

    for (i = 0; i < many_count; i++)
        order[i] = i;
    for (i = many_count - 1; i > 0; i--) {
        j = (uint32_t)((random_next() >> 32) * (i + 1) >> 32);
        swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

/* The contexts of the agility test lie packed, as an array of ECRYPT_ctx does. */
static int setup_many(void)
{
    size_t size = subject->context_bytes;
    uint32_t i;

    if (many == NULL) {
        many = claim((size_t)many_count * size);
        if (many == NULL)
            return 0;
        shuffle();
    }
    for (i = 0; i < many_count; i++)
        memcpy(many + i * size, context(i), size);
    next = 0;
    return 1;
}

static struct sizes chosen;

static enum status answer_setup(void)
{
    uint8_t agility;
    enum status status;

    chosen.key_bits = take_u32();
    chosen.iv_bits = take_u32();
    chosen.mac_bits = take_u32();
    random_state = take_u64();
    agility = take_u8();
    subject = assay_stream_subject();
    if (frame_bad() || chosen.key_bits > MOST_SIZE_BYTES * 8 ||
        chosen.iv_bits > MOST_SIZE_BYTES * 8 || chosen.mac_bits > MOST_SIZE_BYTES * 8 ||
        subject->block_bytes == 0)
        return STATUS_BAD_REQUEST;
    if (!claim_all())
        return STATUS_NO_MEMORY;
    status = guarded(setup_pool, &chosen);
    if (status == STATUS_OK && agility && !setup_many())
        return STATUS_NO_MEMORY;
    return status;
}

struct batch {
    uint32_t test, length, keys, per_key;
};

static void batch_stream(const struct batch *b)
{
    assay_crypt_fn *encrypt = subject->crypt_blocks[0];
    uint32_t k, j, i = 0;

    for (k = 0; k < b->keys; k++)
        for (j = 0; j < b->per_key; j++, i++)
            encrypt(context(k), text[i & 1], text[~i & 1], fast_blocks);
}

static void batch_packet(const struct batch *b)
{
    assay_packet_fn *encrypt = subject->crypt_packet[0];
    uint32_t k, j, i = 0;

    for (k = 0; k < b->keys; k++)
        for (j = 0; j < b->per_key; j++, i++)
            encrypt(context(k), ivs[j % POOL], NULL, 0, text[i & 1], text[~i & 1], b->length,
                    mac);
}

static void batch_keysetup(const struct batch *b)
{
    uint32_t k, j;

    for (j = 0; j < b->per_key; j++)
        for (k = 0; k < b->keys; k++)
            subject->keysetup(contexts, keys[k % POOL], chosen.key_bits, chosen.iv_bits,
                              chosen.mac_bits);
}

static void batch_ivsetup(const struct batch *b)
{
    uint32_t k, j;

    for (j = 0; j < b->per_key; j++)
        for (k = 0; k < b->keys; k++) {
            subject->ivsetup(context(k), ivs[j % POOL]);
            if (subject->finalize)
                subject->finalize(context(k), mac);
        }
}

static void batch_agility(const struct batch *b)
{
    assay_crypt_fn *encrypt = subject->crypt_blocks[0];
    size_t size = subject->context_bytes;
    uint32_t tests = b->keys * b->per_key, i;

    for (i = 0; i < tests; i++) {
        encrypt(many + order[next] * size, text[i & 1], text[~i & 1], small_blocks);
        next = next + 1 == many_count ? 0 : next + 1;
    }
}

static void run(const void *argument)
{
    const struct batch *b = argument;

    switch (b->test) {
    case TEST_STREAM: batch_stream(b); break;
    case TEST_PACKET: batch_packet(b); break;
    case TEST_KEYSETUP: batch_keysetup(b); break;
    case TEST_IVSETUP: batch_ivsetup(b); break;
    case TEST_AGILITY: batch_agility(b); break;
    }
}

/* An authenticating cipher may refuse ivsetup before finalize. */
static void close_streams(const void *argument)
{
    const struct batch *b = argument;
    uint32_t k;

    if (subject->finalize && (b->test == TEST_STREAM))
        for (k = 0; k < POOL; k++)
            subject->finalize(context(k), mac);
}

static int take_batch(struct batch *b)
{
    b->test = take_u8();
    b->length = take_u32();
    return contexts != NULL && b->test < TEST_COUNT && b->length <= LARGEST_PACKET &&
           (b->test != TEST_AGILITY || many != NULL);
}

static uint64_t timed(const struct batch *b)
{
    uint64_t start = ticks_now();

    run(b);
    return ticks_now() - start;
}

struct calibration {
    struct batch batch;
    uint64_t window;  /* ticks that a batch shall last */
    uint32_t trials;
    uint32_t keys, per_key;
    uint64_t spent;
};

/* Steps A to C of the procedure: how many keys, and how many tests for each. */
static void calibrate(void *argument)
{
    struct calibration *c = argument;
    uint32_t most = c->batch.test == TEST_AGILITY ? many_count : POOL, count;

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

static void give_part(const uint8_t *from, uint32_t length)
{
    give_u32(length);
    give_bytes(from, length);
}

/* The last call that was timed: key, IV, input and output, for the bench to judge. */
static void give_last(const struct batch *b)
{
    uint32_t key = (b->keys - 1) % POOL, tests = b->keys * b->per_key;
    uint32_t iv = b->test == TEST_STREAM ? key : (b->per_key - 1) % POOL;
    uint32_t length = b->test == TEST_STREAM ? fast_blocks * subject->block_bytes : b->length;

    give_part(keys[key], (chosen.key_bits + 7) / 8);
    give_part(ivs[iv], (chosen.iv_bits + 7) / 8);
    give_part(text[(tests - 1) & 1], length);
    give_part(text[tests & 1], length);
}

/* Step D. */
static enum status answer_time(void)
{
    struct batch b;
    enum status status;

    if (!take_batch(&b))
        return STATUS_BAD_REQUEST;
    b.keys = take_u32();
    b.per_key = take_u32();
    if (b.keys == 0 || b.per_key == 0)
        return STATUS_BAD_REQUEST;
    status = timing_series(run, close_streams, &b);
    if (status == STATUS_OK && (b.test == TEST_STREAM || b.test == TEST_PACKET))
        give_last(&b);
    return status;
}

static enum status refuse(void) { return STATUS_BAD_REQUEST; }

const struct kind_timing assay_timing = {answer_setup, answer_calibrate, answer_time, refuse};
