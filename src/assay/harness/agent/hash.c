/* SPDX-License-Identifier: MIT */
/* The kind `hash`: how its subject is described and called. */

#include "kind.h"

#include "../hal/hal.h"
#include "../subject/hash.h"

#include <string.h>

#define MOST_DIGEST_BYTES 128
#define LINE_BYTES 64             /* of a cache, and more than any context's alignment */
#define DEFAULT_BITS 256          /* of the hash beside */
#define ENOUGH_ROUNDS 32          /* of either side, or */
#define LONGEST_BESIDE_NS 2000000000u

enum function {
    FUNCTION_INIT,
    FUNCTION_UPDATE,
    FUNCTION_CLOSE,
    FUNCTION_LONG_UPDATE,
    FUNCTION_HANDLER,
    FUNCTION_THREADS,
    FUNCTION_REFUSED,
    FUNCTION_WHOLE
};

static void describe(void)
{
    const struct assay_hash_subject *s = assay_hash_subject();

    give_text(s->api);
    give_text(s->name);
    give_u32(s->context_bytes);
    give_u32(s->context_alignment);
}

static void watched_call(const struct assay_hash_subject *s, const struct call *c)
{
    void (*function)(void) = NULL;
    uint64_t words[ABI_REGISTER_WORDS] = {(uint64_t)(uintptr_t)c->p[0],
                                          (uint64_t)(uintptr_t)c->p[1], c->n[0]};

    switch (c->function) {
    case FUNCTION_INIT: function = (void (*)(void))s->init; words[1] = abi_half(c->n[0]); break;
    case FUNCTION_UPDATE: function = (void (*)(void))s->update; break;
    case FUNCTION_CLOSE:
        function = (void (*)(void))s->close;
        words[1] = abi_half(c->n[0]);
        words[2] = abi_half(c->n[1]);
        words[3] = (uint64_t)(uintptr_t)c->p[1];
        break;
    default: return;
    }
    (void)abi_call(c->function, function, words, 0);
}

static void do_call(void *argument)
{
    struct call *c = argument;
    const struct assay_hash_subject *s = assay_hash_subject();
    uint8_t **p = c->p;
    uint32_t *n = c->n;

    if (abi_watching()) {
        watched_call(s, c);
        return;
    }
    switch (c->function) {
    case FUNCTION_INIT: s->init(p[0], n[0]); break;
    case FUNCTION_UPDATE: s->update(p[0], p[1], (size_t)n[0]); break;
    case FUNCTION_CLOSE: s->close(p[0], n[0], n[1], p[1]); break;
    default: call_nothing(p[0], p[1], n[0]); break;
    }
    CALL_RETURNS;
}

/* --- one update of more bytes than there is memory */

struct long_update {
    void *ctx;
    const uint8_t *zeros;
    uint64_t length;
};

static void do_long_update(void *argument)
{
    struct long_update *l = argument;

    assay_hash_subject()->update(l->ctx, l->zeros, (size_t)l->length);
}

static enum status long_update(struct call *c)
{
    struct long_update l = {c->p[0], NULL, (uint64_t)c->n[1] << 32 | c->n[0]};
    enum status status;

    if (l.length > SIZE_MAX)
        return STATUS_BAD_REQUEST;
    l.zeros = hal_map_zeros(l.length);
    if (l.zeros == NULL)
        return STATUS_NO_MEMORY;
    status = stack_watched(do_long_update, &l);
    hal_unmap_zeros(l.zeros, l.length);
    return status;
}

/* --- two hashes at once: the code must keep nothing outside of its contexts */

struct side {
    void *from;      /* a context that every round starts from a copy of; NULL: from `init` */
    uint32_t bits;   /* for `init` */
    const uint8_t *data;
    uint32_t length;
    uint8_t *scratch; /* the copy, and behind it the digest */
    uint8_t first[MOST_DIGEST_BYTES]; /* the digest of the first round, when all was quiet */
    volatile uint32_t rounds, wrong;
};

struct pair {
    struct side this_side, other_side;
    enum status status;
};

static void one_round(void *argument)
{
    struct side *side = argument;
    const struct assay_hash_subject *s = assay_hash_subject();
    uint8_t *digest = side->scratch + (s->context_bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;

    memset(digest, 0, MOST_DIGEST_BYTES);
    if (side->from)
        memcpy(side->scratch, side->from, (size_t)s->context_bytes);
    else
        s->init(side->scratch, side->bits);
    s->update(side->scratch, side->data, (size_t)side->length);
    s->close(side->scratch, 0, 0, digest);
    if (side->rounds++ == 0)
        memcpy(side->first, digest, MOST_DIGEST_BYTES);
    else if (memcmp(side->first, digest, MOST_DIGEST_BYTES) != 0)
        side->wrong++;
}

static void quiet_rounds(void *argument)
{
    struct pair *pair = argument;

    one_round(&pair->this_side);
    one_round(&pair->other_side);
}

static void many_rounds(void *argument)
{
    struct pair *pair = argument;
    struct side *this_side = &pair->this_side;
    uint64_t end = hal_clock_ns() + LONGEST_BESIDE_NS;

    do
        one_round(this_side);
    while ((this_side->rounds <= ENOUGH_ROUNDS || pair->other_side.rounds <= ENOUGH_ROUNDS) &&
           hal_clock_ns() < end);
    assay_hash_subject()->update(this_side->from, this_side->data, (size_t)this_side->length);
}

/* A fault must not leave the handler ticking or the thread running: it ends here. */
static void guarded_rounds(void *argument)
{
    struct pair *pair = argument;

    pair->status = guarded(many_rounds, pair);
}

static int provide_scratch(struct side *side, struct hal_region *region)
{
    size_t wanted = (size_t)assay_hash_subject()->context_bytes + LINE_BYTES + MOST_DIGEST_BYTES;

    if (region->base == NULL && !hal_map(region, wanted))
        return 0;
    side->scratch = region->base;
    return 1;
}

static enum status beside(struct call *c, enum hal_beside how)
{
    static struct pair pair;
    static struct hal_region regions[2];
    struct side *this_side = &pair.this_side, *other_side = &pair.other_side;
    enum status status;

    memset(&pair, 0, sizeof pair);
    this_side->from = c->p[0];
    this_side->data = c->p[1];
    this_side->length = c->n[0];
    other_side->data = c->p[3];
    other_side->length = c->n[1];
    other_side->bits = c->numbers > 2 ? c->n[2] : DEFAULT_BITS;
    if (c->p[0] == NULL)
        return STATUS_BAD_REQUEST;
    if (!provide_scratch(this_side, &regions[0]) || !provide_scratch(other_side, &regions[1]))
        return STATUS_NO_MEMORY;
    status = guarded(quiet_rounds, &pair);
    if (status != STATUS_OK)
        return status;
    if (!hal_beside(how, guarded_rounds, &pair, one_round, other_side))
        return STATUS_BAD_REQUEST;
    if (pair.status == STATUS_OK) {
        give_u32(this_side->rounds - 1); /* the first is what the others are compared with */
        give_u32(this_side->wrong);
        give_u32(other_side->rounds - 1);
        give_u32(other_side->wrong);
    }
    return pair.status;
}

/* --- what only some APIs have */

static void do_whole(void *argument)
{
    struct call *c = argument;

    assay_hash_subject()->hash(c->n[0], c->p[0], (uint64_t)c->n[2] << 32 | c->n[1], c->p[1]);
    CALL_RETURNS;
}

static enum status whole(struct call *c)
{
    return assay_hash_subject()->hash ? stack_watched(do_whole, c) : STATUS_BAD_REQUEST;
}

static enum status refused(void)
{
    const struct assay_hash_subject *s = assay_hash_subject();

    give_u32(s->refused ? s->refused() : 0);
    return STATUS_OK;
}

static enum status call(struct call *c)
{
    switch (c->function) {
    case FUNCTION_INIT:
    case FUNCTION_UPDATE:
    case FUNCTION_CLOSE:
    case FUNCTION_NOTHING: return stack_watched(do_call, c);
    case FUNCTION_LONG_UPDATE: return long_update(c);
    case FUNCTION_HANDLER: return beside(c, HAL_HANDLER);
    case FUNCTION_THREADS: return beside(c, HAL_THREAD);
    case FUNCTION_REFUSED: return refused();
    case FUNCTION_WHOLE: return whole(c);
    default: return STATUS_BAD_REQUEST;
    }
}

const struct kind assay_kind = {"hash", describe, call, NULL};
