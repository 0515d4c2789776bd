/* SPDX-License-Identifier: MIT */
/*
 * What a compiler takes for granted, where there is no C library.
 *
 * The library of a cross compiler (libgcc) is built for a newer processor than
 * the strict ones that agents run on, so what code calls behind the author's back
 * is here: copying, dividing, and wide arithmetic, under the names of the GCC
 * internals manual ("The GCC low-level runtime library") and of the Run-time ABI
 * for the ARM architecture. Nothing here is fast, but the copying.
 */
#ifndef ASSAY_RUNTIME_H
#define ASSAY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* In a loop: keeps a compiler from seeing in memcpy a memcpy, and calling it. */
#define KEEP_LOOP __asm__ volatile("" : : : "memory")

void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int value, size_t length);
int memcmp(const void *a, const void *b, size_t length);
size_t strlen(const char *text);

/* Quotients; remainders to *rest. By zero the quotient is all ones. */
uint32_t assay_divide32(uint32_t n, uint32_t d, uint32_t *rest);
uint64_t assay_divide64(uint64_t n, uint64_t d, uint64_t *rest);
int32_t assay_divide_signed32(int32_t n, int32_t d, int32_t *rest);
int64_t assay_divide_signed64(int64_t n, int64_t d, int64_t *rest);

#endif
