/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-machine.h - faster replacements for macros of ecrypt-portable.h.
 *
 * ecrypt-portable.h includes this file after each group of its macros, with
 * ECRYPT_DEFAULT_<group> defined (groups: ROT, SWAP, WTOW, BTOW). A group may
 * be replaced here once; ECRYPT_MACHINE_<group> remembers that it was.
 * A replacement keeps the contract, including the use on constants.
 */

#if (defined(ECRYPT_DEFAULT_ROT) && !defined(ECRYPT_MACHINE_ROT))
#define ECRYPT_MACHINE_ROT

/* gcc and clang recognise the rotations of ecrypt-portable.h */
#if (defined(_MSC_VER) && !defined(__clang__))
#include <stdlib.h>
#pragma intrinsic(_lrotl, _lrotr, _rotl64, _rotr64)
#undef ROTL32
#undef ROTR32
#undef ROTL64
#undef ROTR64
#define ROTL32(v, n) ((u32)_lrotl((v), (int)(n)))
#define ROTR32(v, n) ((u32)_lrotr((v), (int)(n)))
#define ROTL64(v, n) _rotl64((v), (int)(n))
#define ROTR64(v, n) _rotr64((v), (int)(n))
#endif

#endif

#if (defined(ECRYPT_DEFAULT_SWAP) && !defined(ECRYPT_MACHINE_SWAP))
#define ECRYPT_MACHINE_SWAP

/* these evaluate their argument once and fold on constants */
#if (defined(__clang__) || (defined(__GNUC__) && !defined(__TINYC__) \
    && ((__GNUC__ > 4) || ((__GNUC__ == 4) && (__GNUC_MINOR__ >= 8)))))
#undef SWAP16
#undef SWAP32
#undef SWAP64
#define SWAP16(v) U16V(__builtin_bswap16(U16V(v)))
#define SWAP32(v) U32V(__builtin_bswap32(U32V(v)))
#define SWAP64(v) U64V(__builtin_bswap64(U64V(v)))
#endif

#endif
