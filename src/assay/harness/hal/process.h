/* SPDX-License-Identifier: MIT */
/* What process.c needs of the operating system: posix.c, linux.c and win32.c have it. */
#ifndef ASSAY_PROCESS_H
#define ASSAY_PROCESS_H

#include <stddef.h>
#include <stdint.h>

size_t hal_process_read(uint8_t *to, size_t room);                 /* 0: the bench has gone */
int hal_process_asked(void);                                       /* 1: reading would not wait */
void hal_process_write(const uint8_t *from, size_t length);        /* all, or ends the process */
int hal_process_keep(const uint8_t *from, size_t length);          /* 0: no room, nothing done */
int hal_process_kept(uint8_t *to, size_t length);
void *hal_process_regrow(void *block, size_t size, size_t wanted); /* NULL: no memory */

/* hal/posix_watch.c: 1: the fault was a write to what is watched, and the code goes on. */
int watch_fault(int number, uintptr_t address, void *context);

#endif
