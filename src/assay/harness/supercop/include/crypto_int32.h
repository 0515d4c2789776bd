/* SPDX-License-Identifier: MIT */

#ifndef crypto_int32_h
#define crypto_int32_h

#include <inttypes.h>

#define crypto_int32 int32_t
#define crypto_int32_unsigned uint32_t

#define CRYPTOINT_BITS 32
#define CRYPTOINT_SIGNED 1
#include "cryptoint.h"

#endif
