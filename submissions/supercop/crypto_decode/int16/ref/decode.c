/* SPDX-License-Identifier: CC0-1.0 */
/* Two bytes, least significant first, to a 16-bit integer, as it is stored in this machine. */

#include <stdint.h>
#include <string.h>
#include "crypto_decode.h"

void crypto_decode(void *item, const unsigned char *s)
{
    const uint16_t u = (uint16_t)(s[0] | (unsigned int)s[1] << 8);

    memcpy(item, &u, sizeof u);
}
