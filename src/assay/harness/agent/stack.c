/* SPDX-License-Identifier: MIT */
/*
 * How deep a call reaches into the stack.
 *
 * The stack below the call is painted just before it and looked at just after
 * it, in the same request, so that the agent's own reading and answering leave
 * no trace in the result. What counts is the touched byte farthest from the top;
 * what a call reserves and never writes is not seen. The paint is an ordinary
 * local array of a function that has returned, so it lies where the next callee's
 * frame will lie, whichever way the stack grows.
 */
#include "agent.h"

#include "../hal/hal.h"

#define NOINLINE __attribute__((noinline))

#define END_KEPT 64u /* of the room, for what looks whether calls went beyond it */

static uint32_t wanted, depth;
static uint32_t length;           /* of the paint */
static volatile uint8_t *painted; /* the lowest byte of the paint */
static int upwards;               /* 1: the stack grows towards higher addresses */

/* At one address every value, as the length of the paint goes through 256 of them. */
static uint8_t pattern(const volatile uint8_t *place)
{
    return (uint8_t)((0x5au ^ ((unsigned)(uintptr_t)place * 37u)) + wanted);
}

static NOINLINE void paint(const volatile uint8_t *caller, uint32_t bytes)
{
    volatile uint8_t room[bytes];
    uint32_t i;

    length = bytes;
    for (i = 0; i < bytes; i++)
        room[i] = pattern(room + i);
    painted = room;
    upwards = (uintptr_t)room > (uintptr_t)caller;
}

/* From the far end of the paint to the first byte that has changed. */
static NOINLINE uint32_t touched(void)
{
    uint32_t i;

    for (i = 0; i < length; i++) {
        uint32_t place = upwards ? length - 1 - i : i;

        if (painted[place] != pattern(painted + place))
            break;
    }
    return length - i;
}

NOINLINE enum status stack_watched(void (*work)(void *), void *argument)
{
    volatile uint8_t here = 0;
    enum status status;

    modes_enter();
    if (wanted)
        paint(&here, wanted);
    status = guarded(work, argument);
    if (wanted)
        depth = touched();
    modes_leave();
    return status;
}

/* The same for what is under the fault guard already: deeper than where it was asked for. */
NOINLINE void stack_within(void (*work)(void *), void *argument)
{
    volatile uint8_t here = 0;
    uint32_t room = wanted ? hal_stack_room((uintptr_t)&here) : 0;

    if (wanted) {
        room = room > END_KEPT ? room - END_KEPT : 1;
        paint(&here, wanted < room ? wanted : room);
    }
    work(argument);
    if (wanted)
        depth = touched();
}

enum status stack_paint(void)
{
    volatile uint8_t here = 0;
    uint32_t asked = take_u32(), room = hal_stack_room((uintptr_t)&here);

    if (frame_bad() || room == 0)
        return STATUS_BAD_REQUEST;
    wanted = asked < room ? asked : room;
    depth = 0;
    give_u32(wanted);
    return STATUS_OK;
}

enum status stack_depth(void)
{
    if (wanted == 0)
        return STATUS_BAD_REQUEST;
    give_u32(depth);
    return STATUS_OK;
}
