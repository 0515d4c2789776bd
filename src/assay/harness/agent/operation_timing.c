/* SPDX-License-Identifier: MIT */
/*
 * The kind `operation`, timed: samples of some calls each, every one on inputs of its own.
 *
 * The calls of a sample work in small buffers, which stay in the caches. Before each
 * sample its inputs are copied there from pools that the bench has filled, and after it
 * its outputs are copied to where the bench reads and compares them; neither is timed.
 */
#include "operation.h"

#include "kind.h"

#include <stddef.h>
#include <string.h>

#define MOST_CALLS 1024u
#define MOST_SAMPLES 4096u
#define MOST_SLICES 16384u
#define NOT_WRITTEN UINT64_MAX
#define OF_SLICES 0xfe /* in place of a number: one for each slice */
#define COPIED_IN 1
#define COPIED_OUT 2
#define PAGE_BYTES 4096u /* or more */

struct argument {
    char letter;
    uint8_t *work, *pool; /* pool: NULL where nothing is copied */
    uint32_t stride, ways;
    uint64_t number;
    int of_slices; /* `numbers` instead */
};

struct reading {
    uint64_t ticks, random_bytes, random_calls;
};

static struct {
    const struct assay_function *function;
    int hollow; /* all but the calls is done */
    struct argument arguments[ASSAY_MOST_PARAMETERS];
    unsigned parameters;
    uint32_t calls, samples;
    unsigned outputs[ASSAY_MOST_PARAMETERS], output_count; /* arguments that are copied out */
    long long least, most; /* of all results */
} job;

static union assay_word words[MOST_CALLS][ASSAY_MOST_PARAMETERS];
static uint32_t numbers[MOST_SLICES];           /* the length that the call of a slice is given */
static unsigned long long lengths[MOST_SLICES]; /* the one that it writes */
static unsigned long long further[MOST_CALLS];  /* what no bench asks for */
static struct reading readings[MOST_SAMPLES];

static int take_memory(struct argument *a)
{
    unsigned work = take_u8(), pool;
    uint32_t offset = take_u32();
    uint64_t room;

    a->stride = take_u32();
    pool = take_u8();
    a->ways = take_u8();
    room = (uint64_t)a->stride * job.calls;
    if (room * (job.samples + 1) > UINT32_MAX)
        return 0;
    a->work = buffer_at(work, offset, (uint32_t)room);
    a->pool = pool == NO_BUFFER ? NULL
                                : buffer_at(pool, 0, (uint32_t)(room * (job.samples + 1)));
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

static int take_job(void)
{
    const char *letter;

    job.function = operation_function(take_u8());
    job.calls = take_u32();
    job.samples = take_u32();
    job.hollow = take_u8();
    if (!job.function || job.calls == 0 || job.calls > MOST_CALLS ||
        job.samples >= MOST_SAMPLES || slices() > MOST_SLICES)
        return 0;
    job.parameters = job.output_count = 0;
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
    }
    return !frame_bad() && take_left() == 0;
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

static void copy(uint32_t sample, uint32_t way)
{
    unsigned i;

    for (i = 0; i < job.parameters; i++) {
        const struct argument *a = &job.arguments[i];
        size_t bytes = (size_t)a->stride * job.calls;

        if (a->pool && a->ways & way && way == COPIED_IN)
            memcpy(a->work, a->pool + bytes * sample, bytes);
        else if (a->pool && way == COPIED_IN)
            memset(a->work, 0, bytes); /* nothing of the sample before is left */
        else if (a->pool && a->ways & way)
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

static long long no_call(const union assay_word *of)
{
    (void)of;
    return 0;
}

static void time_sample(struct reading *r)
{
    long long (*call)(const union assay_word *) = job.hollow ? no_call : job.function->call;
    long long result, least = job.least, most = job.most;
    uint64_t calls, bytes, start;
    uint32_t i;

    random_counts(&calls, &bytes);
    start = ticks_now();
    for (i = 0; i < job.calls; i++) {
        result = call(words[i]);
        touch_outputs(words[i]);
        least = result < least ? result : least;
        most = result > most ? result : most;
    }
    r->ticks = ticks_now() - start;
    random_counts(&r->random_calls, &r->random_bytes);
    r->random_calls -= calls;
    r->random_bytes -= bytes;
    job.least = least;
    job.most = most;
}

static void time_all(void *unused)
{
    uint32_t i, call;

    (void)unused;
    job.least = INT64_MAX;
    job.most = INT64_MIN;
    for (i = 0; i <= job.samples; i++) {
        for (call = 0; call < job.calls; call++)
            set_words(i, call);
        copy(i, COPIED_IN);
        time_sample(&readings[i]);
        copy(i, COPIED_OUT);
    }
}

/* The first sample warms caches and predictors up. */
static enum status answer_time(void)
{
    enum status status;
    uint32_t i;

    if (!take_job())
        return STATUS_BAD_REQUEST;
    status = guarded(time_all, NULL);
    if (status != STATUS_OK)
        return status;
    give_u64((uint64_t)job.least);
    give_u64((uint64_t)job.most);
    for (i = 0; i <= job.samples; i++) {
        give_u64(readings[i].ticks);
        give_u64(readings[i].random_bytes);
        give_u64(readings[i].random_calls);
    }
    for (i = 0; writes_length() && i < slices(); i++)
        give_u64(lengths[i]);
    return STATUS_OK;
}

static enum status refuse(void) { return STATUS_BAD_REQUEST; }

const struct kind_timing assay_timing = {refuse, refuse, answer_time, refuse};
