/* SPDX-License-Identifier: MIT */
/* What the files share that time a stream cipher: the pool of a series, and its calls. */
#ifndef ASSAY_AGENT_STREAM_SERIES_H
#define ASSAY_AGENT_STREAM_SERIES_H

#include "stream.h"

#include <stddef.h>

#define POOL 100 /* keys, IVs and contexts */
#define MOST_SIZE_BYTES 1024
#define SEED_BYTES 8u
#define MOST_CHOSEN 32u
#define LARGEST_PACKET 1500u

enum test {
    TEST_STREAM,
    TEST_PACKET,
    TEST_KEYSETUP,
    TEST_IVSETUP,
    TEST_AGILITY,
    TEST_ONE_TEXT, /* an IV setup and a text; two texts; a key setup, an IV setup and a text */
    TEST_TWO_TEXTS,
    TEST_NEW_KEY,
    TEST_COUNT
};

struct stream_sizes {
    uint32_t key_bits, iv_bits, mac_bits;
};

struct stream_batch {
    uint32_t test, length, keys, per_key;
};

/* --- stream_pool.c */

extern struct stream_pool {
    const struct assay_stream_subject *subject;
    struct stream_sizes sizes;
    uint8_t keys[POOL][MOST_SIZE_BYTES], ivs[POOL][MOST_SIZE_BYTES];
    uint8_t mac[MOST_SIZE_BYTES];
    uint8_t *contexts, *many; /* POOL contexts; those of the agility test */
    uint8_t *text[2];
    uint32_t *order, many_count, next, stride;
    uint32_t fast_blocks, small_blocks, short_bytes, longest;
    uint32_t first_blocks, first_bytes; /* of the text behind a setup */
    uint32_t turn; /* calls since the setup */
    uint64_t random_state, secret;
} stream_pool;
#define pool stream_pool

#define STREAM_STEP 0x9e3779b97f4a7c15u

static inline uint64_t stream_mixed(uint64_t z) /* splitmix64 (Steele, Lea, Flood 2014) */
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void stream_random_fill(uint8_t *to, size_t length);
void stream_short_text(void *ctx);
enum status stream_set_up(const struct assay_stream_subject *with); /* takes the request */
enum status stream_renew_ivs(void);                                 /* takes a seed */

static inline void *stream_context(uint32_t i)
{
    return pool.contexts + (size_t)(i % POOL) * pool.stride;
}

/* --- stream_end.c: what a series came to */

/* The calls that the bench chose, of a series: what the first of them was given and wrote, or the
 * contexts that they left behind, and what the first of these encrypts next. */
extern struct stream_chosen {
    uint32_t turns[MOST_CHOSEN + 1], count, next;
    uint8_t *in, *out, *contexts;
    uint8_t key[MOST_SIZE_BYTES], iv[MOST_SIZE_BYTES], mac[MOST_SIZE_BYTES];
    int is_next; /* what is encrypted next is told */
} stream_chosen;

extern const uint8_t stream_no_iv[MOST_SIZE_BYTES]; /* for contexts that have only a key */

int stream_take_chosen(void);
void stream_note_output(uint32_t key, uint32_t iv, uint32_t length);
void stream_note_context(const void *ctx, const uint8_t *key, const uint8_t *iv);
void stream_note_keys(const uint8_t *key, const uint8_t *iv);
void stream_use_contexts(void *batch);
void stream_give_end(const struct stream_batch *b);

static inline int stream_is_chosen(void)
{
    return stream_pool.turn == stream_chosen.turns[stream_chosen.next];
}

#endif
