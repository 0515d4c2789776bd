/* SPDX-License-Identifier: MIT */
/* What the files of the kind `stream` share. */
#ifndef ASSAY_AGENT_STREAM_H
#define ASSAY_AGENT_STREAM_H

#include "agent.h"

#include "../subject/stream.h"

#define BESIDE_BYTES 1024u /* that each of two threads encrypts, again and again */

enum status stream_threads(struct call *c);
enum status stream_long(struct call *c);

#endif
