/* SPDX-License-Identifier: MIT */
/*
 * In place of timing.c, <kind>_timing.c and the meter: an agent that times nothing.
 *
 * For targets whose time means nothing, as emulators: they count instructions instead.
 */
#include "kind.h"

static enum status refuse(void) { return STATUS_BAD_REQUEST; }

const struct kind_timing assay_timing = {refuse, refuse, refuse, refuse};

void timing_prepare(void) {}
enum status timing_counters(void) { return STATUS_OK; } /* there are none */
enum status timing_select(void) { return STATUS_BAD_REQUEST; }
enum status timing_clock(void) { return STATUS_BAD_REQUEST; }
enum status timing_loop(void) { return STATUS_BAD_REQUEST; }

enum status timing_classes(enum status (*perform)(int code))
{
    (void)perform;
    return STATUS_BAD_REQUEST;
}
