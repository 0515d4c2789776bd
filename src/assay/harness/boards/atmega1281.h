/* SPDX-License-Identifier: MIT */
/* ATmega1281 at 16 MHz, 8 KiB of RAM. */

#define BOARD_ARENA_BYTES 4096u
#define BOARD_FRAME_BYTES 512u
#define BOARD_HZ 16000000u
#define BOARD_PIECES 24
#define ASSAY_SMALL

#ifndef BOARD_BAUD
#define BOARD_BAUD 1000000u
#endif
