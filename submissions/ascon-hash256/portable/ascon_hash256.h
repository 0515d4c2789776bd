/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Ascon-Hash256 (NIST SP 800-232, not Ascon v1.2) in portable C.
 *
 * out_size is 256.  Messages are bit strings.
 * SP 800-232 counts the bits of a byte from the lowest, and whole bytes of data
 * are taken so; the n extra bits of close come as the API has them, the first
 * with value 128.
 *
 * The context must be aligned as its type says; "data" and "dst" take any
 * alignment.
 */

#ifndef ascon_hash256_h__
#define ascon_hash256_h__

#include <stddef.h>

#if defined __UINT32_TYPE__
typedef __UINT32_TYPE__ ascon_hash256_u32;
#elif defined __STDC__ && __STDC_VERSION__ >= 199901L
#include <stdint.h>
#ifdef UINT32_MAX
typedef uint32_t ascon_hash256_u32;
#else
typedef uint_fast32_t ascon_hash256_u32;
#endif
#else
#include <limits.h>
#if ((UINT_MAX >> 11) >> 11) >= 0x3FF
typedef unsigned int ascon_hash256_u32;
#else
typedef unsigned long ascon_hash256_u32;
#endif
#endif

typedef struct {
	ascon_hash256_u32 s[10];        /* five lanes, low half first */
	unsigned ptr;                   /* bytes in the block, 0 to 7 */
} ascon_hash256_context;

void ascon_hash256_init(ascon_hash256_context *cc, unsigned out_size);

void ascon_hash256(ascon_hash256_context *cc, const void *data, size_t len);

void ascon_hash256_close(ascon_hash256_context *cc, unsigned ub, unsigned n, void *dst);

#endif
