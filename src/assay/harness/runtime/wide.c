/* SPDX-License-Identifier: MIT */
/*
 * Multiplying, shifting and counting bits, under the names that compilers call
 * it by. Everything is done in halves, so that nothing here calls itself.
 */
#include "runtime.h"

typedef union {
    uint64_t value;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    struct {
        uint32_t high, low;
    } half;
#else
    struct {
        uint32_t low, high;
    } half;
#endif
} wide;

uint32_t __mulsi3(uint32_t a, uint32_t b);
uint64_t __muldi3(uint64_t a, uint64_t b);
uint64_t __ashldi3(uint64_t a, int count);
uint64_t __lshrdi3(uint64_t a, int count);
int64_t __ashrdi3(int64_t a, int count);
int __cmpdi2(int64_t a, int64_t b);
int __ucmpdi2(uint64_t a, uint64_t b);
int __clzsi2(uint32_t a);
int __clzdi2(uint64_t a);
int __ctzsi2(uint32_t a);
int __ctzdi2(uint64_t a);
int __ffssi2(uint32_t a);
int __ffsdi2(uint64_t a);
int __popcountsi2(uint32_t a);
int __popcountdi2(uint64_t a);
int __paritysi2(uint32_t a);
uint32_t __bswapsi2(uint32_t a);
uint64_t __bswapdi2(uint64_t a);

uint32_t __mulsi3(uint32_t a, uint32_t b)
{
    uint32_t sum = 0;

    for (; a; a >>= 1, b <<= 1) {
        if (a & 1)
            sum += b;
        KEEP_LOOP;
    }
    return sum;
}

/* 32 x 32 to 64 bits by four products of 16 bits: Thumb has no longer ones. */
static wide product(uint32_t a, uint32_t b)
{
    uint32_t al = a & 0xffff, ah = a >> 16, bl = b & 0xffff, bh = b >> 16;
    uint32_t low = al * bl, one = ah * bl + (low >> 16), two = al * bh + (one & 0xffff);
    wide w;

    w.half.low = two << 16 | (low & 0xffff);
    w.half.high = ah * bh + (one >> 16) + (two >> 16);
    return w;
}

uint64_t __muldi3(uint64_t a, uint64_t b)
{
    wide x = {a}, y = {b}, w = product(x.half.low, y.half.low);

    w.half.high += x.half.low * y.half.high + x.half.high * y.half.low;
    return w.value;
}

uint64_t __ashldi3(uint64_t a, int count)
{
    wide x = {a}, w;

    if (count == 0)
        return a;
    if (count >= 32) {
        w.half.low = 0;
        w.half.high = x.half.low << (count & 31);
    } else {
        w.half.low = x.half.low << count;
        w.half.high = x.half.high << count | x.half.low >> (32 - count);
    }
    return w.value;
}

uint64_t __lshrdi3(uint64_t a, int count)
{
    wide x = {a}, w;

    if (count == 0)
        return a;
    if (count >= 32) {
        w.half.high = 0;
        w.half.low = x.half.high >> (count & 31);
    } else {
        w.half.high = x.half.high >> count;
        w.half.low = x.half.low >> count | x.half.high << (32 - count);
    }
    return w.value;
}

int64_t __ashrdi3(int64_t a, int count)
{
    wide x = {(uint64_t)a}, w;
    int32_t high = (int32_t)x.half.high;

    if (count == 0)
        return a;
    if (count >= 32) {
        w.half.high = (uint32_t)(high >> 31);
        w.half.low = (uint32_t)(high >> (count & 31));
    } else {
        w.half.high = (uint32_t)(high >> count);
        w.half.low = x.half.low >> count | x.half.high << (32 - count);
    }
    return (int64_t)w.value;
}

/* 0, 1 or 2: less, equal or greater. */
static int compare(uint32_t a, uint32_t b, int if_equal)
{
    return a < b ? 0 : a > b ? 2 : if_equal;
}

int __ucmpdi2(uint64_t a, uint64_t b)
{
    wide x = {a}, y = {b};

    return compare(x.half.high, y.half.high, compare(x.half.low, y.half.low, 1));
}

int __cmpdi2(int64_t a, int64_t b)
{
    wide x = {(uint64_t)a}, y = {(uint64_t)b};

    x.half.high ^= 0x80000000u; /* moves the least to 0 */
    y.half.high ^= 0x80000000u;
    return __ucmpdi2(x.value, y.value);
}

int __clzsi2(uint32_t a)
{
    int count = 0;

    for (; count < 32 && !(a & 0x80000000u); a <<= 1) {
        count++;
        KEEP_LOOP;
    }
    return count;
}

int __ctzsi2(uint32_t a)
{
    int count = 0;

    for (; count < 32 && !(a & 1); a >>= 1) {
        count++;
        KEEP_LOOP;
    }
    return count;
}

int __popcountsi2(uint32_t a)
{
    int count = 0;

    for (; a; a &= a - 1) {
        count++;
        KEEP_LOOP;
    }
    return count;
}

int __clzdi2(uint64_t a)
{
    wide x = {a};

    return x.half.high ? __clzsi2(x.half.high) : 32 + __clzsi2(x.half.low);
}

int __ctzdi2(uint64_t a)
{
    wide x = {a};

    return x.half.low ? __ctzsi2(x.half.low) : 32 + __ctzsi2(x.half.high);
}

int __ffssi2(uint32_t a) { return a ? 1 + __ctzsi2(a) : 0; }

int __ffsdi2(uint64_t a) { return a ? 1 + __ctzdi2(a) : 0; }

int __popcountdi2(uint64_t a)
{
    wide x = {a};

    return __popcountsi2(x.half.high) + __popcountsi2(x.half.low);
}

int __paritysi2(uint32_t a) { return __popcountsi2(a) & 1; }

uint32_t __bswapsi2(uint32_t a)
{
    uint32_t b = 0;
    int i;

    for (i = 0; i < 4; i++, a >>= 8) {
        b = b << 8 | (a & 255);
        KEEP_LOOP;
    }
    return b;
}

uint64_t __bswapdi2(uint64_t a)
{
    wide x = {a}, w;

    w.half.low = __bswapsi2(x.half.high);
    w.half.high = __bswapsi2(x.half.low);
    return w.value;
}
