/* SPDX-License-Identifier: MIT */
/*
 * What the agent needs from the machine below it. A port writes these.
 *
 * Nothing else in the harness knows about operating systems.
 */
#ifndef ASSAY_HAL_H
#define ASSAY_HAL_H

#include <stddef.h>
#include <stdint.h>

/* The byte pipe to the bench. */
void hal_open(int argc, char **argv);
int hal_read(void *to, size_t length);         /* 1: all there, 0: the bench has gone */
int hal_pending(void);                         /* 1: a further request has arrived */
void hal_write(const void *from, size_t length);
void hal_flush(void);

/* Memory that ends at an inaccessible page and begins after one, zeroed.
 * `base` gets the first usable byte, `usable` how many there are (>= size). */
struct hal_region {
    void *map;
    size_t map_bytes;
    uint8_t *base;
    size_t usable;
};
int hal_map(struct hal_region *region, size_t size); /* 1: done, 0: no memory */
void hal_unmap(struct hal_region *region);
uint32_t hal_page_bytes(void);

/* Runs work(argument); returns 0, or the number of the fault that ended it
 * (a POSIX signal number) with the faulting address in *address. */
int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address);

/* Nanoseconds of a monotonic clock. */
uint64_t hal_clock_ns(void);

/* How often the scheduler took the processor away so far. */
uint64_t hal_involuntary_switches(void);

#endif
