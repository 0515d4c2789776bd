/* SPDX-License-Identifier: MIT */

#ifndef crypto_int8_h
#define crypto_int8_h

#include <inttypes.h>

#define crypto_int8 int8_t
#define crypto_int8_unsigned uint8_t

#define CRYPTOINT_BITS 8
#define CRYPTOINT_SIGNED 1
#include "cryptoint.h"

#endif
