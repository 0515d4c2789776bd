/* SPDX-License-Identifier: MIT */
/* A test program of NIST's kind: no part of the implementation. */
#include <stdio.h>

#include "SHA3api_ref.h"

int main(void)
{
    BitSequence out[8];
    int i;

    if (Hash(64, (const BitSequence *)"a", 8, out) != SUCCESS)
        return 1;
    for (i = 0; i < 8; i++)
        printf("%02X", out[i]);
    puts("");
    return 0;
}
