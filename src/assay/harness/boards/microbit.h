/* SPDX-License-Identifier: MIT */
/* BBC micro:bit: nRF51822, Cortex-M0 at 16 MHz, 256 KiB of flash, 16 KiB of RAM. */

#define BOARD_ARENA_BYTES 7168u
#define BOARD_FRAME_BYTES 1024u
#define BOARD_HZ 16000000u
#define BOARD_HEAP_BYTES 1536u
#define BOARD_PIECES 32
#define ASSAY_SMALL
