/* SPDX-License-Identifier: MIT */
/* The kind `bare`, timed: batches of nothing, for the sake of the loops behind them. */
#include "kind.h"

#include <stddef.h>

static enum status refuse(void) { return STATUS_BAD_REQUEST; }

static void nothing(const void *unused) { (void)unused; }

static enum status answer_time(void) { return timing_series(nothing, nothing, nothing, NULL); }

const struct kind_timing assay_timing = {refuse, refuse, answer_time, refuse};
