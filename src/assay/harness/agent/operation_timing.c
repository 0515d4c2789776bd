/* SPDX-License-Identifier: MIT */
/*
 * The kind `operation`, timed: samples of some calls each, every one on inputs of its own.
 *
 * The calls of a sample work in small buffers, which stay in the caches. The inputs of a call are
 * made there right before it: the bench has filled pools with inputs that are masked by what the
 * call before must write and by a seed for each sample, which is not in memory before the sample
 * begins. So nobody can read them earlier, wherever they look. Between the calls of
 * a sample this is timed, and the request without calls says how long it takes. After a sample its
 * outputs are copied to where the bench reads and compares them.
 */
#include "operation.h"

#include "../hal/hal.h"
#include "kind.h"

#include <stddef.h>
#include <string.h>

#define MOST_CALLS 1024u
#define MOST_SAMPLES 4096u
#define MOST_SLICES 16384u
#define NOT_WRITTEN UINT64_MAX
#define OF_SLICES 0xfe /* in place of a number: one for each slice */
#define HOLLOW 1  /* all but the calls is done */
#define RESULTS 2 /* that of every call is told */
#define COPIED_IN 1
#define COPIED_OUT 2
#define PAGE_BYTES 4096u /* or more */
#define ROW_WORDS 4u     /* of a mask, and of a part of an output */
#define ROW_BYTES 32u

struct argument {
    char letter;
    uint8_t *work, *pool; /* pool: NULL where nothing is copied */
    uint32_t stride, ways, plain; /* plain: rows at its begin that are not masked */
    uint64_t number;
    int of_slices; /* `numbers` instead */
};

struct reading {
    uint64_t ticks, random_bytes, random_calls;
};

static struct {
    const struct assay_function *function;
    unsigned what;
    struct argument arguments[ASSAY_MOST_PARAMETERS];
    unsigned parameters;
    uint32_t calls, samples;
    unsigned outputs[ASSAY_MOST_PARAMETERS], output_count; /* arguments that are copied out */
    unsigned input, has_input;                             /* one that is copied in */
    uint64_t seed, written[ROW_WORDS]; /* of a sample's masks; what the last call wrote, folded */
    long long least, most; /* of all results */
} job;

static union assay_word words[MOST_CALLS][ASSAY_MOST_PARAMETERS];
static uint32_t numbers[MOST_SLICES];           /* the length that the call of a slice is given */
static unsigned long long lengths[MOST_SLICES]; /* the one that it writes */
static unsigned long long further[MOST_CALLS];  /* what no bench asks for */
static signed char results[MOST_SLICES];
static struct reading readings[MOST_SAMPLES];
static uint64_t seeds[MOST_SAMPLES]; /* where there is no better place */
static int seeds_here;

static int take_memory(struct argument *a)
{
    unsigned work = take_u8(), pool;
    uint32_t offset = take_u32();
    uint64_t room;

    a->stride = take_u32();
    pool = take_u8();
    a->ways = take_u8();
    a->plain = take_u8();
    room = (uint64_t)a->stride * job.calls;
    if (room * (job.samples + 1) > UINT32_MAX)
        return 0;
    a->work = buffer_at(work, offset, (uint32_t)room);
    a->pool = pool == NO_BUFFER ? NULL
                                : buffer_at(pool, 0, (uint32_t)(room * (job.samples + 1)));
    if (a->stride % ROW_BYTES || a->plain > a->stride / ROW_BYTES)
        return 0;
    return work == NO_BUFFER || (a->work && (pool == NO_BUFFER || a->pool));
}

static uint32_t slices(void) { return job.calls * (job.samples + 1); }

static void take_length(struct argument *a)
{
    uint32_t i;

    a->of_slices = take_u8() == OF_SLICES;
    if (!a->of_slices)
        a->number = take_u64();
    for (i = 0; a->of_slices && i < slices(); i++)
        numbers[i] = take_u32();
}

static uint64_t little(uint64_t word)
{
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = (word & 0x00ff00ff00ff00ffu) << 8 | (word >> 8 & 0x00ff00ff00ff00ffu);
    word = (word & 0x0000ffff0000ffffu) << 16 | (word >> 16 & 0x0000ffff0000ffffu);
    word = word << 32 | word >> 32;
#endif
    return word;
}

/* Those of the samples to come are where code cannot read them by an address. */
static int take_seeds(void)
{
    const uint32_t length = (job.samples + 1) * (uint32_t)sizeof seeds[0];
    const uint8_t *from = take_bytes(length);

    if (from == NULL)
        return 0;
    seeds_here = !hal_keep((void *)(uintptr_t)from, length);
    if (seeds_here)
        memcpy(seeds, from, length);
    return 1;
}

static int take_seed(uint32_t sample)
{
    if (seeds_here)
        job.seed = seeds[sample];
    else if (!hal_kept(&job.seed, sizeof job.seed))
        return 0;
    job.seed = little(job.seed);
    return 1;
}

static int take_job(void)
{
    const char *letter;

    job.function = operation_function(take_u8());
    job.calls = take_u32();
    job.samples = take_u32();
    job.what = take_u8();
    memset(job.written, 0, sizeof job.written);
    if (!job.function || job.calls == 0 || job.calls > MOST_CALLS ||
        job.samples >= MOST_SAMPLES || slices() > MOST_SLICES)
        return 0;
    job.parameters = job.output_count = job.has_input = 0;
    for (letter = job.function->parameters; *letter; letter++) {
        struct argument *a = &job.arguments[job.parameters++];

        memset(a, 0, sizeof *a);
        a->letter = *letter;
        if (*letter == 'n')
            take_length(a);
        else if (*letter != 'r' && !take_memory(a))
            return 0;
        if (a->pool && a->work && a->stride && a->ways & COPIED_OUT)
            job.outputs[job.output_count++] = job.parameters - 1;
        if (a->pool && a->work && a->stride && a->ways & COPIED_IN) {
            job.input = job.parameters - 1;
            job.has_input = 1;
        }
    }
    return take_seeds() && !frame_bad() && take_left() == 0;
}

static int writes_length(void) { return strchr(job.function->parameters, 'r') != NULL; }

static void set_words(uint32_t sample, uint32_t call)
{
    uint32_t slice = sample * job.calls + call;
    unsigned long long *length = &lengths[slice];
    unsigned i, written = 0;

    if (writes_length())
        *length = NOT_WRITTEN;

    for (i = 0; i < job.parameters; i++) {
        const struct argument *a = &job.arguments[i];

        if (a->letter == 'n')
            words[call][i].number = a->of_slices ? numbers[slice] : a->number;
        else if (a->letter == 'r')
            words[call][i].length = written++ == 0 ? length : &further[call];
        else
            words[call][i].bytes = a->work ? a->work + (size_t)a->stride * call : NULL;
    }
}

/* --- inputs that are masked by the outputs before them (measure/operation/masks.py does the same) */

static uint64_t mixed(uint64_t z) /* the end of splitmix64 (Steele, Lea, Flood 2014) */
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* All that a call wrote, so that none of it can be left for later. */
static void fold_outputs(uint32_t call)
{
    uint64_t folded[ROW_WORDS] = {0}, row[ROW_WORDS];
    uint32_t i, at, word;

    /* What a refused call writes does not matter. */
    for (i = 0; !(job.what & RESULTS) && i < job.output_count; i++) {
        const uint8_t *from = words[call][job.outputs[i]].bytes;

        for (at = 0; at < job.arguments[job.outputs[i]].stride; at += ROW_BYTES) {
            memcpy(row, from + at, sizeof row);
            for (word = 0; word < ROW_WORDS; word++)
                folded[word] = (folded[word] << 7 | folded[word] >> 57) ^ row[word];
        }
    }
    memcpy(job.written, folded, sizeof folded);
}

static void make_mask(uint64_t mask[ROW_WORDS], uint32_t slice)
{
    uint64_t key = job.seed + slice * 0xd1342543de82ef95u;
    uint32_t word;

    for (word = 0; word < ROW_WORDS; word++)
        key += little(job.written[word]) * (0x9e3779b97f4a7c15u + 2 * word);
    for (word = 0; word < ROW_WORDS; word++)
        mask[word] = little(mixed(key + word * 0x9e3779b97f4a7c15u));
}

static void make_inputs(uint32_t sample, uint32_t call)
{
    uint64_t mask[ROW_WORDS], row[ROW_WORDS];
    uint32_t at, word;
    unsigned i;

    make_mask(mask, sample * job.calls + call);
    for (i = 0; i < job.parameters; i++) {
        const struct argument *a = &job.arguments[i];
        const uint8_t *from = a->pool + (size_t)a->stride * (sample * job.calls + call);
        uint8_t *to = a->work + (size_t)a->stride * call;

        if (a->pool == NULL || !(a->ways & COPIED_IN))
            continue;
        for (at = 0; at < a->stride; at += ROW_BYTES) {
            memcpy(row, from + at, sizeof row);
            for (word = 0; at >= a->plain * ROW_BYTES && word < ROW_WORDS; word++)
                row[word] ^= mask[(word + i) % ROW_WORDS];
            memcpy(to + at, row, sizeof row);
        }
    }
}

/* Nothing of the sample before is left where calls write. */
static void clear_outputs(void)
{
    unsigned i;

    for (i = 0; i < job.parameters; i++) {
        const struct argument *a = &job.arguments[i];

        if (a->pool && !(a->ways & COPIED_IN))
            memset(a->work, 0, (size_t)a->stride * job.calls);
    }
}

static void copy_outputs(uint32_t sample)
{
    unsigned i;

    for (i = 0; i < job.parameters; i++) {
        const struct argument *a = &job.arguments[i];
        size_t bytes = (size_t)a->stride * job.calls;

        if (a->pool && a->ways & COPIED_OUT)
            memcpy(a->pool + bytes * sample, a->work, bytes);
    }
}

/* What is written when it is first read is written before the clock stops. */
static inline void touch_outputs(const union assay_word *of)
{
    const volatile uint8_t *output;
    uint32_t at, stride;
    unsigned i;

    for (i = 0; i < job.output_count; i++) {
        output = of[job.outputs[i]].bytes;
        stride = job.arguments[job.outputs[i]].stride;
        for (at = 0; at < stride; at += PAGE_BYTES)
            (void)output[at];
        (void)output[stride - 1];
    }
}

/* What it writes follows from what it is given, as of any function: calls then wait for each other
 * without calls, too, and take what they take with calls. */
static long long no_call(const union assay_word *of)
{
    uint64_t word;

    if (job.output_count && job.has_input) {
        memcpy(&word, of[job.input].bytes, sizeof word);
        memcpy(of[job.outputs[0]].bytes, &word, sizeof word);
    }
    return 0;
}

static void time_sample(uint32_t sample, struct reading *r)
{
    long long (*call)(const union assay_word *) =
        job.what & HOLLOW ? no_call : job.function->call;
    signed char *told = &results[sample * job.calls];
    long long result, least = job.least, most = job.most;
    uint64_t calls, bytes, start;
    uint32_t i;

    make_inputs(sample, 0);
    random_counts(&calls, &bytes);
    start = ticks_now();
    for (i = 0; i < job.calls; i++) {
        result = call(words[i]);
        touch_outputs(words[i]);
        told[i] = (signed char)(result < 0 ? -1 : result > 0);
        least = result < least ? result : least;
        most = result > most ? result : most;
        if (i + 1 == job.calls)
            break;
        fold_outputs(i);
        make_inputs(sample, i + 1);
    }
    r->ticks = ticks_now() - start;
    fold_outputs(i);
    random_counts(&r->random_calls, &r->random_bytes);
    r->random_calls -= calls;
    r->random_bytes -= bytes;
    job.least = least;
    job.most = most;
}

static void time_all(void *argument)
{
    int *seedless = argument;
    uint32_t i, call;

    job.least = INT64_MAX;
    job.most = INT64_MIN;
    for (i = 0; i <= job.samples; i++) {
        for (call = 0; call < job.calls; call++)
            set_words(i, call);
        clear_outputs();
        *seedless = !take_seed(i);
        if (*seedless)
            return;
        time_sample(i, &readings[i]);
        copy_outputs(i);
    }
}

/* The first sample warms caches and predictors up. */
static enum status answer_time(void)
{
    enum status status;
    int seedless = 0;
    uint32_t i;

    if (!take_job())
        return STATUS_BAD_REQUEST;
    status = guarded(time_all, &seedless);
    if (status != STATUS_OK || seedless)
        return seedless ? STATUS_BAD_REQUEST : status;
    give_u64((uint64_t)job.least);
    give_u64((uint64_t)job.most);
    for (i = 0; i <= job.samples; i++) {
        give_u64(readings[i].ticks);
        give_u64(readings[i].random_bytes);
        give_u64(readings[i].random_calls);
    }
    for (i = 0; writes_length() && i < slices(); i++)
        give_u64(lengths[i]);
    for (i = 0; job.what & RESULTS && i < slices(); i++)
        give_u8((uint8_t)results[i]);
    return STATUS_OK;
}

static enum status refuse(void) { return STATUS_BAD_REQUEST; }

const struct kind_timing assay_timing = {refuse, refuse, answer_time, refuse};
