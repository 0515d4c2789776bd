/* SPDX-License-Identifier: MIT */
#ifndef toy_h__
#define toy_h__

#include <stddef.h>
#include <limits.h>

#if UINT_MAX >= 0xFFFFFFFFUL
typedef unsigned int toy_u32;
#else
typedef unsigned long toy_u32;
#endif

/* A toy: no hash that anybody should use. */
typedef struct {
    toy_u32 h;
    toy_u32 bits;
} toy_context;

void toy_init(toy_context *cc, unsigned out_size);

void toy(toy_context *cc, const void *data, size_t len);

void toy_close(toy_context *cc, unsigned ub, unsigned n, void *dst);

#endif
