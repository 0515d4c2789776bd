/* SPDX-License-Identifier: MIT */
/*
 * Buffers that submitted code is given.
 *
 * Each stands in a region of its own between inaccessible pages, as close to
 * the upper one as the asked alignment allows; what is left over on both sides
 * holds a pattern that depends on the place, and is looked at afterwards.
 */
#include "agent.h"

#include "../hal/hal.h"

#include <string.h>

struct buffer {
    struct hal_region region;
    uint8_t *start;
    uint32_t size;
    int used;
};

static struct buffer buffers[BUFFER_COUNT];

static uint8_t pattern(size_t place) { return (uint8_t)(0xa5 ^ (place * 29)); }

static void paint(struct buffer *b)
{
    size_t before = (size_t)(b->start - b->region.base), i;

    for (i = 0; i < before; i++)
        b->region.base[i] = pattern(i);
    memset(b->start, 0, b->size);
    for (i = before + b->size; i < b->region.usable; i++)
        b->region.base[i] = pattern(i);
}

enum status buffer_make(unsigned id, uint32_t size, uint32_t modulus, uint32_t residue)
{
    struct buffer *b = &buffers[id % BUFFER_COUNT];
    uintptr_t start;

    if (id >= BUFFER_COUNT || modulus == 0 || residue >= modulus || modulus > hal_page_bytes())
        return STATUS_BAD_REQUEST;
    if (b->used && b->region.usable < (size_t)size + modulus) {
        hal_unmap(&b->region);
        b->used = 0;
    }
    if (!b->used && !hal_map(&b->region, (size_t)size + modulus))
        return STATUS_NO_MEMORY;
    b->used = 1;
    b->size = size;
    start = (uintptr_t)(b->region.base + b->region.usable - size);
    start -= (start + modulus - residue) % modulus;
    b->start = (uint8_t *)start;
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
    for (i = before + b->size; i < b->region.usable; i++)
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
