/* SPDX-License-Identifier: MIT */

/* randombytes.c - liboqs's and Jasmin's names for the harness's random bytes. */

#include <stddef.h>
#include <stdint.h>

#include "../include/randombytes.h"

extern void OQS_randombytes(uint8_t *output, size_t n);
extern uint8_t *__jasmin_syscall_randombytes__(uint8_t *output, uint64_t n);

void OQS_randombytes(uint8_t *output, size_t n)
{
  randombytes(output, n);
}

uint8_t *__jasmin_syscall_randombytes__(uint8_t *output, uint64_t n)
{
  randombytes(output, n);
  return output;
}
