/* SPDX-License-Identifier: MIT */
/* Arm MPS2 with the images AN385 (Cortex-M3) and AN386 (Cortex-M4): 4 MiB each of ROM and RAM. */

#define BOARD_ARENA_BYTES (2u << 20)
#define BOARD_FRAME_BYTES (1u << 16)
#define BOARD_HZ 25000000u /* the processor's clock */
