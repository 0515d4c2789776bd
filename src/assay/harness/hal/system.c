/* SPDX-License-Identifier: MIT */
/*
 * The system below newlib, on boards that have none: every call fails. Streams of the library find
 * no file and no memory for a buffer, and functions on strings (sscanf, snprintf), which share
 * their code, link and work. To exit is a fault: there is nowhere to go.
 *
 * A package that brings its own has its own.
 */
#define FAILING(name) \
    int name(void);   \
    __attribute__((weak)) int name(void) { return -1; }

FAILING(_open)
FAILING(_close)
FAILING(_read)
FAILING(_write)
FAILING(_lseek)
FAILING(_fstat)
FAILING(_isatty)
FAILING(_kill)
FAILING(_getpid)

void *_sbrk(int bytes);
void exit(int code) __attribute__((noreturn));
void _exit(int code) __attribute__((noreturn));

__attribute__((weak)) void *_sbrk(int bytes)
{
    (void)bytes;
    return (void *)-1;
}

__attribute__((weak)) void _exit(int code)
{
    (void)code;
    for (;;)
        __builtin_trap();
}

__attribute__((weak)) void exit(int code) { _exit(code); }
