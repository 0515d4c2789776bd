/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Shabal in AVR assembly: see shabal.S for how it works and for what it needs.
 *
 * out_size is any multiple of 32 from 32 to 512.  The context, "data" and
 * "dst" take any alignment.
 */

#ifndef shabal_h__
#define shabal_h__

#include <stddef.h>

typedef struct {
	unsigned char state[256];
} shabal_context;

void shabal_init(shabal_context *cc, unsigned out_size);

void shabal(shabal_context *cc, const void *data, size_t len);

void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
