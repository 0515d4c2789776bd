/* SPDX-License-Identifier: MIT */
/* What an agent on Windows does for itself where no jail holds it: over ssh. */
#ifndef ASSAY_WIN32_REMOTE_H
#define ASSAY_WIN32_REMOTE_H

/* argv[5]: seconds of processor time, argv[6]: MiB of memory, argv[7]: 1 for the last processor
 * alone. Does nothing without them, and ends the process if Windows refuses the limits. */
void remote_limit(int argc, char **argv);

/* 1: nobody has the other end of a pipe any more, even if something in it is still unread. */
int remote_deserted(void *pipe);

#endif
