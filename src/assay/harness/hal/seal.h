/* SPDX-License-Identifier: MIT */
/* The seal of a process, and memory that a sealed process can still get; see seal.c. */
#ifndef ASSAY_SEAL_H
#define ASSAY_SEAL_H

#include <stddef.h>

/* Seals the process for good. 0: it cannot be had on this system, or for this architecture. */
int seal_close(void);

/* Maps memory that can be unmapped again; `protection` as for mmap. NULL: there is none. */
void *seal_map(size_t size, int protection);

/* Makes whole pages of it, where nothing is yet, readable and writable. 0: that failed. */
int seal_fill(void *at, size_t size);

/* Lets a signal have its default effect again. 0: the process is not sealed. */
int seal_default(int signal_number);

#endif
