/* SPDX-License-Identifier: MIT */

/* randombytes.c - liboqs's name for the harness's random bytes. */

#include <stddef.h>
#include <stdint.h>

#include "../include/randombytes.h"

extern void OQS_randombytes(uint8_t *output, size_t n);

void OQS_randombytes(uint8_t *output, size_t n)
{
  randombytes(output, n);
}
