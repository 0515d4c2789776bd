/* SPDX-License-Identifier: MIT */
/* The part of hal.h that a machine without signals and threads cannot do. */

#include "hal.h"

int hal_beside(enum hal_beside how, void (*work)(void *), void *argument,
               void (*other)(void *), void *other_argument)
{
    (void)how, (void)work, (void)argument, (void)other, (void)other_argument;
    return 0;
}

int hal_in_thread(uint32_t stack_bytes, void (*work)(void *), void *argument)
{
    (void)stack_bytes, (void)work, (void)argument;
    return 0;
}

/* heap.c has others for packages that use a heap. */
__attribute__((weak)) uint64_t hal_heap_bytes(void) { return HAL_UNKNOWN; }
__attribute__((weak)) void hal_heap_use(uint32_t *allocations, uint64_t *most)
{
    *allocations = 0;
    *most = 0;
}
