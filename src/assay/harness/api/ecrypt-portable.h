/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-portable.h - integers, rotations and byte order, on any machine.
 *
 * Types         s8 s16 s32 s64, u8 u16 u32 u64: at least that many bits.
 * UnV(v)        v reduced to n bits, as an unsigned value.
 * UnC(v)        the literal v as a constant of n bits.
 * ROTLn(v, c)   v rotated left within n bits; 0 <= c <= n.
 * ROTRn(v, c)   v rotated right.
 * SWAPn(v)      v with its bytes reversed.
 * UnTOn_LITTLE(v), UnTOn_BIG(v)
 *               the word whose bytes in memory are v in the named byte order;
 *               the same macro converts back.
 * U8TOn_LITTLE(p), U8TOn_BIG(p)
 *               the word of n bits stored at p, which may be unaligned.
 * UnTO8_LITTLE(p, v), UnTO8_BIG(p, v)
 *               stores v at p.
 * ALIGN(t, v, n)
 *               declares v with an array v.b of n elements of type t, aligned
 *               for the widest loads of the machine.
 *
 * Loads and stores evaluate each argument once. The others are constant
 * expressions on constants, and for that may evaluate an argument repeatedly.
 */

#ifndef ECRYPT_PORTABLE
#define ECRYPT_PORTABLE

#include "ecrypt-config.h"

#if (defined(__GNUC__))
#define ECRYPT_EXTENSION __extension__
#else
#define ECRYPT_EXTENSION
#endif

#if (defined(__clang__) || (defined(__GNUC__) && (__GNUC__ >= 4) \
    && !defined(__TINYC__)))
#define ECRYPT_INLINE static __inline__ __attribute__((__always_inline__))
#elif (defined(__GNUC__) || defined(__TINYC__))
#define ECRYPT_INLINE static __inline__
#elif (defined(_MSC_VER))
#define ECRYPT_INLINE static __inline
#elif (defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 199901L))
#define ECRYPT_INLINE static inline
#else
#define ECRYPT_INLINE static
#endif

/* ------------------------------------------------------------------------- */
/* Types */

typedef signed I8T s8;
typedef unsigned I8T u8;
typedef signed I16T s16;
typedef unsigned I16T u16;
typedef signed I32T s32;
typedef unsigned I32T u32;

#ifdef I64T
ECRYPT_EXTENSION typedef signed I64T s64;
ECRYPT_EXTENSION typedef unsigned I64T u64;
#endif

/* never narrower than unsigned int, so that U8V(v) << 24 is well defined */
#define U8V(v) ((u8)(v) & U8C(0xFF))
#define U16V(v) ((u16)(v) & U16C(0xFFFF))
#define U32V(v) ((u32)(v) & U32C(0xFFFFFFFF))
#define U64V(v) ((u64)(v) & U64C(0xFFFFFFFFFFFFFFFF))

/* ------------------------------------------------------------------------- */
/* Rotations: the masks keep both shift counts below the width */

#define ROTL8(v, n) \
  U8V((U8V(v) << ((n) & 7)) | (U8V(v) >> ((8 - (n)) & 7)))
#define ROTL16(v, n) \
  U16V((U16V(v) << ((n) & 15)) | (U16V(v) >> ((16 - (n)) & 15)))
#define ROTL32(v, n) \
  U32V((U32V(v) << ((n) & 31)) | (U32V(v) >> ((32 - (n)) & 31)))
#define ROTL64(v, n) \
  U64V((U64V(v) << ((n) & 63)) | (U64V(v) >> ((64 - (n)) & 63)))

#define ROTR8(v, n) ROTL8(v, 8 - (n))
#define ROTR16(v, n) ROTL16(v, 16 - (n))
#define ROTR32(v, n) ROTL32(v, 32 - (n))
#define ROTR64(v, n) ROTL64(v, 64 - (n))

#define ECRYPT_DEFAULT_ROT
#include "ecrypt-machine.h"

/* ------------------------------------------------------------------------- */
/* Reversal of bytes */

#define SWAP16(v) ROTL16(v, 8)
#define SWAP32(v) \
  ((ROTL32(v, 8) & U32C(0x00FF00FF)) | (ROTL32(v, 24) & U32C(0xFF00FF00)))
#define SWAP64(v) \
  (((u64)SWAP32(U64V(v) & U64C(0xFFFFFFFF)) << 32) | SWAP32(U64V(v) >> 32))

#define ECRYPT_DEFAULT_SWAP
#include "ecrypt-machine.h"

/* ------------------------------------------------------------------------- */
/* Words to words */

#if (defined(ECRYPT_LITTLE_ENDIAN))

#define U16TO16_LITTLE(v) (v)
#define U32TO32_LITTLE(v) (v)
#define U64TO64_LITTLE(v) (v)
#define U16TO16_BIG(v) SWAP16(v)
#define U32TO32_BIG(v) SWAP32(v)
#define U64TO64_BIG(v) SWAP64(v)

#elif (defined(ECRYPT_BIG_ENDIAN))

#define U16TO16_LITTLE(v) SWAP16(v)
#define U32TO32_LITTLE(v) SWAP32(v)
#define U64TO64_LITTLE(v) SWAP64(v)
#define U16TO16_BIG(v) (v)
#define U32TO32_BIG(v) (v)
#define U64TO64_BIG(v) (v)

#else

/* the order is found out by looking at the bytes of a word */
#define ECRYPT_WORD_TO_WORD(type, name, shift) \
  ECRYPT_INLINE type name(type v) \
  { \
    union { type word; u8 bytes[sizeof(type)]; } u; \
    unsigned int i; \
    u.word = 0; \
    for (i = 0; i < sizeof(type); ++i) \
      u.bytes[i] = (u8)U8V(v >> (shift)); \
    return u.word; \
  }

#define ECRYPT_UP(type) (8 * i)
#define ECRYPT_DOWN(type) (8 * (unsigned int)(sizeof(type) - 1 - i))

ECRYPT_WORD_TO_WORD(u16, ECRYPT_u16_to_little, ECRYPT_UP(u16))
ECRYPT_WORD_TO_WORD(u16, ECRYPT_u16_to_big, ECRYPT_DOWN(u16))
ECRYPT_WORD_TO_WORD(u32, ECRYPT_u32_to_little, ECRYPT_UP(u32))
ECRYPT_WORD_TO_WORD(u32, ECRYPT_u32_to_big, ECRYPT_DOWN(u32))

#define U16TO16_LITTLE(v) ECRYPT_u16_to_little((u16)U16V(v))
#define U32TO32_LITTLE(v) ECRYPT_u32_to_little(U32V(v))
#define U16TO16_BIG(v) ECRYPT_u16_to_big((u16)U16V(v))
#define U32TO32_BIG(v) ECRYPT_u32_to_big(U32V(v))

#ifdef I64T
ECRYPT_WORD_TO_WORD(u64, ECRYPT_u64_to_little, ECRYPT_UP(u64))
ECRYPT_WORD_TO_WORD(u64, ECRYPT_u64_to_big, ECRYPT_DOWN(u64))
#define U64TO64_LITTLE(v) ECRYPT_u64_to_little(U64V(v))
#define U64TO64_BIG(v) ECRYPT_u64_to_big(U64V(v))
#endif

#endif

#define ECRYPT_DEFAULT_WTOW
#include "ecrypt-machine.h"

/* ------------------------------------------------------------------------- */
/* Bytes to words and back */

/*
 * Where the order is known and the words have no spare bits, a copy of fixed
 * size: one load or store at every -O level, without any demand on alignment
 * or on the type behind the pointer. Elsewhere byte by byte.
 */
#if ((defined(__clang__) || (defined(__GNUC__) && !defined(__TINYC__))) \
    && (defined(ECRYPT_LITTLE_ENDIAN) || defined(ECRYPT_BIG_ENDIAN)) \
    && defined(ECRYPT_I8T_IS_BYTE) && (USHRT_MAX == 0xFFFF))

#define ECRYPT_LOAD_STORE(type, order, load, store, convert) \
  ECRYPT_INLINE type load(const void *p) \
  { \
    type v; \
    __builtin_memcpy(&v, p, sizeof v); \
    return (type)convert(v); \
  } \
  ECRYPT_INLINE void store(void *p, type v) \
  { \
    v = (type)convert(v); \
    __builtin_memcpy(p, &v, sizeof v); \
  }

#else

#define ECRYPT_LITTLE_SHIFT(i, n) (8 * (i))
#define ECRYPT_BIG_SHIFT(i, n) (8 * ((n) - 1 - (i)))

#define ECRYPT_BYTES_u16 2
#define ECRYPT_BYTES_u32 4
#define ECRYPT_BYTES_u64 8

/* a constant trip count: optimisers unroll it and see the single access */
#define ECRYPT_LOAD_STORE(type, order, load, store, convert) \
  ECRYPT_INLINE type load(const void *p) \
  { \
    const u8 *b = (const u8 *)p; \
    type v = 0; \
    int i; \
    for (i = 0; i < ECRYPT_BYTES_##type; ++i) \
      v = (type)(v | ((type)U8V(b[i]) \
        << ECRYPT_##order##_SHIFT(i, ECRYPT_BYTES_##type))); \
    return v; \
  } \
  ECRYPT_INLINE void store(void *p, type v) \
  { \
    u8 *b = (u8 *)p; \
    int i; \
    for (i = 0; i < ECRYPT_BYTES_##type; ++i) \
      b[i] = (u8)U8V(v >> ECRYPT_##order##_SHIFT(i, ECRYPT_BYTES_##type)); \
  }

#endif

ECRYPT_LOAD_STORE(u16, LITTLE, ECRYPT_load16_little, ECRYPT_store16_little,
  U16TO16_LITTLE)
ECRYPT_LOAD_STORE(u16, BIG, ECRYPT_load16_big, ECRYPT_store16_big,
  U16TO16_BIG)
ECRYPT_LOAD_STORE(u32, LITTLE, ECRYPT_load32_little, ECRYPT_store32_little,
  U32TO32_LITTLE)
ECRYPT_LOAD_STORE(u32, BIG, ECRYPT_load32_big, ECRYPT_store32_big,
  U32TO32_BIG)

#define U8TO16_LITTLE(p) ECRYPT_load16_little(p)
#define U8TO32_LITTLE(p) ECRYPT_load32_little(p)
#define U8TO16_BIG(p) ECRYPT_load16_big(p)
#define U8TO32_BIG(p) ECRYPT_load32_big(p)

#define U16TO8_LITTLE(p, v) ECRYPT_store16_little((p), (u16)(v))
#define U32TO8_LITTLE(p, v) ECRYPT_store32_little((p), (u32)(v))
#define U16TO8_BIG(p, v) ECRYPT_store16_big((p), (u16)(v))
#define U32TO8_BIG(p, v) ECRYPT_store32_big((p), (u32)(v))

#ifdef I64T
ECRYPT_LOAD_STORE(u64, LITTLE, ECRYPT_load64_little, ECRYPT_store64_little,
  U64TO64_LITTLE)
ECRYPT_LOAD_STORE(u64, BIG, ECRYPT_load64_big, ECRYPT_store64_big,
  U64TO64_BIG)

#define U8TO64_LITTLE(p) ECRYPT_load64_little(p)
#define U8TO64_BIG(p) ECRYPT_load64_big(p)
#define U64TO8_LITTLE(p, v) ECRYPT_store64_little((p), (u64)(v))
#define U64TO8_BIG(p, v) ECRYPT_store64_big((p), (u64)(v))
#endif

#define ECRYPT_DEFAULT_BTOW
#include "ecrypt-machine.h"

/* ------------------------------------------------------------------------- */
/* Aligned arrays */

/* an ecrypt-config.h from before MAXT may stand beside this file */
#ifndef MAXT
#define MAXT long
#endif

#define AT_LEAST_ONE(n) (((n) < 1) ? 1 : (n))

#define ALIGN(t, v, n) \
  union { t b[n]; MAXT l[AT_LEAST_ONE((n) * sizeof(t) / sizeof(MAXT))]; } v

#endif
