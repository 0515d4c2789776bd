/* SPDX-License-Identifier: MIT */

/*
 * brg_endian.h - the machine's byte order, in Brian Gladman's words: PLATFORM_BYTE_ORDER is
 * IS_LITTLE_ENDIAN or IS_BIG_ENDIAN. ecrypt-config.h finds it out.
 */

#ifndef _BRG_ENDIAN_H
#define _BRG_ENDIAN_H

#include "ecrypt-config.h"

#define IS_BIG_ENDIAN 4321
#define IS_LITTLE_ENDIAN 1234

#if defined(ECRYPT_LITTLE_ENDIAN)
#define PLATFORM_BYTE_ORDER IS_LITTLE_ENDIAN
#elif defined(ECRYPT_BIG_ENDIAN)
#define PLATFORM_BYTE_ORDER IS_BIG_ENDIAN
#else
#error the byte order of this machine is not known
#endif

#endif
