/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Shabal (all output sizes 32, 64 ... 512 bits): compact implementation
 * for MIPS32 release 1 (in fact MIPS I), little-endian.
 *
 * A context must be aligned like an unsigned int (32 bits in every ABI of
 * this architecture).  It may be copied at any time, to any address that is
 * so aligned.  Message and result may have any alignment; neither may
 * overlap the context.
 */
#ifndef shabal_h__
#define shabal_h__

#include <stddef.h>

typedef struct {
	unsigned int shabal_w[194];	/* private, see shabal.S */
} shabal_context;

void shabal_init(shabal_context *cc, unsigned out_size);

void shabal(shabal_context *cc, const void *data, size_t len);

void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
