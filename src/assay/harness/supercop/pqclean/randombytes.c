/* SPDX-License-Identifier: MIT */

/* randombytes.c - PQClean's name and types for the harness's random bytes. */

#include <stddef.h>
#include <stdint.h>

#include "../include/randombytes.h"

extern int PQCLEAN_randombytes(uint8_t *output, size_t n);

int PQCLEAN_randombytes(uint8_t *output, size_t n)
{
  randombytes(output, n);
  return 0;
}
