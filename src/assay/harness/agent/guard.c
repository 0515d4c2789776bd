/* SPDX-License-Identifier: MIT */
/* Running submitted code so that a fault in it is an answer, not the agent's end. */

#include "agent.h"

#include "../hal/hal.h"

enum status guarded(void (*work)(void *), void *argument)
{
    uintptr_t address = 0;
    int64_t offset;
    int number = hal_guarded(work, argument, &address);

    if (number == 0)
        return STATUS_OK;
    give_reset();
    give_u8((uint8_t)number);
    give_u64((uint64_t)address);
    give_u8((uint8_t)buffer_near(address, &offset));
    give_u64((uint64_t)offset);
    return STATUS_FAULT;
}
