/* SPDX-License-Identifier: MIT */
/* The board that is no board: a program of this machine behind a terminal. */

#define BOARD_ARENA_BYTES (1u << 20)
#define BOARD_FRAME_BYTES (1u << 16)
#define BOARD_HZ 1000000u
