/* SPDX-License-Identifier: MIT */
/*
 * Keys, IVs, contexts and texts of a timed series of a stream cipher. All of them follow from
 * the setup, so that an agent that is not timed can repeat the series.
 */
#include "stream_series.h"

#include "kind.h"

#include <stdlib.h>
#include <string.h>

#define AGILITY_BYTES 0x1000000u
#define SHORT_BYTES 256u
#define FIRST_BYTES 64u
#define ALIGNMENT 64u
#define MOST_DOUBLED 32u

struct stream_pool stream_pool;

static uint64_t random_next(void)
{
    return stream_mixed(pool.random_state += STREAM_STEP);
}

void stream_random_fill(uint8_t *to, size_t length)
{
    uint64_t word;
    size_t part;

    for (; length; to += part, length -= part) {
        word = random_next();
        part = length < sizeof word ? length : sizeof word;
        memcpy(to, &word, part);
    }
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
    uint32_t block = pool.subject->block_bytes;

    if (pool.contexts)
        return 1;
    pool.stride = (pool.subject->context_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pool.fast_blocks = (pool.subject->buffer_bytes + block - 1) / block;
    pool.small_blocks = (SHORT_BYTES + block - 1) / block;
    pool.short_bytes = block > SHORT_BYTES ? SHORT_BYTES : pool.small_blocks * block;
    pool.first_blocks = (FIRST_BYTES + block - 1) / block;
    pool.first_bytes = block > SHORT_BYTES ? FIRST_BYTES : pool.first_blocks * block;
    pool.longest = pool.fast_blocks * block;
    pool.longest = pool.longest > pool.short_bytes ? pool.longest : pool.short_bytes;
    pool.longest = pool.longest > LARGEST_PACKET ? pool.longest : LARGEST_PACKET;
    pool.many_count =
        AGILITY_BYTES / (pool.subject->context_bytes ? pool.subject->context_bytes : 1);
    pool.many_count = pool.many_count < POOL ? POOL : pool.many_count;
    pool.text[0] = claim(pool.longest);
    pool.text[1] = claim(pool.longest);
    pool.order = malloc(pool.many_count * sizeof *pool.order);
    stream_chosen.in = claim(pool.longest);
    stream_chosen.out = claim(pool.longest);
    stream_chosen.contexts = claim((size_t)MOST_CHOSEN * pool.stride);
    if (pool.text[0] && pool.text[1] && pool.order && stream_chosen.in && stream_chosen.out &&
        stream_chosen.contexts)
        pool.contexts = claim((size_t)POOL * pool.stride);
    return pool.contexts != NULL;
}

static void setup_pool(void *argument)
{
    const struct stream_sizes *s = argument;
    uint32_t i;

    for (i = 0; i < POOL; i++) { /* no more than is used: the bench accounts for its time */
        stream_random_fill(pool.keys[i], (s->key_bits + 7) / 8);
        stream_random_fill(pool.ivs[i], (s->iv_bits + 7) / 8);
    }
    stream_random_fill(pool.text[0], pool.longest);
    memset(pool.text[1], 0, pool.longest);
    memset(pool.mac, 0, sizeof pool.mac);
    pool.turn = 0;
    pool.secret = random_next();
    for (i = 0; i < POOL; i++) {
        pool.subject->keysetup(stream_context(i), pool.keys[i], s->key_bits, s->iv_bits,
                               s->mac_bits);
        pool.subject->ivsetup(stream_context(i), pool.ivs[i]);
    }
}

/* Key setups may leave work to the first IV, so that one is set up before. What was made ahead for
 * that one is of no use for these, which nobody knew then. */
static void set_up_ivs(void *unused)
{
    uint32_t i;

    (void)unused;
    for (i = 0; i < POOL; i++) {
        stream_random_fill(pool.ivs[i], (pool.sizes.iv_bits + 7) / 8);
        if (pool.subject->finalize)
            pool.subject->finalize(stream_context(i), pool.mac);
        pool.subject->ivsetup(stream_context(i), pool.ivs[i]);
    }
}

/* The same for all: a longer block does not make the text longer. */
void stream_short_text(void *ctx)
{
    const uint8_t *in = pool.text[pool.turn & 1];
    uint8_t *out = pool.text[~pool.turn & 1];

    if (pool.subject->block_bytes > SHORT_BYTES)
        pool.subject->crypt_bytes[0](ctx, in, out, SHORT_BYTES);
    else
        pool.subject->crypt_blocks[0](ctx, in, out, pool.small_blocks);
}

/* A random permutation (Fisher and Yates). */
static void shuffle(void)
{
    uint32_t i, j, swap;

    for (i = 0; i < pool.many_count; i++)
        pool.order[i] = i;
    for (i = pool.many_count - 1; i > 0; i--) {
        j = (uint32_t)((random_next() >> 32) * (i + 1) >> 32);
        swap = pool.order[i];
        pool.order[i] = pool.order[j];
        pool.order[j] = swap;
    }
}

/* So much of each context is in use, as far as caches are concerned: of huge ones not all. */
static size_t passed_bytes(void)
{
    size_t most = 2 * AGILITY_BYTES / pool.many_count;

    return pool.subject->context_bytes < most ? pool.subject->context_bytes : most;
}

/* Written once: memory that nobody has written is one page of zeros, whatever is read of it. */
static int claim_many(void)
{
    size_t size = pool.subject->context_bytes;
    uint32_t i;

    if (pool.many)
        return 1;
    pool.many = claim((size_t)pool.many_count * size);
    for (i = 0; pool.many && i < pool.many_count; i++)
        memset(pool.many + i * size, 0x5a, passed_bytes());
    return pool.many != NULL;
}

/* Contexts of which little is used lie in the caches when they have been set up. Now what lies
 * there is all of those that come last. */
static void pass_over_many(void)
{
    size_t size = pool.subject->context_bytes, length = passed_bytes(), at;
    const volatile uint8_t *ctx;
    uint32_t i;

    for (i = 0; i < pool.many_count; i++)
        for (ctx = pool.many + pool.order[i] * size, at = 0; at < length; at += ALIGNMENT)
            (void)ctx[at];
}

/* The contexts of the agility test lie packed, as an array of ECRYPT_ctx does. Those that are used
 * have IVs of their own: keystream that is kept for one is of no use for another. */
static void setup_many(void *argument)
{
    size_t size = pool.subject->context_bytes;
    uint32_t own = *(const uint32_t *)argument, i;
    uint8_t iv[MOST_SIZE_BYTES] = {0}, *ctx;

    shuffle();
    for (i = 0; i < pool.many_count; i++) {
        ctx = pool.many + pool.order[i] * size;
        if (i >= own) {
            memcpy(ctx, stream_context(i), size);
            continue;
        }
        stream_random_fill(iv, (pool.sizes.iv_bits + 7) / 8);
        if (stream_chosen.count && i == stream_chosen.turns[0] % pool.many_count)
            stream_note_keys(pool.keys[i % POOL], iv);
        pool.subject->keysetup(ctx, pool.keys[i % POOL], pool.sizes.key_bits, pool.sizes.iv_bits,
                               pool.sizes.mac_bits);
        pool.subject->ivsetup(ctx, iv);
    }
    pass_over_many();
    pool.next = 0;
}

/* What calls submitted code, in an agent that times it; else each call is guarded. */
static enum status set_up(void (*work)(void *), void *argument)
{
    if (pool.subject == assay_stream_subject())
        return guarded(work, argument);
    work(argument);
    return STATUS_OK;
}

enum status stream_set_up(const struct assay_stream_subject *with)
{
    uint8_t agility;
    uint32_t own;
    enum status status;

    pool.sizes.key_bits = take_u32();
    pool.sizes.iv_bits = take_u32();
    pool.sizes.mac_bits = take_u32();
    pool.random_state = take_u64();
    agility = take_u8();
    pool.subject = with;
    if (!stream_take_chosen() || frame_bad() || agility > MOST_DOUBLED ||
        pool.sizes.key_bits > MOST_SIZE_BYTES * 8 ||
        pool.sizes.iv_bits > MOST_SIZE_BYTES * 8 || pool.sizes.mac_bits > MOST_SIZE_BYTES * 8 ||
        pool.subject->block_bytes == 0)
        return STATUS_BAD_REQUEST;
    if (!claim_all())
        return STATUS_NO_MEMORY;
    status = set_up(setup_pool, &pool.sizes);
    if (status != STATUS_OK || agility == 0)
        return status;
    own = (uint32_t)1 << (agility - 1);
    return claim_many() ? set_up(setup_many, &own) : STATUS_NO_MEMORY;
}

enum status stream_renew_ivs(void)
{
    pool.random_state = take_u64();
    if (frame_bad() || pool.contexts == NULL)
        return STATUS_BAD_REQUEST;
    return set_up(set_up_ivs, NULL);
}
