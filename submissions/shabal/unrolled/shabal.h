/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Shabal in portable C, unrolled: see shabal.c for how it works and for what it
 * needs.  The fields of the context are those of the Shabal paper, section 2.1.
 *
 * out_size is any multiple of 32 from 32 to 512.  The context must be aligned
 * as its type says; "data" and "dst" take any alignment.
 */

#ifndef shabal_h__
#define shabal_h__

#include <stddef.h>

#if defined __UINT32_TYPE__
typedef __UINT32_TYPE__ shabal_u32;
#elif defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t shabal_u32;
#else
typedef uint_fast32_t shabal_u32;
#endif
#else
#include <limits.h>
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int shabal_u32;
#else
typedef unsigned long shabal_u32;
#endif
#endif

typedef struct {
	unsigned char buf[64];  /* the block being filled */
	unsigned ptr;           /* bytes in it, 0 to 63 */
	shabal_u32 state[44];   /* A (12), B (16), C (16) */
	shabal_u32 Wlow, Whigh; /* number of the block to come */
	unsigned out_size;      /* in bits */
} shabal_context;

void shabal_init(shabal_context *cc, unsigned out_size);

void shabal(shabal_context *cc, const void *data, size_t len);

void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
