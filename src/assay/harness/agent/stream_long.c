/* SPDX-License-Identifier: MIT */
/* What takes long or two threads: a stream of gigabytes, and two ciphers at once. */

#include "stream.h"

#include "../hal/hal.h"

#include <string.h>

#define LINE_BYTES 64u
#define OUT_BYTES (3 * BESIDE_BYTES) /* of encryption, decryption and keystream */
#define ENOUGH_ROUNDS 32u /* of either side, or */
#define LONGEST_BESIDE_NS 2000000000u
#define MOST_STEPS ((uint32_t)1 << 24)
#define STEP_BYTES 65536ul /* of the long stream: the beginning of each is remembered */

/* --- two ciphers at once: the code must keep nothing outside of its contexts */

struct side {
    const uint8_t *key, *iv, *in;
    const uint32_t *bits;     /* of key, IV and MAC */
    uint8_t *ctx, *out, *first; /* `first`: what came out when all was quiet */
    volatile uint32_t rounds, wrong;
};

struct pair {
    struct side sides[2];
    enum status status;
};

/* A function that keeps nothing in static memory may have a neighbour that does. */
static void one_round(void *argument)
{
    struct side *side = argument;
    const struct assay_stream_subject *s = assay_stream_subject();
    uint32_t blocks = BESIDE_BYTES / s->block_bytes;
    uint8_t *out = side->out;
    unsigned i;

    s->keysetup(side->ctx, side->key, side->bits[0], side->bits[1], side->bits[2]);
    for (i = 0; i < 2; i++, out += BESIDE_BYTES) {
        s->ivsetup(side->ctx, side->iv);
        s->crypt_bytes[i](side->ctx, side->in, out, BESIDE_BYTES - 1); /* with a rest */
        s->ivsetup(side->ctx, side->iv);
        s->crypt_blocks[i](side->ctx, side->in, out, blocks);
    }
    if (s->keystream_bytes != NULL) {
        s->ivsetup(side->ctx, side->iv);
        s->keystream_bytes(side->ctx, out, BESIDE_BYTES - 1);
    }
    if (s->keystream_blocks != NULL) {
        s->ivsetup(side->ctx, side->iv);
        s->keystream_blocks(side->ctx, out, blocks);
    }
    if (side->rounds++ == 0)
        memcpy(side->first, side->out, OUT_BYTES);
    else if (memcmp(side->first, side->out, OUT_BYTES) != 0)
        side->wrong++;
}

static void quiet_rounds(void *argument)
{
    struct pair *pair = argument;

    one_round(&pair->sides[0]);
    one_round(&pair->sides[1]);
}

static void many_rounds(void *argument)
{
    struct pair *pair = argument;
    uint64_t end = hal_clock_ns() + LONGEST_BESIDE_NS;

    do
        one_round(&pair->sides[0]);
    while ((pair->sides[0].rounds <= ENOUGH_ROUNDS || pair->sides[1].rounds <= ENOUGH_ROUNDS) &&
           hal_clock_ns() < end);
}

/* A fault must not leave the thread running: it ends here. */
static void guarded_rounds(void *argument)
{
    struct pair *pair = argument;

    pair->status = guarded(many_rounds, pair);
}

static int provide(struct side *side, struct hal_region *region)
{
    uint32_t context = assay_stream_subject()->context_bytes;
    uint32_t room = (context + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;

    if (region->base == NULL && !hal_map(region, (size_t)room + 2 * OUT_BYTES))
        return 0;
    side->ctx = region->base;
    side->out = region->base + room;
    side->first = side->out + OUT_BYTES;
    return 1;
}

enum status stream_threads(struct call *c)
{
    static struct pair pair;
    static struct hal_region regions[2];
    enum status status;
    unsigned i;

    memset(&pair, 0, sizeof pair);
    for (i = 0; i < 2; i++) {
        struct side *side = &pair.sides[i];

        side->key = c->p[i];
        side->iv = c->p[2 + i];
        side->in = c->p[4 + i];
        side->bits = c->n;
        if (side->key == NULL || side->in == NULL)
            return STATUS_BAD_REQUEST;
        if (!provide(side, &regions[i]))
            return STATUS_NO_MEMORY;
    }
    status = c->n[3] ? STATUS_OK : guarded(quiet_rounds, &pair);
    if (status != STATUS_OK)
        return status;
    if (!hal_beside(HAL_THREAD, guarded_rounds, &pair, one_round, &pair.sides[1]))
        return STATUS_BAD_REQUEST;
    for (i = 0; pair.status == STATUS_OK && i < 2; i++) {
        give_u32(pair.sides[i].rounds - 1); /* the first is what the others are compared with */
        give_u32(pair.sides[i].wrong);
    }
    return pair.status;
}

/* --- a stream of gigabytes */

struct long_run {
    uint8_t *ctx, *out;
    uint64_t steps, done, end_ns, slots;
    uint64_t *begins; /* the first bytes of every step */
    uint64_t *table;  /* of `slots`: 1 + number of the step that begins so, 0 where empty */
    uint64_t first;   /* the step that the last one repeats */
    int repeats;
};

/* Whether a step begins like one before, which is then `first`. */
static int begins_again(struct long_run *run, uint64_t step)
{
    uint64_t at = run->begins[step] * 0x9e3779b97f4a7c15u >> 20 & (run->slots - 1);

    for (; run->table[at]; at = (at + 1) & (run->slots - 1))
        if (run->begins[run->table[at] - 1] == run->begins[step]) {
            run->first = run->table[at] - 1;
            return 1;
        }
    run->table[at] = step + 1;
    return 0;
}

static void run_long(void *argument)
{
    struct long_run *run = argument;
    const struct assay_stream_subject *s = assay_stream_subject();
    uint32_t blocks = (uint32_t)(STEP_BYTES / s->block_bytes);

    for (; run->done < run->steps && !run->repeats && hal_clock_ns() < run->end_ns; run->done++) {
        memset(run->out, 0, (size_t)STEP_BYTES);
        s->crypt_blocks[0](run->ctx, run->out, run->out, blocks);
        memcpy(&run->begins[run->done], run->out, sizeof *run->begins);
        run->repeats = begins_again(run, run->done);
    }
}

enum status stream_long(struct call *c)
{
    struct hal_region region = {0};
    struct long_run run = {0};
    enum status status;

    run.ctx = c->p[0];
    run.out = c->p[1];
    run.steps = c->n[0];
    run.end_ns = hal_clock_ns() + (uint64_t)c->n[1] * 1000000u;
    if (run.ctx == NULL || run.out == NULL || run.steps == 0 || run.steps > MOST_STEPS ||
        SIZE_MAX <= STEP_BYTES || STEP_BYTES % assay_stream_subject()->block_bytes)
        return STATUS_BAD_REQUEST;
    for (run.slots = 2; run.slots < 2 * run.steps;)
        run.slots *= 2;
    if (!hal_map(&region, (size_t)((run.steps + run.slots) * sizeof *run.begins)))
        return STATUS_NO_MEMORY;
    run.begins = (uint64_t *)(void *)region.base;
    run.table = run.begins + run.steps;
    status = guarded(run_long, &run);
    if (status == STATUS_OK) {
        give_u64(run.done * STEP_BYTES);
        give_u8((uint8_t)run.repeats);
        give_u64(run.first * STEP_BYTES);
    }
    hal_unmap(&region);
    return status;
}
