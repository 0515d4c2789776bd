/* SPDX-License-Identifier: MIT */

/* randombytes.c - what code compiled by Jasmin calls for random bytes, and expects back. */

#include <stdint.h>

#include "../include/randombytes.h"

extern uint8_t *__jasmin_syscall_randombytes__(uint8_t *output, uint64_t n);

uint8_t *__jasmin_syscall_randombytes__(uint8_t *output, uint64_t n)
{
  randombytes(output, n);
  return output;
}
