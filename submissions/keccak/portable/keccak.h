/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-3 (FIPS 202) in portable C: SHA3-224, SHA3-256, SHA3-384, SHA3-512.
 *
 * out_size is 224, 256, 384 or 512.  Messages are bit strings.  FIPS 202 counts
 * the bits of a byte from the lowest, and whole bytes of data are taken so; the
 * n extra bits of close come as the API has them, the first with value 128.
 *
 * The context must be aligned as its type says; "data" and "dst" take any
 * alignment.
 */

#ifndef keccak_h__
#define keccak_h__

#include <stddef.h>

#if defined __UINT32_TYPE__
typedef __UINT32_TYPE__ keccak_u32;
#elif defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t keccak_u32;
#else
typedef uint_fast32_t keccak_u32;
#endif
#else
#include <limits.h>
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int keccak_u32;
#else
typedef unsigned long keccak_u32;
#endif
#endif

typedef struct {
	keccak_u32 s[50];       /* 25 lanes, low half first */
	unsigned ptr;           /* bytes in the block, below rate */
	unsigned rate;          /* bytes in a block */
} keccak_context;

void keccak_init(keccak_context *cc, unsigned out_size);

void keccak(keccak_context *cc, const void *data, size_t len);

void keccak_close(keccak_context *cc, unsigned ub, unsigned n, void *dst);

#endif
