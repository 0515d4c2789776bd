/* SPDX-License-Identifier: CC0-1.0 */
#ifndef shabal_h__
#define shabal_h__

/*
 * Shabal for amd64 (System V ABI), all output sizes that
 * are a multiple of 32 bits from 32 to 512.
 */

#include <stddef.h>

typedef struct {
	unsigned int state[65];		/* 260 bytes, aligned to 4 */
} shabal_context;

void shabal_init(shabal_context *cc, unsigned out_size);

void shabal(shabal_context *cc, const void *data, size_t len);

void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
