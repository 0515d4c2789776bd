/* SPDX-License-Identifier: MIT */
/* The filter of system calls that the seal puts on; see seal.c. */
#ifndef ASSAY_SEAL_FILTER_H
#define ASSAY_SEAL_FILTER_H

#include <stdint.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)) && \
    defined(__GLIBC__) && !(defined(__x86_64__) && defined(__ILP32__)) && !defined(__AARCH64EB__)
#define SEALS 1
#else
#define SEALS 0
#endif

#define LARGEST_PART 15 /* of a mapping for 64 bits: its size in units of 4 GiB */

struct seal_window { /* what may be unmapped; no window: both 0 */
    uintptr_t low, high;
};

/* What the default of a signal is set with: the kernel's struct sigaction, all zero. The filter
 * knows its address, and nobody can write to it. */
extern const uint64_t seal_by_default[4];

int seal_filter(const struct seal_window *window); /* for good; 0: it cannot be had */

#endif
