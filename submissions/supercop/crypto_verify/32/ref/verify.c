/* SPDX-License-Identifier: CC0-1.0 */
/* Compares two strings of 32 secret bytes: 0 if they are equal, -1 if not. */

#include "crypto_verify.h"

int crypto_verify(const unsigned char *x, const unsigned char *y)
{
    unsigned int difference = 0;
    int i;

    for (i = 0; i < crypto_verify_BYTES; ++i)
        difference |= (unsigned int)(x[i] ^ y[i]);

    /* difference is at most 255: only 0 borrows from bit 8. */
    return (int)(1 & ((difference - 1) >> 8)) - 1;
}
