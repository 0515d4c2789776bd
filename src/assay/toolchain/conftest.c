/* SPDX-License-Identifier: MIT */
/* Ends with 0 if what a compiler makes of common loops computes the right sums.
   The lengths are volatile, so the loops are vectorised and not folded away. */

#include <stdint.h>
#include <stdlib.h>

#define SIZE 256

/* Computed apart, in Python; the sum of halves is exact. */
#define SUM UINT32_C(0x645b7e9e)
#define PRODUCT UINT64_C(0x32157fd36b344dae)
#define SHIFTED UINT32_C(0x23e04cc9)
#define REAL 16576.0

static uint8_t bytes[SIZE];
static uint32_t words[SIZE];
static uint64_t longs[SIZE];
static double reals[SIZE];

static unsigned bits(uint32_t x) {
  unsigned n = 0;
  while (x) {
    x &= x - 1;
    ++n;
  }
  return n;
}

int main(void) {
  volatile int length = SIZE;
  int n = length, i;
  uint32_t sum = 0, shifted = 0;
  uint64_t product = 0;
  double real = 0;

  for (i = 0; i < n; ++i) bytes[i] = (uint8_t)(i * 7 + 3);
  for (i = 0; i < n; ++i) words[i] = (uint32_t)bytes[i] * 0x01000193u;
  for (i = 0; i < n; ++i) words[i] = (words[i] << 7) | (words[i] >> 25);
  for (i = 0; i < n; ++i) longs[i] = (uint64_t)words[i] * words[n - 1 - i];
  for (i = 0; i < n; ++i) reals[i] = (double)bytes[i] * 0.5 + 1.0;
  for (i = 0; i < n; ++i) sum += words[i] ^ bits(words[i]);
  for (i = 0; i < n; ++i) product += longs[i] ^ (longs[i] >> 31);
  for (i = 0; i < n; ++i) real += reals[i];
  for (i = 0; i + 4 <= n; i += 4) shifted += words[i / 4] >> (words[i] & 15);
  return sum == SUM && product == PRODUCT && shifted == SHIFTED && real == REAL
             ? EXIT_SUCCESS
             : EXIT_FAILURE;
}
