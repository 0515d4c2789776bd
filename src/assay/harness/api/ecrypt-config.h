/* SPDX-License-Identifier: MIT */

/*
 * ecrypt-config.h - what the compiler and the processor look like.
 *
 * Byte order: exactly one of ECRYPT_LITTLE_ENDIAN, ECRYPT_BIG_ENDIAN and
 * ECRYPT_UNKNOWN is defined. Any of them given with -D is believed.
 *
 * Integers: InnT (nn = 8, 16, 32, 64) names the smallest type of at least nn
 * bits, to be written after `signed` or `unsigned`; UnnC(v) gives the literal
 * v that type. I64T is missing only where the compiler has no 64-bit type.
 *
 * MAXT is the type with the strictest alignment that buffers are given.
 */

#ifndef ECRYPT_CONFIG
#define ECRYPT_CONFIG

#include <limits.h>

/* ------------------------------------------------------------------------- */
/* Byte order */

#if (defined(ECRYPT_LITTLE_ENDIAN) || defined(ECRYPT_BIG_ENDIAN) \
    || defined(ECRYPT_UNKNOWN))
/* chosen on the command line */

#elif (defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__) \
    && defined(__ORDER_BIG_ENDIAN__))
/* gcc >= 4.6, clang, and all that imitate them */
#if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define ECRYPT_LITTLE_ENDIAN
#elif (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define ECRYPT_BIG_ENDIAN
#else
#define ECRYPT_UNKNOWN
#endif

#elif (defined(__LITTLE_ENDIAN__) || defined(__ARMEL__) \
    || defined(__THUMBEL__) || defined(__AARCH64EL__) || defined(__MIPSEL__) \
    || defined(__MIPSEL) || defined(_MIPSEL))
/* compilers for processors with two byte orders say which one they use */
#define ECRYPT_LITTLE_ENDIAN

#elif (defined(__BIG_ENDIAN__) || defined(__ARMEB__) || defined(__THUMBEB__) \
    || defined(__AARCH64EB__) || defined(__MIPSEB__) || defined(__MIPSEB) \
    || defined(_MIPSEB))
#define ECRYPT_BIG_ENDIAN

#elif (defined(_MSC_VER) || defined(__INTEL_COMPILER) || defined(i386) \
    || defined(__i386) || defined(__i386__) || defined(_M_IX86) \
    || defined(_M_X64) || defined(__x86_64) || defined(__x86_64__) \
    || defined(__amd64__) || defined(__alpha) || defined(__alpha__) \
    || defined(__ultrix) || defined(__vax__) || defined(__AVR__) \
    || defined(__riscv))
/* tcc among others: it has the x86 names but not __BYTE_ORDER__ */
#define ECRYPT_LITTLE_ENDIAN

#elif (defined(__sparc) || defined(__sparc__) || defined(__hppa) \
    || defined(__hppa__) || defined(__m68k__) || defined(__s390__) \
    || defined(__powerpc__) || defined(__ppc__) || defined(_POWER))
#define ECRYPT_BIG_ENDIAN

#else
#define ECRYPT_UNKNOWN
#endif

/* ------------------------------------------------------------------------- */
/* Integers */

#define I8T char
#define U8C(v) (v##U)

#if (UCHAR_MAX == 0xFF)
#define ECRYPT_I8T_IS_BYTE
#endif

#define I16T short
#define U16C(v) (v##U)

#if (UINT_MAX >= 0xFFFFFFFFUL)
#define I32T int
#define U32C(v) (v##U)
#else
#define I32T long
#define U32C(v) (v##UL)
#endif

/* two shifts, since one by 63 is undefined where unsigned long is short */
#if (((ULONG_MAX >> 31) >> 31) >= 3)
#define I64T long
#define U64C(v) (v##UL)
#define ECRYPT_NATIVE64
#elif (defined(_MSC_VER))
#define I64T __int64
#define U64C(v) (v##ui64)
#elif (defined(__GNUC__))
/* under -ansi too, where limits.h hides ULLONG_MAX */
#define I64T long long
#define U64C(v) (__extension__ v##ULL)
#elif (defined(ULLONG_MAX) || defined(__TINYC__) || defined(__LONG_LONG_MAX__) \
    || (defined(__STDC_VERSION__) && (__STDC_VERSION__ >= 199901L)))
#define I64T long long
#define U64C(v) (v##ULL)
#endif

/* ------------------------------------------------------------------------- */
/* Alignment */

#if (defined(__GNUC__) && (defined(__SSE__) || defined(__ALTIVEC__) \
    || defined(__ARM_NEON) || defined(__ARM_NEON__)))
typedef float ECRYPT_maxt __attribute__((__vector_size__(16)));
#define MAXT ECRYPT_maxt
#elif (defined(_MSC_VER) && (_MSC_VER >= 1300) \
    && (defined(_M_IX86) || defined(_M_X64)))
#include <xmmintrin.h>
#define MAXT __m128
#elif (defined(__GNUC__) && defined(I64T))
__extension__ typedef I64T ECRYPT_maxt;
#define MAXT ECRYPT_maxt
#elif (defined(I64T))
#define MAXT I64T
#else
#define MAXT long
#endif

#endif
