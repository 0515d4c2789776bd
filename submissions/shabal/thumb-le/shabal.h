/* SPDX-License-Identifier: CC0-1.0 */
#ifndef shabal_h__
#define shabal_h__

#include <stddef.h>
#include <limits.h>
#if defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t shabal_u32;
#else
typedef uint_fast32_t shabal_u32;
#endif
#else
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int shabal_u32;
#else
typedef unsigned long shabal_u32;
#endif
#endif

/* 320 bytes, aligned as a 32-bit word (4); see shabal.S for the layout. */
typedef struct {
	shabal_u32 state[80];
} shabal_context;

void shabal_init(shabal_context *cc, unsigned out_size);

void shabal(shabal_context *cc, const void *data, size_t len);

void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
