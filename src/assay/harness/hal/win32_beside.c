/* SPDX-License-Identifier: MIT */
/* Submitted code that runs while other submitted code does, on Windows: in a thread. */

#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0601

#include "hal.h"

#include <malloc.h>
#include <windows.h>

struct job {
    void (*run)(void *);
    void *argument;
};

static struct job beside; /* a fault in `work` leaves its thread running */
static volatile LONG finished;

static DWORD WINAPI repeat(void *unused)
{
    (void)unused;
    while (!finished)
        beside.run(beside.argument);
    return 0;
}

/* There are no handlers that interrupt a thread: how == HAL_HANDLER is never run. */
int hal_beside(enum hal_beside how, void (*work)(void *), void *argument, void (*other)(void *),
               void *other_argument)
{
    HANDLE thread;

    if (how != HAL_THREAD)
        return 0;
    finished = 0;
    beside.run = other;
    beside.argument = other_argument;
    thread = CreateThread(NULL, 0, repeat, NULL, 0, NULL);
    if (thread == NULL)
        return 0;
    work(argument);
    finished = 1;
    WaitForSingleObject(thread, INFINITE);
    CloseHandle(thread);
    return 1;
}

/* Faults and hangs are caught in the first thread alone. */
int hal_in_thread(uint32_t stack_bytes, void (*work)(void *), void *argument)
{
    (void)stack_bytes, (void)work, (void)argument;
    return 0;
}

uint64_t hal_heap_bytes(void)
{
    HANDLE heap = (HANDLE)_get_heap_handle();
    PROCESS_HEAP_ENTRY entry = {0};
    uint64_t sum = 0;

    if (!HeapLock(heap))
        return HAL_UNKNOWN;
    while (HeapWalk(heap, &entry))
        if (entry.wFlags & PROCESS_HEAP_ENTRY_BUSY)
            sum += entry.cbData;
    HeapUnlock(heap);
    return sum;
}
