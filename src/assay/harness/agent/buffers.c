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

struct buffer {
    struct hal_region region;
    uint8_t *start;
    uint32_t size;
    int used, read_only;
};

static struct buffer buffers[BUFFER_COUNT];

static uint8_t pattern(size_t place) { return (uint8_t)(0xa5 ^ (place * 29)); }

static void paint(struct buffer *b)
{
    size_t before = (size_t)(b->start - b->region.base), i;

    secret_show(b->region.base, b->region.usable);
    for (i = 0; i < before; i++)
        b->region.base[i] = pattern(i);
    memset(b->start, 0, (size_t)b->size);
    for (i = before + (size_t)b->size; i < b->region.usable; i++)
        b->region.base[i] = pattern(i);
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
    struct buffer *b = &buffers[id % BUFFER_COUNT];
    uint32_t page = hal_page_bytes(), margin = page ? 0 : MARGIN_BYTES;
    uintptr_t end;

    if (id >= BUFFER_COUNT || modulus == 0 || residue >= modulus ||
        modulus > (page ? page : MOST_MODULUS))
        return STATUS_BAD_REQUEST;
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
    return id < BUFFER_COUNT && buffers[id].used ? buffers[id].start : NULL;
}

uint8_t *buffer_at(unsigned id, uint32_t offset, uint32_t length)
{
    uint8_t *start = buffer_start(id);

    if (start == NULL || offset > buffers[id].size || length > buffers[id].size - offset)
        return NULL;
    return start + offset;
}

void buffer_fence(unsigned id, uint32_t length)
{
    const struct buffer *b = &buffers[id % BUFFER_COUNT];
    const uint8_t *end = b->start + length;

    secret_forbid(b->region.base, (size_t)(b->start - b->region.base));
    secret_forbid(end, b->region.usable - (size_t)(end - b->region.base));
}

int buffer_protect(unsigned id)
{
    struct buffer *b = &buffers[id % BUFFER_COUNT];

    b->read_only = hal_protect(&b->region);
    return b->read_only;
}

static void note(uint32_t *changed, int32_t *first, int64_t offset)
{
    if ((*changed)++ == 0)
        *first = (int32_t)offset;
}

uint32_t buffer_damage(unsigned id, int32_t *first)
{
    const struct buffer *b = &buffers[id % BUFFER_COUNT];
    size_t before = (size_t)(b->start - b->region.base), i;
    uint32_t changed = 0;

    *first = 0;
    for (i = 0; i < before; i++)
        if (b->region.base[i] != pattern(i))
            note(&changed, first, (int64_t)i - (int64_t)before);
    for (i = before + (size_t)b->size; i < b->region.usable; i++)
        if (b->region.base[i] != pattern(i))
            note(&changed, first, (int64_t)i - (int64_t)before);
    return changed;
}

unsigned buffer_near(uintptr_t address, int64_t *offset)
{
    unsigned id;

    for (id = 0; id < BUFFER_COUNT; id++) {
        uintptr_t low = (uintptr_t)buffers[id].region.map;

        if (buffers[id].used && address >= low &&
            address - low < buffers[id].region.map_bytes) {
            *offset = (int64_t)address - (int64_t)(uintptr_t)buffers[id].start;
            return id;
        }
    }
    *offset = 0;
    return NO_BUFFER;
}
