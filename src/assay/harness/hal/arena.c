/* SPDX-License-Identifier: MIT */
/* The memory that board.c makes buffers of: as much as the port says. */
#include <stddef.h>
#include <stdint.h>

#ifndef ARENA_BYTES
#define ARENA_BYTES BOARD_ARENA_BYTES
#endif

uint8_t hal_arena[ARENA_BYTES] __attribute__((aligned(16)));
const size_t hal_arena_bytes = sizeof hal_arena;
