/* SPDX-License-Identifier: MIT */
/*
 * What a board without an operating system has to give. docs/guide/porting.md is the manual.
 *
 * A port is boards/<port>.c with three functions and boards/<port>.h with constants;
 * every file of the harness is compiled with `-include boards/<port>.h`:
 *
 *     BOARD_ARENA_BYTES   memory for the buffers that the bench asks for
 *     BOARD_FRAME_BYTES   largest payload of a request, and of an answer: twice in RAM
 *     BOARD_HZ            how often board_ticks() counts in a second; 0: not at all
 *     BOARD_OPERATION_ARENA_BYTES  optional: that memory in agents of operations
 *     BOARD_HEAP_BYTES    optional: for packages that call malloc (a quarter of the arena)
 *     BOARD_PIECES        optional: how many buffers at a time (64)
 *     ASSAY_SMALL         optional: saves a kilobyte of RAM
 */
#ifndef ASSAY_BOARD_H
#define ASSAY_BOARD_H

#include <stdint.h>

int board_read(void);           /* waits for the next byte; -1: there will be none */
void board_write(uint8_t byte); /* waits until the byte can be taken */
uint32_t board_ticks(void);     /* a counter that always runs, and wraps; 0 if there is none */

/* --- A port may have these, too; otherwise those of hal/board.c do for them. */

void board_open(int argc, char **argv); /* before anything else of the port is called */

/* Runs work(argument); returns 0, or the POSIX number of the fault that ended it, with
 * the address that could not be reached in *address (0: not known). */
int board_guarded(void (*work)(void *), void *argument, uintptr_t *address);

/* How many bytes of stack are free below this address; 0: not known. */
uint32_t board_stack_room(uintptr_t stack_pointer);

/* The lowest address that the stack may have; NULL: not known. */
uint8_t *board_stack_end(void);

#endif
