/* SPDX-License-Identifier: MIT */
/* For targets without a C library's headers: what runtime/memory.c defines. */
#ifndef ASSAY_RUNTIME_STRING_H
#define ASSAY_RUNTIME_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int value, size_t length);
int memcmp(const void *a, const void *b, size_t length);
size_t strlen(const char *text);

#endif
