/* SPDX-License-Identifier: MIT */

#ifndef crypto_uint32_h
#define crypto_uint32_h

#include <inttypes.h>

#define crypto_uint32 uint32_t
#define crypto_uint32_signed int32_t

#define CRYPTOINT_BITS 32
#define CRYPTOINT_SIGNED 0
#include "cryptoint.h"

#endif
