/* SPDX-License-Identifier: MIT */
/*
 * What packages make public: the mark of SUPERCOP, which those of other projects lead to where
 * valgrind does not hear them (harness/marks/).
 */
#include "secret.h"

void crypto_declassify(const void *from, unsigned long long length);

#ifdef ASSAY_TRACED
/* A trace shows what is made public: each of its bytes chooses an address that is read. */
static void show_in_trace(const unsigned char *from, unsigned long long length)
{
    static const volatile unsigned char shown[256];

    while (length--)
        (void)shown[*from++];
}
#else
static void show_in_trace(const unsigned char *from, unsigned long long length)
{
    (void)from, (void)length;
}
#endif

void crypto_declassify(const void *from, unsigned long long length)
{
    show_in_trace(from, length);
    secret_show(from, length);
}
