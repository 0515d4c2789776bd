/* SPDX-License-Identifier: MIT */
/* Division, one bit at a time, under the names that compilers call it by. */

#include "runtime.h"

uint32_t assay_divide32(uint32_t n, uint32_t d, uint32_t *rest)
{
    uint32_t r = 0;
    int i;

    for (i = 0; i < 32; i++) {
        uint32_t carry = r >> 31; /* r < d may need a 33rd bit here */

        r = r << 1 | n >> 31;
        n <<= 1;
        if (carry || r >= d) {
            r -= d;
            n |= 1;
        }
    }
    *rest = r;
    return n;
}

uint64_t assay_divide64(uint64_t n, uint64_t d, uint64_t *rest)
{
    uint64_t r = 0;
    int i;

    for (i = 0; i < 64; i++) {
        uint64_t carry = r >> 63;

        r = r << 1 | n >> 63;
        n <<= 1;
        if (carry || r >= d) {
            r -= d;
            n |= 1;
        }
    }
    *rest = r;
    return n;
}

int32_t assay_divide_signed32(int32_t n, int32_t d, int32_t *rest)
{
    uint32_t r, q = assay_divide32(n < 0 ? -(uint32_t)n : (uint32_t)n,
                                   d < 0 ? -(uint32_t)d : (uint32_t)d, &r);

    *rest = (int32_t)(n < 0 ? -r : r);
    return (int32_t)((n < 0) != (d < 0) ? -q : q);
}

int64_t assay_divide_signed64(int64_t n, int64_t d, int64_t *rest)
{
    uint64_t r, q = assay_divide64(n < 0 ? -(uint64_t)n : (uint64_t)n,
                                   d < 0 ? -(uint64_t)d : (uint64_t)d, &r);

    *rest = (int64_t)(n < 0 ? -r : r);
    return (int64_t)((n < 0) != (d < 0) ? -q : q);
}

uint32_t __udivsi3(uint32_t n, uint32_t d);
uint32_t __umodsi3(uint32_t n, uint32_t d);
int32_t __divsi3(int32_t n, int32_t d);
int32_t __modsi3(int32_t n, int32_t d);
uint64_t __udivdi3(uint64_t n, uint64_t d);
uint64_t __umoddi3(uint64_t n, uint64_t d);
uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *rest);
int64_t __divdi3(int64_t n, int64_t d);
int64_t __moddi3(int64_t n, int64_t d);
int64_t __divmoddi4(int64_t n, int64_t d, int64_t *rest);

uint32_t __udivsi3(uint32_t n, uint32_t d)
{
    uint32_t r;

    return assay_divide32(n, d, &r);
}

uint32_t __umodsi3(uint32_t n, uint32_t d)
{
    uint32_t r;

    assay_divide32(n, d, &r);
    return r;
}

int32_t __divsi3(int32_t n, int32_t d)
{
    int32_t r;

    return assay_divide_signed32(n, d, &r);
}

int32_t __modsi3(int32_t n, int32_t d)
{
    int32_t r;

    assay_divide_signed32(n, d, &r);
    return r;
}

uint64_t __udivdi3(uint64_t n, uint64_t d)
{
    uint64_t r;

    return assay_divide64(n, d, &r);
}

uint64_t __umoddi3(uint64_t n, uint64_t d)
{
    uint64_t r;

    assay_divide64(n, d, &r);
    return r;
}

uint64_t __udivmoddi4(uint64_t n, uint64_t d, uint64_t *rest)
{
    uint64_t r, q = assay_divide64(n, d, &r);

    if (rest)
        *rest = r;
    return q;
}

int64_t __divdi3(int64_t n, int64_t d)
{
    int64_t r;

    return assay_divide_signed64(n, d, &r);
}

int64_t __moddi3(int64_t n, int64_t d)
{
    int64_t r;

    assay_divide_signed64(n, d, &r);
    return r;
}

int64_t __divmoddi4(int64_t n, int64_t d, int64_t *rest)
{
    return assay_divide_signed64(n, d, rest);
}
