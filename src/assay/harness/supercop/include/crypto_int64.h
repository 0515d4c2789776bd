/* SPDX-License-Identifier: MIT */

#ifndef crypto_int64_h
#define crypto_int64_h

#include <inttypes.h>

#define crypto_int64 int64_t
#define crypto_int64_unsigned uint64_t

#define CRYPTOINT_BITS 64
#define CRYPTOINT_SIGNED 1
#include "cryptoint.h"

#endif
