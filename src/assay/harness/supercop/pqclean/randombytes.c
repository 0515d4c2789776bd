/* SPDX-License-Identifier: MIT */

/* randombytes.c - PQClean's name and types for the harness's random bytes. */

#include <stddef.h>
#include <stdint.h>

extern int randombytes(unsigned char *, unsigned long long);
extern int PQCLEAN_randombytes(uint8_t *output, size_t n);

int PQCLEAN_randombytes(uint8_t *output, size_t n)
{
  return randombytes(output, n);
}
