/* SPDX-License-Identifier: MIT */

#ifndef crypto_uint64_h
#define crypto_uint64_h

#include <inttypes.h>

#define crypto_uint64 uint64_t
#define crypto_uint64_signed int64_t

#define CRYPTOINT_BITS 64
#define CRYPTOINT_SIGNED 0
#include "cryptoint.h"

#endif
