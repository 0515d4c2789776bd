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

/*
 * One computation: 256 bytes that hold no pointer and need the alignment
 * of a 32-bit word.  What the words mean is told in shabal.S.
 */
typedef struct {
	shabal_u32 shabal_words[64];
} shabal_context;

/* Starts a hash of out_size bits: a multiple of 32, from 32 to 512. */
void shabal_init(shabal_context *cc, unsigned out_size);

/* Adds len bytes; data may be null if len is zero. */
void shabal(shabal_context *cc, const void *data, size_t len);

/*
 * Adds the n (0 to 7) top bits of the low byte of ub, and writes the
 * out_size / 8 bytes of the hash at dst.  cc must be initialized again
 * before any other use.
 */
void shabal_close(shabal_context *cc, unsigned ub, unsigned n, void *dst);

#endif
