/* SPDX-License-Identifier: MIT */
/* Operations have fewer buffers than ciphers, and need more stack: a port may divide its memory
 * in another way for them. */
#ifdef BOARD_OPERATION_ARENA_BYTES
#define ARENA_BYTES BOARD_OPERATION_ARENA_BYTES
#endif

#include "arena.c"
