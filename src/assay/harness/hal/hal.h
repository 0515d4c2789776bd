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

/* Before a signal handler: QEMU 7.2 enters those of x86 with a stack that is not
 * aligned as the ABI says, and instructions of SSE then fault. */
#if (defined(__x86_64__) || defined(__i386__)) && !defined(__TINYC__)
#define HAL_HANDLER_ENTRY __attribute__((force_align_arg_pointer))
#else
#define HAL_HANDLER_ENTRY
#endif

/* The byte pipe to the bench. */
void hal_open(int argc, char **argv);
int hal_read(void *to, size_t length);         /* 1: all there, 0: the bench has gone */
int hal_pending(void);                         /* 1: a further request has arrived */
void hal_write(const void *from, size_t length);
void hal_flush(void);

/* Puts bytes where no address leads, and wipes them; hal_kept() takes them out in order, once. What
 * was left of those before is lost. 0: there is no such place for so many. */
int hal_keep(void *from, size_t length);
int hal_kept(void *to, size_t length); /* 0: there are not so many */

/* Largest payload of a request or an answer, in bytes, and how many bytes of
 * requests may be on their way before their answers are read (0: one request). */
uint32_t hal_largest_payload(void);
uint32_t hal_in_flight_bytes(void);

/* Makes a block of at least `wanted` bytes of *block, which has *size (NULL and 0
 * at first), keeping its content. There are two such blocks: the request's and the
 * answer's. 0: no memory, and *block is as it was. */
int hal_grow(uint8_t **block, uint32_t *size, uint32_t wanted);

/* Before the first submitted code: nothing tells any more how the agent was started. With
 * `replace`, arguments look like those of any program, instead of being gone. */
void hal_forget(int argc, char **argv, int replace);

/* After that: from now on the system refuses what submitted code could change the agent with,
 * as far as that can be had. */
void hal_seal(void);

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
int hal_protect(struct hal_region *region); /* 1: a write to it faults from now on */
/* Counts writes to a region from now on, and the most of `length` bytes at a place in it that
 * ever were as `expected`, until they are asked for. 0: that cannot be had here. */
int hal_watch(const struct hal_region *region, const uint8_t *at, const uint8_t *expected,
              uint32_t length);
int hal_watched(uint32_t *writes, uint32_t *most);
uint32_t hal_page_bytes(void); /* 0: there are no inaccessible pages here */

/* As many zero bytes, readable only, that take no memory; NULL where impossible. */
const uint8_t *hal_map_zeros(uint64_t size);
void hal_unmap_zeros(const uint8_t *zeros, uint64_t size);

/* How many bytes may be written below (where the stack grows up: above) this
 * address on the stack; 0: not known, and the stack is left alone. */
uint32_t hal_stack_room(uintptr_t stack_pointer);

/* Runs work(argument); returns 0, or the number of the fault that ended it
 * (a signal number as docs/reference/protocol.md lists them) with the faulting address in
 * *address. HAL_NO_STACK: the stack reached into other memory. */
#define HAL_NO_STACK 255
int hal_guarded(void (*work)(void *), void *argument, uintptr_t *address);

/* Runs work(argument) while other(other_argument) runs again and again: in a
 * handler that interrupts it, or in a thread. 0: there are none here, and nothing
 * was run; hal/alone.c says so for ports without an operating system. */
enum hal_beside { HAL_HANDLER, HAL_THREAD };
int hal_beside(enum hal_beside how, void (*work)(void *), void *argument,
               void (*other)(void *), void *other_argument);

/* Runs work(argument) in a thread of its own that has so much stack, while we wait for its end. It
 * may use hal_guarded(). 0: there are no threads here, and nothing was run. */
int hal_in_thread(uint32_t stack_bytes, void (*work)(void *), void *argument);

/* Bytes that the C library's heap has given out, or HAL_UNKNOWN. */
#define HAL_UNKNOWN UINT64_MAX
uint64_t hal_heap_bytes(void);

/* Where the heap is ours: allocations since this was last asked, and the most bytes at a time
 * beyond those that were out then. */
void hal_heap_use(uint32_t *allocations, uint64_t *most);

/* Nanoseconds of a monotonic clock. */
uint64_t hal_clock_ns(void);

/* How often the scheduler took the processor away so far. */
uint64_t hal_involuntary_switches(void);

/* Nanoseconds that this process has had a processor, its threads together; 0: not known. */
uint64_t hal_processor_ns(void);

/* From now on no file is opened and no process begun, as far as that can be had. */
void hal_close_doors(void);

#endif
