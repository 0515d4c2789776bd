/* SPDX-License-Identifier: MIT */
/* Running submitted code so that a fault in it is an answer, not the agent's end; on request
 * in a thread of its own. */

#include "agent.h"

#include "../hal/hal.h"

struct job {
    void (*work)(void *);
    void *argument;
    uintptr_t address;
    int number;
};

static uint32_t stack_bytes; /* of the threads that calls get; 0: they get none */

static void run(void *argument)
{
    struct job *job = argument;

    job->number = hal_guarded(job->work, job->argument, &job->address);
}

enum status guarded(void (*work)(void *), void *argument)
{
    struct job job = {work, argument, 0, 0};
    const struct frame_kept kept = frame_keep();
    int64_t offset;

    if (left_wanted())
        left_clear();
    if (stack_bytes == 0)
        run(&job);
    else if (!hal_in_thread(stack_bytes, run, &job))
        return STATUS_NO_MEMORY;
    if (left_wanted())
        left_keep();
    if (job.number == 0)
        return STATUS_OK;
    give_reset();
    if (job.number == HAL_NO_STACK) { /* it went on into static memory, ours too */
        frame_recover(&kept);
        give_u32(hal_stack_room((uintptr_t)&job));
        return STATUS_NO_MEMORY;
    }
    give_u8((uint8_t)job.number);
    give_u64((uint64_t)job.address);
    give_u8((uint8_t)buffer_near(job.address, &offset));
    give_u64((uint64_t)offset);
    return STATUS_FAULT;
}

static void nothing(void *unused) { (void)unused; }

enum status thread_set(void)
{
    uint32_t wanted = take_u32();

    if (frame_bad() || (wanted && !hal_in_thread(wanted, nothing, NULL)))
        return STATUS_BAD_REQUEST;
    stack_bytes = wanted;
    return STATUS_OK;
}
