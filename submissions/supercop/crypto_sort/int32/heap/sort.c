/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Sorts 32-bit signed integers in place with a heap, in n log n steps that depend on the
 * items: this is no code for secrets.
 *
 * J. W. J. Williams, "Algorithm 232: Heapsort" (1964); R. W. Floyd, "Algorithm 245:
 * Treesort 3" (1964). The items below place i are at 2i + 1 and 2i + 2.
 */

#include <stdint.h>
#include "crypto_sort.h"

/* Lets the item at `place` sink until no item below it is larger. */
static void sink(int32_t *x, long long place, long long n)
{
    const int32_t item = x[place];
    long long below;

    for (; (below = 2 * place + 1) < n; place = below) {
        if (below + 1 < n && x[below + 1] > x[below])
            ++below;
        if (x[below] <= item)
            break;
        x[place] = x[below];
    }
    x[place] = item;
}

void crypto_sort(void *array, long long n)
{
    int32_t *x = array;
    int32_t largest;
    long long i;

    for (i = n / 2 - 1; i >= 0; --i)
        sink(x, i, n);
    for (i = n - 1; i > 0; --i) {
        largest = x[0];
        x[0] = x[i];
        x[i] = largest;
        sink(x, 0, i);
    }
}
