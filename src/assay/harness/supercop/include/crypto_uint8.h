/* SPDX-License-Identifier: MIT */

#ifndef crypto_uint8_h
#define crypto_uint8_h

#include <inttypes.h>

#define crypto_uint8 uint8_t
#define crypto_uint8_signed int8_t

#define CRYPTOINT_BITS 8
#define CRYPTOINT_SIGNED 0
#include "cryptoint.h"

#endif
