/* SPDX-License-Identifier: CC0-1.0 */

/*
 * BLAKE2s without key (RFC 7693) in portable C.
 *
 * out_size is any multiple of 8 from 8 to 256.
 *
 * BLAKE2s is defined for strings of bytes only.  There is no hash of a message
 * with extra bits: close ignores ub and n, whatever they are, and gives the
 * hash of the whole bytes.
 *
 * The context must be aligned as its type says; "data" and "dst" take any
 * alignment.
 */

#ifndef blake2s_h__
#define blake2s_h__

#include <stddef.h>

#if defined __UINT32_TYPE__
typedef __UINT32_TYPE__ blake2s_u32;
#elif defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t blake2s_u32;
#else
typedef uint_fast32_t blake2s_u32;
#endif
#else
#include <limits.h>
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int blake2s_u32;
#else
typedef unsigned long blake2s_u32;
#endif
#endif

typedef struct {
	blake2s_u32 m[16];      /* the block being filled */
	blake2s_u32 h[8];
	blake2s_u32 t[2];       /* bytes so far, low half first */
	unsigned ptr;           /* bytes in the block, 0 to 64 */
	unsigned out_size;      /* in bits */
} blake2s_context;

void blake2s_init(blake2s_context *cc, unsigned out_size);

void blake2s(blake2s_context *cc, const void *data, size_t len);

void blake2s_close(blake2s_context *cc, unsigned ub, unsigned n, void *dst);

#endif
