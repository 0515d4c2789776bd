/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Sorts 32-bit signed integers in place with Batcher's merge exchange: which items are
 * compared depends on their number alone.
 *
 * D. E. Knuth, "The Art of Computer Programming", volume 3, second edition (1998),
 * section 5.2.2, algorithm M.
 */

#include <stdint.h>
#include "crypto_sort.h"

/* The order of signed integers is that of unsigned ones with the highest bit changed. */
#define SIGN 0x80000000u

/* Exchanges *a and *b if *a > *b, without a branch: the difference then borrows. */
static void order(uint32_t *a, uint32_t *b)
{
    const uint64_t difference = (uint64_t)(*b ^ SIGN) - (*a ^ SIGN);
    const uint32_t change = (*a ^ *b) & (0u - (uint32_t)(difference >> 63));

    *a ^= change;
    *b ^= change;
}

/* Steps M2 to M6 for one p: items that differ in bit p of their number, then those between. */
static void merge(uint32_t *x, long long n, long long top, long long p)
{
    long long q = top;
    long long r = 0;
    long long d = p;
    long long i;

    for (;;) {
        for (i = 0; i < n - d; ++i)
            if ((i & p) == r)
                order(&x[i], &x[i + d]);
        if (q == p)
            return;
        d = q - p;
        q /= 2;
        r = p;
    }
}

void crypto_sort(void *array, long long n)
{
    long long top = 1;
    long long p;

    if (n < 2)
        return;
    while (top < n - top)
        top *= 2;
    for (p = top; p > 0; p /= 2)
        merge(array, n, top, p);
}
