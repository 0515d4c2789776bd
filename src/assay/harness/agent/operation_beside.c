/* SPDX-License-Identifier: MIT */
/* A call of an operation that a thread repeats while the other steps of a script go on. */

#include "kind.h"
#include "operation.h"

#include "../hal/hal.h"

#include <stddef.h>

#define LONGEST_START_NS 100000000u

struct first {
    void (*work)(void *);
    void *argument;
    enum status status;
};

static const struct assay_function *function;
static union assay_word words[ASSAY_MOST_PARAMETERS];
static volatile int begun;

static void other(void *unused)
{
    (void)unused;
    begun = 1;
    (void)function->call(words);
}

/* A fault must not leave the thread running: it ends here. */
static void guarded_work(void *argument)
{
    struct first *first = argument;
    uint64_t end = hal_clock_ns() + LONGEST_START_NS;

    while (!begun && hal_clock_ns() < end)
        ;
    first->status = guarded(first->work, first->argument);
}

enum status operation_beside(void (*work)(void *), void *argument)
{
    struct first first = {work, argument, STATUS_OK};

    function = operation_function(take_u8());
    if (function == NULL || random_is_shared() || !take_arguments(function->parameters, words))
        return STATUS_BAD_REQUEST;
    begun = 0;
    if (!hal_beside(HAL_THREAD, guarded_work, &first, other, NULL))
        return STATUS_BAD_REQUEST;
    return first.status;
}
