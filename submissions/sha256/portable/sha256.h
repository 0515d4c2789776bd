/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-256 and SHA-224 (FIPS 180-4) in portable C.
 *
 * out_size is 224 or 256.  Messages are bit strings: the n extra bits that
 * close takes are hashed as FIPS 180-4 has it.  The context must be aligned as
 * its type says; "data" and "dst" take any alignment.
 */

#ifndef sha256_h__
#define sha256_h__

#include <stddef.h>

#if defined __UINT32_TYPE__
typedef __UINT32_TYPE__ sha256_u32;
#elif defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t sha256_u32;
#else
typedef uint_fast32_t sha256_u32;
#endif
#else
#include <limits.h>
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int sha256_u32;
#else
typedef unsigned long sha256_u32;
#endif
#endif

typedef struct {
	sha256_u32 m[16];       /* the block being filled */
	sha256_u32 count[2];    /* bytes so far, low half first */
	sha256_u32 h[8];
	unsigned out_size;      /* in bits */
} sha256_context;

void sha256_init(sha256_context *cc, unsigned out_size);

void sha256(sha256_context *cc, const void *data, size_t len);

void sha256_close(sha256_context *cc, unsigned ub, unsigned n, void *dst);

#endif
