/* SPDX-License-Identifier: MIT */
/*
 * What the agent knows of the kind of its subject.
 *
 * An agent is linked with exactly one `<kind>.c`, which defines assay_kind, and
 * with exactly one of `<kind>_timing.c` and untimed.c, which define assay_timing.
 */
#ifndef ASSAY_AGENT_KIND_H
#define ASSAY_AGENT_KIND_H

#include "agent.h"

struct kind {
    const char *name;
    void (*describe)(void);                    /* gives all that follows the kind's name */
    enum status (*call)(struct call *request); /* checks the request and performs it */
    enum status (*script)(void);               /* performs many steps; NULL: there are none */
};

struct kind_timing {
    enum status (*setup)(void);
    enum status (*calibrate)(void);
    enum status (*time)(void);
    enum status (*repeat)(void); /* what was timed, by calls as any other request makes them */
};

extern const struct kind assay_kind;
extern const struct kind_timing assay_timing;

#endif
