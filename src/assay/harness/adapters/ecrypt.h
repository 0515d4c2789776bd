/* SPDX-License-Identifier: MIT */
/*
 * What the adapters of the eSTREAM APIs share.
 *
 * Keystream functions are announced by several genuine submissions that never
 * define them. Where the compiler knows weak references, a missing one is
 * then a NULL pointer, reported by a check, instead of a failed link.
 */
#ifndef ASSAY_ADAPTERS_ECRYPT_H
#define ASSAY_ADAPTERS_ECRYPT_H

#include <stddef.h>

#include "../subject/stream.h"

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define ASSAY_WEAK __attribute__((weak))
#define ASSAY_PRESENT(f) ((f) != NULL)
#else
#define ASSAY_WEAK
#define ASSAY_PRESENT(f) 1
#endif

#ifdef ECRYPT_NAME
#define ASSAY_NAME ECRYPT_NAME
#else
#define ASSAY_NAME NULL
#endif

#ifdef ECRYPT_PROFILE
#define ASSAY_PROFILE ECRYPT_PROFILE
#else
#define ASSAY_PROFILE NULL
#endif

#ifdef ECRYPT_BUFFERLENGTH
#define ASSAY_BUFFER_BYTES ECRYPT_BUFFERLENGTH
#else
#define ASSAY_BUFFER_BYTES 0x1000 /* the framework's default */
#endif

/* The flags that both APIs spell alike. */
#ifdef ECRYPT_USES_DEFAULT_BLOCK_MACROS
#define ASSAY_FLAG_MACROS ASSAY_DEFAULT_BLOCK_MACROS
#else
#define ASSAY_FLAG_MACROS 0
#endif
#ifdef ECRYPT_USES_DEFAULT_ALL_IN_ONE
#define ASSAY_FLAG_ALL_IN_ONE ASSAY_DEFAULT_ALL_IN_ONE
#else
#define ASSAY_FLAG_ALL_IN_ONE 0
#endif
#ifdef ECRYPT_HAS_SINGLE_BYTE_FUNCTION
#define ASSAY_FLAG_BYTE ASSAY_SINGLE_BYTE_FUNCTION
#else
#define ASSAY_FLAG_BYTE 0
#endif
#ifdef ECRYPT_HAS_SINGLE_PACKET_FUNCTION
#define ASSAY_FLAG_PACKET ASSAY_SINGLE_PACKET_FUNCTION
#else
#define ASSAY_FLAG_PACKET 0
#endif
#ifdef ECRYPT_ASSAY_RULES
#define ASSAY_FLAG_RULES ASSAY_STATES_RULES
#else
#define ASSAY_FLAG_RULES 0
#endif
#ifndef ECRYPT_ASSAY_USED_BITS
#define ECRYPT_ASSAY_USED_BITS 0 /* all */
#endif
#define ASSAY_COMMON_FLAGS \
    (ASSAY_FLAG_MACROS | ASSAY_FLAG_ALL_IN_ONE | ASSAY_FLAG_BYTE | ASSAY_FLAG_PACKET | \
     ASSAY_FLAG_RULES)

static uint32_t key_bits(uint32_t i) { return (uint32_t)(ECRYPT_KEYSIZE((int)i)); }
static uint32_t iv_bits(uint32_t i) { return (uint32_t)(ECRYPT_IVSIZE((int)i)); }

#endif
