/* SPDX-License-Identifier: MIT */

/* randombytes.c - the harness's random bytes for callers who give a length of fewer bits. */

#include <stdint.h>

extern int randombytes(unsigned char *, unsigned long long);
extern int assay_randombytes_16(unsigned char *output, uint16_t n);
extern int assay_randombytes_32(unsigned char *output, uint32_t n);

int assay_randombytes_16(unsigned char *output, uint16_t n)
{
  return randombytes(output, n);
}

int assay_randombytes_32(unsigned char *output, uint32_t n)
{
  return randombytes(output, n);
}
