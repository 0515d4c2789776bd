/* SPDX-License-Identifier: MIT */

#ifndef crypto_int16_h
#define crypto_int16_h

#include <inttypes.h>

#define crypto_int16 int16_t
#define crypto_int16_unsigned uint16_t

#define CRYPTOINT_BITS 16
#define CRYPTOINT_SIGNED 1
#include "cryptoint.h"

#endif
