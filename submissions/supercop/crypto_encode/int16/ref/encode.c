/* SPDX-License-Identifier: CC0-1.0 */
/* A 16-bit integer, as it is stored in this machine, to two bytes, least significant first. */

#include <stdint.h>
#include <string.h>
#include "crypto_encode.h"

void crypto_encode(unsigned char *s, const void *item)
{
    uint16_t u;

    memcpy(&u, item, sizeof u);
    s[0] = (unsigned char)(u & 255);
    s[1] = (unsigned char)(u >> 8);
}
