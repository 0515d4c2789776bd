/* SPDX-License-Identifier: MIT */
/*
 * What packages say goes nowhere: it is nobody's verdict, and many reference
 * implementations complain on stderr about what cannot happen. An assertion that
 * fails is a fault like any other.
 *
 * The names are those of the C library's headers; types are not needed to say
 * nothing.
 */
#include "runtime.h"

void *stdin, *stdout, *stderr;

int printf(const char *format, ...);
int fprintf(void *stream, const char *format, ...);
int puts(const char *text);
int putchar(int byte);
int fputs(const char *text, void *stream);
int fputc(int byte, void *stream);
int fflush(void *stream);
size_t fwrite(const void *from, size_t size, size_t count, void *stream);
void abort(void) __attribute__((noreturn));
void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
    __attribute__((noreturn));
void __assert_func(const char *file, int line, const char *function, const char *what)
    __attribute__((noreturn)); /* newlib and picolibc */
void __assert_no_args(void) __attribute__((noreturn));

int printf(const char *format, ...)
{
    (void)format;
    return 0;
}

int fprintf(void *stream, const char *format, ...)
{
    (void)stream;
    (void)format;
    return 0;
}

int puts(const char *text)
{
    (void)text;
    return 0;
}

int putchar(int byte) { return byte; }

int fputs(const char *text, void *stream)
{
    (void)text;
    (void)stream;
    return 0;
}

int fputc(int byte, void *stream)
{
    (void)stream;
    return byte;
}

/* Weak, for newlib's comes in with whatever uses its streams. */
__attribute__((weak)) int fflush(void *stream)
{
    (void)stream;
    return 0;
}

size_t fwrite(const void *from, size_t size, size_t count, void *stream)
{
    (void)from;
    (void)size;
    (void)stream;
    return count;
}

void abort(void)
{
    for (;;)
        __builtin_trap();
}

void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    (void)what;
    (void)file;
    (void)line;
    (void)function;
    abort();
}

void __assert_func(const char *file, int line, const char *function, const char *what)
{
    (void)line;
    __assert_fail(what, file, 0, function);
}

void __assert_no_args(void) { abort(); }
