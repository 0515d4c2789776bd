/* SPDX-License-Identifier: MIT */
/*
 * Buffers that submitted code is given.
 *
 * Each stands in a region of its own between inaccessible pages, as close to
 * the upper one as the asked alignment allows; what is left over on both sides
 * holds a pattern that depends on the place, and is looked at afterwards. Where
 * there are no such pages, the pattern is at least MARGIN_BYTES wide.
 */
#include "agent.h"

#include "../hal/hal.h"
#include "secret.h"

#include <stddef.h>
#include <string.h>

#define MARGIN_BYTES 16
#define MOST_MODULUS 256 /* where there are no pages */
#define KEPT_BYTES (1u << 18) /* of a region that is larger than it need be */
#define PERIOD 256u

struct buffer {
    struct hal_region region;
    uint8_t *start;
    uint32_t size;
    int used, read_only;
};

/* A small port has room for fewer buffers than there are numbers; the first one is never used. */
static struct buffer buffers[1 + BUFFER_COUNT];
static uint8_t places[MOST_BUFFERS], taken;

static struct buffer *find(unsigned id) { return &buffers[places[id % MOST_BUFFERS]]; }

static uint8_t pattern(size_t place) { return (uint8_t)(0xa5 ^ (place * 29)); }

/* The pattern repeats itself after PERIOD bytes, so most of it is copied. */
static void paint_margin(uint8_t *base, size_t from, size_t to)
{
    size_t i, part;

    for (i = from; i < to && i < from + PERIOD; i++)
        base[i] = pattern(i);
    for (; i < to; i += part) {
        part = to - i < PERIOD ? to - i : PERIOD;
        memcpy(base + i, base + i - PERIOD, part);
    }
}

static void paint(struct buffer *b)
{
    size_t before = (size_t)(b->start - b->region.base);

    secret_show(b->region.base, b->region.usable);
    paint_margin(b->region.base, 0, before);
    memset(b->start, 0, (size_t)b->size);
    paint_margin(b->region.base, before + (size_t)b->size, b->region.usable);
}

/*
 * A region of at least `room` bytes: the one that is there, or a new one. Painting megabytes
 * around a short buffer takes longer than most functions.
 */
static enum status provide(struct buffer *b, uint64_t room)
{
    uint64_t most = room < KEPT_BYTES ? KEPT_BYTES : 2 * room;

    if (b->used && (b->region.usable < room || b->region.usable > most || b->read_only)) {
        hal_unmap(&b->region);
        b->used = b->read_only = 0;
    }
    if (!b->used && (room > SIZE_MAX / 2 || !hal_map(&b->region, (size_t)room)))
        return STATUS_NO_MEMORY;
    b->used = 1;
    return STATUS_OK;
}

enum status buffer_make(unsigned id, uint32_t size, uint32_t modulus, uint32_t residue)
{
    uint32_t page = hal_page_bytes(), margin = page ? 0 : MARGIN_BYTES;
    struct buffer *b;
    uintptr_t end;

    if (id >= MOST_BUFFERS || modulus == 0 || residue >= modulus ||
        modulus > (page ? page : MOST_MODULUS))
        return STATUS_BAD_REQUEST;
    if (places[id] == 0 && taken == BUFFER_COUNT)
        return STATUS_NO_MEMORY;
    if (places[id] == 0)
        places[id] = ++taken;
    b = find(id);
    if (provide(b, (uint64_t)size + modulus - 1 + 2 * margin) != STATUS_OK)
        return STATUS_NO_MEMORY;
    end = (uintptr_t)(b->region.base + b->region.usable) - (uintptr_t)margin;
    end -= (uintptr_t)((end - (uintptr_t)size + modulus - residue) % modulus);
    b->size = size;
    b->start = (uint8_t *)(end - (uintptr_t)size);
    paint(b);
    return STATUS_OK;
}

uint8_t *buffer_start(unsigned id)
{
    return id < MOST_BUFFERS && find(id)->used ? find(id)->start : NULL;
}

uint8_t *buffer_at(unsigned id, uint32_t offset, uint32_t length)
{
    uint8_t *start = buffer_start(id);

    if (start == NULL || offset > find(id)->size || length > find(id)->size - offset)
        return NULL;
    return start + offset;
}

void buffer_fence(unsigned id, uint32_t length)
{
    const struct buffer *b = find(id);
    const uint8_t *end = b->start + length;

    secret_forbid(b->region.base, (size_t)(b->start - b->region.base));
    secret_forbid(end, b->region.usable - (size_t)(end - b->region.base));
}

int buffer_protect(unsigned id)
{
    struct buffer *b = find(id);

    b->read_only = hal_protect(&b->region);
    return b->read_only;
}

int buffer_watch(unsigned id, const uint8_t *expected, uint32_t length)
{
    const struct buffer *b = find(id);

    return b->used && !b->read_only && hal_watch(&b->region, b->start, expected, length);
}

static void note(uint32_t *changed, int32_t *first, int64_t offset)
{
    if ((*changed)++ == 0)
        *first = (int32_t)offset;
}

/* Count what differs from the pattern; a part that is like an intact one before it does not. */
static void look(const struct buffer *b, size_t from, size_t to, uint32_t *changed, int32_t *first)
{
    const uint8_t *base = b->region.base;
    int64_t before = (int64_t)(b->start - base);
    size_t i = from, end;

    while (i < to) {
        while (*changed == 0 && i >= from + PERIOD && to - i >= PERIOD &&
               memcmp(base + i, base + i - PERIOD, PERIOD) == 0)
            i += PERIOD;
        end = to - i < PERIOD ? to : i + PERIOD;
        for (; i < end; i++)
            if (base[i] != pattern(i))
                note(changed, first, (int64_t)i - before);
    }
}

uint32_t buffer_damage(unsigned id, int32_t *first)
{
    const struct buffer *b = find(id);
    size_t before = (size_t)(b->start - b->region.base);
    uint32_t changed = 0;

    *first = 0;
    look(b, 0, before, &changed, first);
    look(b, before + (size_t)b->size, b->region.usable, &changed, first);
    return changed;
}

unsigned buffer_near(uintptr_t address, int64_t *offset)
{
    unsigned id;

    for (id = 0; id < MOST_BUFFERS; id++) {
        const struct buffer *b = find(id);
        uintptr_t low = (uintptr_t)b->region.map;

        if (b->used && address >= low && address - low < b->region.map_bytes) {
            *offset = (int64_t)address - (int64_t)(uintptr_t)b->start;
            return id;
        }
    }
    *offset = 0;
    return NO_BUFFER;
}
