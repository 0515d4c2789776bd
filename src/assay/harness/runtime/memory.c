/* SPDX-License-Identifier: MIT */
/* Copying and filling: by words where both sides are aligned, and never unaligned. */

#include "runtime.h"

typedef unsigned long __attribute__((may_alias)) word;

#define WORD sizeof(word)
#define ALIGNED(a) ((uintptr_t)(a) % WORD == 0)

void *memcpy(void *to, const void *from, size_t length)
{
    uint8_t *p = to;
    const uint8_t *q = from;

    if (ALIGNED((uintptr_t)p ^ (uintptr_t)q)) {
        for (; length && !ALIGNED(p); length--) {
            *p++ = *q++;
            KEEP_LOOP;
        }
        for (; length >= 4 * WORD; length -= 4 * WORD, p += 4 * WORD, q += 4 * WORD) {
            word *w = (word *)(void *)p;
            const word *v = (const word *)(const void *)q;
            word a = v[0], b = v[1], c = v[2], d = v[3];

            w[0] = a, w[1] = b, w[2] = c, w[3] = d;
            KEEP_LOOP;
        }
        for (; length >= WORD; length -= WORD, p += WORD, q += WORD) {
            *(word *)(void *)p = *(const word *)(const void *)q;
            KEEP_LOOP;
        }
    }
    for (; length; length--) {
        *p++ = *q++;
        KEEP_LOOP;
    }
    return to;
}

void *memmove(void *to, const void *from, size_t length)
{
    uint8_t *p = to;
    const uint8_t *q = from;

    if ((uintptr_t)p - (uintptr_t)q >= length) /* forwards does no harm */
        return memcpy(to, from, length);
    while (length--) {
        p[length] = q[length];
        KEEP_LOOP;
    }
    return to;
}

void *memset(void *to, int value, size_t length)
{
    uint8_t *p = to, byte = (uint8_t)value;
    word all = (word)-1 / 255 * byte;

    for (; length && !ALIGNED(p); length--) {
        *p++ = byte;
        KEEP_LOOP;
    }
    for (; length >= WORD; length -= WORD, p += WORD) {
        *(word *)(void *)p = all;
        KEEP_LOOP;
    }
    for (; length; length--) {
        *p++ = byte;
        KEEP_LOOP;
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t length)
{
    const uint8_t *p = a, *q = b;

    for (; length; length--, p++, q++)
        if (*p != *q)
            return *p < *q ? -1 : 1;
    return 0;
}

size_t strlen(const char *text)
{
    const char *end = text;

    while (*end) {
        end++;
        KEEP_LOOP;
    }
    return (size_t)(end - text);
}
