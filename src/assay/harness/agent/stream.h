/* SPDX-License-Identifier: MIT */
/* What the files of the kind `stream` share. */
#ifndef ASSAY_AGENT_STREAM_H
#define ASSAY_AGENT_STREAM_H

#include "agent.h"

#include "../subject/stream.h"

enum function {
    FUNCTION_INIT,
    FUNCTION_KEYSETUP,
    FUNCTION_IVSETUP,
    FUNCTION_ENCRYPT_BYTES,
    FUNCTION_DECRYPT_BYTES,
    FUNCTION_ENCRYPT_BLOCKS,
    FUNCTION_DECRYPT_BLOCKS,
    FUNCTION_KEYSTREAM_BYTES,
    FUNCTION_KEYSTREAM_BLOCKS,
    FUNCTION_ENCRYPT_PACKET,
    FUNCTION_DECRYPT_PACKET,
    FUNCTION_AUTHENTICATE_BYTES,
    FUNCTION_AUTHENTICATE_BLOCKS,
    FUNCTION_FINALIZE,
    FUNCTION_COUNT,
    FUNCTION_THREADS = FUNCTION_COUNT,
    FUNCTION_LONG
};

#define BESIDE_BYTES 1024u /* that each of two threads encrypts, again and again */

enum status stream_threads(struct call *c);
enum status stream_long(struct call *c);

/* --- stream_calls.c: a subject whose functions are called as the bench's requests call them */

const struct assay_stream_subject *stream_by_calls(void);
enum status stream_calls_status(void); /* of the first that went wrong since the last time */

#endif
