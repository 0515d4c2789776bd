/* SPDX-License-Identifier: MIT */
/*
 * The same requests again and again, for as long as their answers and some buffers stay as they
 * were after the first round: a million calls in the time that the pipe takes for some thousand.
 */
#include "agent.h"

#include "../hal/hal.h"

#include <stddef.h>

#define MOST_WATCHED 16
#define ROUNDS_AT_ONCE 16 /* between two looks at the clock, once there were so many */
#define MILLISECOND_NS 1000000u

struct watched {
    const uint8_t *start;
    uint32_t length;
};

static struct watched watched[MOST_WATCHED];
static unsigned watched_count;

static int take_watched(void)
{
    unsigned i;

    watched_count = take_u8();
    if (watched_count > MOST_WATCHED)
        return 0;
    for (i = 0; i < watched_count; i++) {
        unsigned id = take_u8();

        watched[i].length = take_u32();
        watched[i].start = buffer_at(id, 0, watched[i].length);
        if (watched[i].start == NULL)
            return 0;
    }
    return !frame_bad();
}

/* FNV-1a (draft-eastlake-fnv): nobody who looks for a collision is to be kept from one. */
static uint64_t mixed(uint64_t hash, const uint8_t *from, uint32_t length)
{
    while (length--)
        hash = (hash ^ *from++) * 0x100000001b3u;
    return hash;
}

static uint64_t outcome(void)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t length;
    const uint8_t *from = given(&length);
    unsigned i;

    hash = mixed(hash, from, length);
    for (i = 0; i < watched_count; i++)
        hash = mixed(hash, watched[i].start, watched[i].length);
    return hash;
}

/* Each is a code (u8), a length (u32), and so many bytes. */
static enum status round_of(enum status (*perform)(int code))
{
    enum status status = STATUS_OK;

    while (status == STATUS_OK && take_left() && !frame_bad()) {
        int code = take_u8();
        uint32_t length = take_u32(), begin = take_position(), end;

        if (length > take_left() || code == REQUEST_AGAIN)
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

    if (!take_watched())
        return STATUS_BAD_REQUEST;
    begin = take_position();
    end = begin + take_left();
    while (rounds < most && !other) {
        if (rounds && (rounds < ROUNDS_AT_ONCE || rounds % ROUNDS_AT_ONCE == 0) &&
            hal_clock_ns() >= end_ns)
            break;
        take_between(begin, end);
        give_reset();
        status = round_of(perform);
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
