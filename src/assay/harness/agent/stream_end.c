/* SPDX-License-Identifier: MIT */
/*
 * What a timed series of a stream cipher came to: the texts, what its contexts encrypt next, and
 * the calls that the bench chose. Nobody knows which these are while they are timed.
 */
#include "stream_series.h"

#include <string.h>

#define NEVER UINT32_MAX

struct stream_chosen stream_chosen;
const uint8_t stream_no_iv[MOST_SIZE_BYTES];
static uint8_t macs[MOST_SIZE_BYTES]; /* all of them folded */

int stream_take_chosen(void)
{
    uint32_t i, count = take_u8();

    if (count > MOST_CHOSEN)
        return 0;
    for (i = 0; i < count; i++)
        stream_chosen.turns[i] = take_u32();
    stream_chosen.turns[count] = NEVER;
    stream_chosen.count = count;
    stream_chosen.next = 0;
    memset(macs, 0, sizeof macs);
    return 1;
}

void stream_note_keys(const uint8_t *key, const uint8_t *iv)
{
    memcpy(stream_chosen.key, key, sizeof stream_chosen.key);
    memcpy(stream_chosen.iv, iv, sizeof stream_chosen.iv);
}

static void note_texts(uint32_t length)
{
    memcpy(stream_chosen.in, pool.text[pool.turn & 1], length);
    memcpy(stream_chosen.out, pool.text[~pool.turn & 1], length);
}

void stream_note_output(uint32_t key, uint32_t iv, uint32_t length)
{
    stream_note_keys(pool.keys[key % POOL], pool.ivs[iv % POOL]);
    note_texts(length);
    memcpy(stream_chosen.mac, pool.mac, sizeof pool.mac);
    stream_chosen.next++;
}

void stream_note_context(const void *ctx, const uint8_t *key, const uint8_t *iv)
{
    if (stream_chosen.next == 0)
        stream_note_keys(key, iv);
    memcpy(stream_chosen.contexts + (size_t)stream_chosen.next++ * pool.stride, ctx,
           pool.subject->context_bytes);
}

static void fold_mac(void)
{
    uint32_t i;

    for (i = 0; i < sizeof macs; i++)
        macs[i] = (uint8_t)(5 * macs[i] + pool.mac[i]);
}

static void encrypt_next(void *ctx)
{
    stream_short_text(ctx);
    if (stream_chosen.is_next)
        note_texts(pool.short_bytes);
    pool.turn++;
    if (pool.subject->finalize) {
        pool.subject->finalize(ctx, pool.mac);
        fold_mac();
    }
    if (stream_chosen.is_next)
        memcpy(stream_chosen.mac, pool.mac, sizeof pool.mac);
    stream_chosen.is_next = 0;
}

/* Keys and IVs are gone: a context has to have taken what it needs of them. */
static void use_chosen_contexts(uint32_t test)
{
    uint8_t *ctx = stream_chosen.contexts;
    uint32_t i;

    memset(test == TEST_KEYSETUP ? pool.keys[0] : pool.ivs[0], 0, sizeof pool.keys);
    for (i = 0; i < stream_chosen.next; i++, ctx += pool.stride) {
        if (test == TEST_KEYSETUP)
            pool.subject->ivsetup(ctx, stream_no_iv);
        encrypt_next(ctx);
    }
}

static void use_all_contexts(uint32_t count)
{
    uint32_t i;

    for (i = 0; i < count; i++)
        encrypt_next(stream_context(i));
}

/* Those that were used, as far as the bench chose them. */
static void use_many(void)
{
    uint32_t i;

    for (i = 0; i < stream_chosen.count; i++)
        if (stream_chosen.turns[i] < pool.turn)
            encrypt_next(pool.many + pool.order[stream_chosen.turns[i] % pool.many_count] *
                                         (size_t)pool.subject->context_bytes);
}

void stream_use_contexts(void *argument)
{
    const struct stream_batch *b = argument;

    stream_chosen.is_next =
        b->test == TEST_KEYSETUP || b->test == TEST_IVSETUP || b->test == TEST_AGILITY;
    switch (b->test) {
    case TEST_STREAM: use_all_contexts(b->keys < POOL ? b->keys : POOL); break;
    case TEST_KEYSETUP:
    case TEST_IVSETUP: use_chosen_contexts(b->test); break;
    case TEST_AGILITY: use_many(); break;
    }
}

static void give_part(const uint8_t *from, uint32_t length)
{
    give_u32(length);
    give_bytes(from, length);
}

/* The first chosen call, or what its context encrypted next: key, IV, input and output, for the
 * bench to judge. */
static void give_chosen(uint32_t length)
{
    give_part(stream_chosen.key, (pool.sizes.key_bits + 7) / 8);
    give_part(stream_chosen.iv, (pool.sizes.iv_bits + 7) / 8);
    give_part(stream_chosen.in, length);
    give_part(stream_chosen.out, length);
    give_part(stream_chosen.mac, (pool.sizes.mac_bits + 7) / 8);
}

void stream_give_end(const struct stream_batch *b)
{
    uint32_t length = b->test == TEST_PACKET   ? b->length
                      : b->test == TEST_STREAM ? pool.fast_blocks * pool.subject->block_bytes
                      : b->test > TEST_AGILITY ? pool.first_bytes
                                               : pool.short_bytes;

    give_chosen(length);
    give_part(pool.text[0], length);
    give_part(pool.text[1], length);
    give_part(macs, (pool.sizes.mac_bits + 7) / 8);
}
