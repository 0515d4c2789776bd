/* SPDX-License-Identifier: MIT */
/*
 * The same requests again and again, a million calls in the time that the pipe takes for some
 * thousand: with the same inputs as long as their answers and some buffers stay as they were
 * after the first round, or with new inputs each time, of which the bench gets a digest.
 */
#include "agent.h"

#include "../hal/hal.h"

#include <stddef.h>
#include <string.h>

#define MOST_PARTS 16
#define ROUNDS_AT_ONCE 16 /* between two looks at the clock, once there were so many */
#define MILLISECOND_NS 1000000u

struct part { /* of a buffer, from its start */
    uint8_t *start;
    uint32_t length;
};

struct parts {
    struct part each[MOST_PARTS];
    unsigned count;
};

static struct parts watched, drawn;

static int take_parts(struct parts *parts)
{
    unsigned i;

    parts->count = take_u8();
    if (parts->count > MOST_PARTS)
        return 0;
    for (i = 0; i < parts->count; i++) {
        unsigned id = take_u8();

        parts->each[i].length = take_u32();
        parts->each[i].start = buffer_at(id, 0, parts->each[i].length);
        if (parts->each[i].start == NULL)
            return 0;
    }
    return !frame_bad();
}

#define PRIME 0x100000001b3u

/* FNV-1a (draft-eastlake-fnv): nobody who looks for a collision is to be kept from one. */
static uint64_t mixed(uint64_t hash, const uint8_t *from, uint32_t length)
{
    while (length--)
        hash = (hash ^ *from++) * PRIME;
    return hash;
}

static uint64_t outcome(void)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t length;
    const uint8_t *from = given(&length);
    unsigned i;

    hash = mixed(hash, from, length);
    for (i = 0; i < watched.count; i++)
        hash = mixed(hash, watched.each[i].start, watched.each[i].length);
    return hash;
}

/* SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static uint64_t next_random(uint64_t *state)
{
    uint64_t word = *state += 0x9e3779b97f4a7c15u;

    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
}

/* One part in eight is one byte throughout. The bench draws the same (check/budget.py). */
static void draw(const struct part *part, uint64_t state)
{
    uint64_t word = next_random(&state);
    uint32_t i;

    if (word % 8 == 0) {
        memset(part->start, (int)(word >> 56), part->length);
        return;
    }
    for (i = 0; i < part->length; i++) {
        if (i % 8 == 0)
            word = next_random(&state);
        part->start[i] = (uint8_t)(word >> i % 8 * 8);
    }
}

static void draw_all(uint64_t seed)
{
    unsigned i;

    for (i = 0; i < drawn.count; i++) {
        uint64_t state = seed + i;

        draw(&drawn.each[i], next_random(&state));
    }
}

/* Each is a code (u8), a length (u32), and so many bytes. */
enum status once(enum status (*perform)(int code))
{
    enum status status = STATUS_OK;

    while (status == STATUS_OK && take_left() && !frame_bad()) {
        int code = take_u8();
        uint32_t length = take_u32(), begin = take_position(), end;

        if (length > take_left() || code == REQUEST_AGAIN || code == REQUEST_VARY ||
            code == REQUEST_CLASSES)
            return STATUS_BAD_REQUEST;
        end = take_between(begin, begin + length);
        status = perform(code);
        take_between(begin + length, end);
    }
    return frame_bad() ? STATUS_BAD_REQUEST : status;
}

enum status again(enum status (*perform)(int code))
{
    uint32_t most = take_u32(), milliseconds = take_u32(), rounds = 0, other = 0, begin, end;
    uint64_t end_ns = hal_clock_ns() + (uint64_t)milliseconds * MILLISECOND_NS, first = 0, now;
    enum status status;

    if (!take_parts(&watched))
        return STATUS_BAD_REQUEST;
    begin = take_position();
    end = begin + take_left();
    while (rounds < most && !other) {
        if (rounds && (rounds < ROUNDS_AT_ONCE || rounds % ROUNDS_AT_ONCE == 0) &&
            hal_clock_ns() >= end_ns)
            break;
        take_between(begin, end);
        give_reset();
        status = once(perform);
        if (status != STATUS_OK)
            return status;
        now = outcome();
        first = rounds++ ? first : now;
        other = now == first ? 0 : rounds;
    }
    give_reset();
    give_u32(rounds);
    give_u32(other);
    return STATUS_OK;
}

enum status vary(enum status (*perform)(int code))
{
    uint64_t seed = take_u64(), digest = 0;
    uint32_t rounds = take_u32(), begin, end;
    enum status status;

    if (!take_parts(&watched) || !take_parts(&drawn))
        return STATUS_BAD_REQUEST;
    begin = take_position();
    end = begin + take_left();
    for (; rounds; rounds--, seed += MOST_PARTS) {
        take_between(begin, end);
        give_reset();
        draw_all(seed);
        status = once(perform);
        if (status != STATUS_OK)
            return status;
        digest = (digest ^ outcome()) * PRIME;
    }
    give_reset();
    give_u64(digest);
    return STATUS_OK;
}
