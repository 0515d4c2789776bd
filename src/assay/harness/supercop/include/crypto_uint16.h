/* SPDX-License-Identifier: MIT */

#ifndef crypto_uint16_h
#define crypto_uint16_h

#include <inttypes.h>

#define crypto_uint16 uint16_t
#define crypto_uint16_signed int16_t

#define CRYPTOINT_BITS 16
#define CRYPTOINT_SIGNED 0
#include "cryptoint.h"

#endif
