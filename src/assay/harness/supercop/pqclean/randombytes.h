/* SPDX-License-Identifier: MIT */

/* randombytes.h - random bytes as packages of PQClean's layout ask for them; 0 if they came. */

#ifndef PQCLEAN_RANDOMBYTES_H
#define PQCLEAN_RANDOMBYTES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int randombytes(uint8_t *output, size_t n);

#ifdef __cplusplus
}
#endif

#endif
