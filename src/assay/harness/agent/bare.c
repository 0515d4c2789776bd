/* SPDX-License-Identifier: MIT */
/*
 * The kind `bare`: an agent without a subject. The bench asks it what it must know of the
 * machine, because no package is linked with it and can change its answers.
 */
#include "kind.h"

#include <stddef.h>

static void describe(void) {}

static enum status call(struct call *request)
{
    (void)request;
    return STATUS_BAD_REQUEST;
}

const struct kind assay_kind = {"bare", describe, call, NULL};
