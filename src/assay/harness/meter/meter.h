/* SPDX-License-Identifier: MIT */
/*
 * Counters and loops of known cost.
 *
 * A counter is usable if it can be read at all and advances; the bench looks at
 * all of them and takes the finest. What a tick is worth in core cycles is
 * found with loops whose latency is known for the architecture.
 */
#ifndef ASSAY_METER_H
#define ASSAY_METER_H

#include <stdint.h>

struct meter_counter {
    const char *name;
    int core_cycles;        /* 1: counts core clock cycles by definition */
    int (*open)(void);      /* 1: can be read here */
    uint64_t (*now)(void);
};

/* Ends with an entry whose name is NULL. The clock of the system comes last. */
extern const struct meter_counter meter_counters[];

/* A loop with a known number of core cycles per operation. */
struct meter_loop {
    const char *name;
    uint32_t cycles_per_operation; /* 0: known only relative to itself (a canary) */
    void (*run)(uint32_t thousands_of_operations);
};

/* Ends with an entry whose name is NULL. */
extern const struct meter_loop meter_loops[];

#endif
