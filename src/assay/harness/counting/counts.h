/* SPDX-License-Identifier: MIT */
/*
 * The counts file and the ranges file, as the bench makes them
 * (src/assay/execute/counting.py). Shared by the qemu plugin and the AVR runner.
 *
 * Counts file, little-endian: "ASCT", u32 version, u32 slots, u32 fields, then
 * slots x fields u64. It is mapped, and the bench reads it while we write: between
 * two requests nothing of the code under test runs, so what it reads is complete.
 *
 * Ranges file: a line "start end" (hexadecimal, end exclusive) for each slot from
 * 1 on. They may touch but not overlap; slot 0 gets everything else.
 *
 * A trace: "ASTR", u32 version, u64 room, u64 number of records so far (more than there was
 * room for are counted), u64 digest of those, then the records: addresses, shifted left by one;
 * bit 0 is set for accesses of memory.
 */
#ifndef ASSAY_COUNTS_H
#define ASSAY_COUNTS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the counts file is mapped as it is: this needs a little-endian machine"
#endif

#define COUNTS_VERSION 1
#define COUNTS_FIELDS 6

struct counts_slot {
    uint64_t instructions, cycles, loads, stores, misaligned, lowest_stack;
};

struct counts_file {
    char magic[4];
    uint32_t version, slots, fields;
    struct counts_slot slot[];
};

struct counts_range {
    uint64_t start, end;
    uint32_t slot;
};

struct counts {
    struct counts_file *file;
    struct counts_range *ranges; /* in the order of their addresses */
    uint32_t range_count;
};

/* Opens a path, or takes the descriptor of "fd:N": so no path need be within reach
 * of the code that is counted. */
static inline int counts_open(const char *name, int flags)
{
    return strncmp(name, "fd:", 3) == 0 ? atoi(name + 3) : open(name, flags | O_CLOEXEC);
}

/* 1: mapped. The descriptor is closed: nobody else shall find it. */
static inline int counts_map(struct counts *c, const char *name)
{
    int fd = counts_open(name, O_RDWR);
    struct stat about;
    void *at = MAP_FAILED;
    size_t size;

    if (fd < 0)
        return 0;
    if (fstat(fd, &about) == 0 && about.st_size >= (off_t)sizeof *c->file)
        at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return 0;
    c->file = at;
    size = sizeof *c->file + (size_t)c->file->slots * sizeof c->file->slot[0];
    return memcmp(c->file->magic, "ASCT", 4) == 0 && c->file->version == COUNTS_VERSION &&
           c->file->fields == COUNTS_FIELDS && c->file->slots > 0 &&
           (off_t)size <= about.st_size;
}

struct counts_trace {
    char magic[4];
    uint32_t version;
    uint64_t room, used, rest, record[];
};

/* Other records in the rest leave another digest: each step is a bijection of it. */
#define COUNTS_PRIME UINT64_C(0x100000001b3)

static inline void counts_record(struct counts_trace *trace, uint64_t record)
{
    if (trace->used < trace->room)
        trace->record[trace->used] = record;
    else
        trace->rest = (trace->rest ^ record) * COUNTS_PRIME;
    trace->used++;
}

/* NULL: no trace. */
static inline struct counts_trace *counts_trace_map(const char *name)
{
    int fd = counts_open(name, O_RDWR);
    struct stat about;
    struct counts_trace *at = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) == 0 && about.st_size >= (off_t)sizeof *at)
        at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED || memcmp(at->magic, "ASTR", 4) != 0 || at->version != COUNTS_VERSION ||
        at->room > ((uint64_t)about.st_size - sizeof *at) / sizeof at->record[0])
        return NULL;
    return at;
}

static inline int counts_by_address(const void *left, const void *right)
{
    uint64_t a = ((const struct counts_range *)left)->start;
    uint64_t b = ((const struct counts_range *)right)->start;

    return a < b ? -1 : a > b;
}

/* 1: read, as many ranges as there are slots above 0, none of which overlap. */
static inline int counts_ranges(struct counts *c, const char *name)
{
    int fd = counts_open(name, O_RDONLY);
    FILE *text = fd < 0 ? NULL : fdopen(fd, "r");
    uint32_t wanted = c->file->slots - 1, i;
    unsigned long long start, end;

    if (text == NULL)
        return 0;
    rewind(text); /* a descriptor that was handed on shares its place with earlier readers */
    c->ranges = calloc(wanted + 1, sizeof *c->ranges);
    while (c->ranges && fscanf(text, "%llx %llx", &start, &end) == 2) {
        if (c->range_count == wanted || end < start)
            break;
        c->ranges[c->range_count].start = start;
        c->ranges[c->range_count].end = end;
        c->ranges[c->range_count].slot = c->range_count + 1;
        c->range_count++;
    }
    i = c->ranges && c->range_count == wanted && feof(text);
    fclose(text);
    if (!i)
        return 0;
    qsort(c->ranges, wanted, sizeof *c->ranges, counts_by_address);
    for (i = 1; i < wanted; i++)
        if (c->ranges[i].start < c->ranges[i - 1].end)
            return 0;
    return 1;
}

/* The slot of an address: the last range that begins at or below it, if it reaches so far. */
static inline struct counts_slot *counts_find(const struct counts *c, uint64_t address)
{
    uint32_t low = 0, high = c->range_count, middle;

    while (low < high) {
        middle = low + (high - low) / 2;
        if (c->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= c->ranges[low - 1].end)
        return &c->file->slot[0];
    return &c->file->slot[c->ranges[low - 1].slot];
}

#endif
