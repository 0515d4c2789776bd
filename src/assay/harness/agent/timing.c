/* SPDX-License-Identifier: MIT */
/* Counters, clocks and loops of known cost, as the bench asks for them. */

#include "agent.h"

#include "../hal/hal.h"
#include "../meter/meter.h"

#define STEP_READS 2000
#define MOST_TIMINGS (1u << 12)
#define MOST_BEATS 2
#define MOST_CLASSES 64

static const struct meter_counter *counter;

static const struct meter_counter *first_usable(void)
{
    const struct meter_counter *c = meter_counters;

    while (!c->open())
        c++; /* the last one, the system's clock, always opens */
    return c;
}

uint64_t ticks_now(void)
{
    if (counter == NULL)
        counter = first_usable();
    return counter->now();
}

void timing_prepare(void)
{
    const struct meter_counter *c;

    for (c = meter_counters; c->name; c++)
        c->open();
}

static uint64_t smallest_step(const struct meter_counter *c)
{
    uint64_t least = UINT64_MAX, last = c->now(), now;
    int i;

    for (i = 0; i < STEP_READS; i++, last = now) {
        now = c->now();
        if (now > last && now - last < least)
            least = now - last;
    }
    return least == UINT64_MAX ? 0 : least;
}

struct probe {
    const struct meter_counter *counter;
    uint64_t step, ticks, ns;
    int usable;
};

static void probe_counter(void *argument)
{
    struct probe *p = argument;
    uint64_t ns, ticks;

    p->usable = 0;
    if (!p->counter->open())
        return;
    p->step = smallest_step(p->counter);
    ns = hal_clock_ns();
    ticks = p->counter->now();
    while (hal_clock_ns() - ns < 200000)
        ;
    p->ticks = p->counter->now() - ticks;
    p->ns = hal_clock_ns() - ns;
    p->usable = p->step > 0 && p->ticks > 0;
}

enum status timing_counters(void)
{
    const struct meter_counter *c;

    for (c = meter_counters; c->name; c++) {
        struct probe p = {c, 0, 0, 0, 0};
        uintptr_t address;

        if (hal_guarded(probe_counter, &p, &address) != 0)
            p.usable = 0;
        give_text(c->name);
        give_u8((uint8_t)p.usable);
        give_u8((uint8_t)c->core_cycles);
        give_u64(p.step);
        give_u64(p.ticks);
        give_u64(p.ns);
    }
    return STATUS_OK;
}

enum status timing_select(void)
{
    uint8_t wanted = take_u8(), i;

    for (i = 0; meter_counters[i].name; i++)
        if (i == wanted && meter_counters[i].open()) {
            counter = &meter_counters[i];
            return STATUS_OK;
        }
    return STATUS_BAD_REQUEST;
}

enum status timing_clock(void)
{
    give_u64(ticks_now());
    give_u64(hal_clock_ns());
    give_u64(hal_involuntary_switches());
    give_u64(hal_processor_ns());
    return STATUS_OK;
}

enum status timing_loop(void)
{
    uint8_t wanted = take_u8(), i;
    uint32_t thousands = take_u32();
    uint64_t start;

    for (i = 0; meter_loops[i].name; i++)
        if (i == wanted) {
            meter_loops[i].run(1);
            start = ticks_now();
            meter_loops[i].run(thousands);
            give_u64(ticks_now() - start);
            give_u32(meter_loops[i].cycles_per_operation);
            give_text(meter_loops[i].name);
            return STATUS_OK;
        }
    return STATUS_BAD_REQUEST;
}

uint32_t timing_passes(void (*run)(const void *), const void *batch, uint64_t window,
                       uint32_t trials, uint64_t *spent)
{
    uint32_t trial, count, best = 0;
    uint64_t start, elapsed;

    for (trial = 0; trial < trials; trial++) {
        start = ticks_now();
        count = 0;
        do {
            run(batch);
            count++;
            elapsed = ticks_now() - start;
        } while (elapsed < window);
        *spent += elapsed;
        count = (uint32_t)((double)count * (double)window / (double)elapsed);
        best = count > best ? count : best;
    }
    return best;
}

struct series {
    void (*before)(const void *), (*run)(const void *), (*after)(const void *);
    const void *batch;
    uint32_t samples;
    struct beat {
        uint32_t loop, thousands;
    } beats[MOST_BEATS];
    uint32_t beat_count;
};

static uint64_t series_ticks[MOST_TIMINGS]; /* a batch and its beats in turn */

static uint64_t timed_loop(uint32_t loop, uint32_t thousands)
{
    uint64_t start = ticks_now();

    meter_loops[loop].run(thousands);
    return ticks_now() - start;
}

/* What a thousand operations less take is subtracted: reading the counter is no part of it. */
static uint64_t timed_beat(const struct beat *b)
{
    uint64_t short_one, long_one;

    meter_loops[b->loop].run(1); /* the batch may have taken its place in the caches */
    short_one = timed_loop(b->loop, 1);
    long_one = timed_loop(b->loop, 1 + b->thousands);
    return long_one > short_one ? long_one - short_one : 0;
}

/* The first batch warms caches and predictors up. */
static void measure(void *argument)
{
    const struct series *s = argument;
    uint64_t start, *to = series_ticks;
    uint32_t i, beat;

    for (i = 0; i <= s->samples; i++) {
        s->before(s->batch);
        start = ticks_now();
        s->run(s->batch);
        *to++ = ticks_now() - start;
        for (beat = 0; beat < s->beat_count; beat++)
            *to++ = timed_beat(&s->beats[beat]);
    }
    s->after(s->batch);
}

static int is_loop(uint32_t number)
{
    uint32_t i = 0;

    while (meter_loops[i].name && i < number)
        i++;
    return meter_loops[i].name != NULL;
}

static int take_beats(struct series *s)
{
    struct beat *b;

    s->beat_count = take_u8();
    if (s->beat_count > MOST_BEATS)
        return 0;
    for (b = s->beats; b < s->beats + s->beat_count; b++) {
        b->loop = take_u8();
        b->thousands = take_u32();
        if (!is_loop(b->loop))
            return 0;
    }
    return 1;
}

enum status timing_series(void (*before)(const void *), void (*run)(const void *),
                          void (*after)(const void *), const void *batch)
{
    struct series s = {.before = before, .run = run, .after = after, .batch = batch};
    enum status status;
    uint32_t i;

    s.samples = take_u32();
    if (!take_beats(&s) || frame_bad() || s.samples >= MOST_TIMINGS / (1 + s.beat_count))
        return STATUS_BAD_REQUEST;
    status = guarded(measure, &s);
    if (status == STATUS_OK)
        for (i = 0; i < (1 + s.beat_count) * (s.samples + 1); i++) /* the warm-up first */
            give_u64(series_ticks[i]);
    return status;
}

/* Where the requests of a class begin in the payload, those that are timed, and what follows. */
struct class {
    uint32_t begin, timed, end;
};

static int take_classes(struct class *classes, unsigned count)
{
    unsigned i;

    for (i = 0; i < count; i++) {
        uint32_t preparing = take_u32(), timed = take_u32();

        classes[i].begin = take_position();
        classes[i].timed = classes[i].begin + preparing;
        classes[i].end = classes[i].timed + timed;
        if (preparing > take_left() || timed > take_left() - preparing)
            return 0;
        take_bytes(preparing + timed);
    }
    return !frame_bad();
}

static enum status timed_class(const struct class *c, enum status (*perform)(int code),
                               uint64_t *ticks)
{
    enum status status;
    uint64_t start;

    give_reset();
    take_between(c->begin, c->timed);
    status = once(perform);
    if (status != STATUS_OK)
        return status;
    take_between(c->timed, c->end);
    start = ticks_now();
    status = once(perform);
    *ticks = ticks_now() - start;
    return status;
}

enum status timing_classes(enum status (*perform)(int code))
{
    struct class classes[MOST_CLASSES];
    unsigned count = take_u8();
    uint32_t rounds, i;
    const uint8_t *order;
    enum status status;

    if (!count || count > MOST_CLASSES || !take_classes(classes, count))
        return STATUS_BAD_REQUEST;
    rounds = take_left();
    order = take_bytes(rounds);
    if (rounds > MOST_TIMINGS)
        return STATUS_BAD_REQUEST;
    for (i = 0; i < rounds; i++) {
        status = order[i] < count ? timed_class(&classes[order[i]], perform, &series_ticks[i])
                                  : STATUS_BAD_REQUEST;
        if (status != STATUS_OK)
            return status;
    }
    give_reset();
    for (i = 0; i < rounds; i++)
        give_u64(series_ticks[i]);
    return STATUS_OK;
}
