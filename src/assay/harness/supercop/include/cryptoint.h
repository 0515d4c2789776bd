/* SPDX-License-Identifier: MIT */

/*
 * cryptoint.h - arithmetic on integers whose time does not depend on them.
 *
 * crypto_int8.h ... crypto_uint64.h include this text with CRYPTOINT_BITS (8 .. 64) and
 * CRYPTOINT_SIGNED (1 or 0) defined; both are undefined at its end. Nothing else includes it.
 *
 * With t for crypto_int32, crypto_uint8 and so on, a truth is 1 or 0 as t_..._01 and -1 or 0
 * as t_..._mask:
 *
 *   t_negative, t_positive          x < 0, x > 0                  (signed types only)
 *   t_topbit, t_bottombit           the highest bit of x, the lowest
 *   t_zero, t_nonzero               x == 0, x != 0
 *   t_equal, t_unequal              x == y, x != y
 *   t_smaller, t_leq                x < y, x <= y
 *   t_bitmod                        bit j mod bits of x
 *
 *   t_min, t_max, t_minmax(&x, &y)  the last one swaps so that x <= y
 *   t_shlmod, t_shrmod              x << (j mod bits), x >> (j mod bits)
 *   t_ones_num, t_bottomzeros_num   bits that are set; zeros below the lowest one (bits for 0)
 *   t_load, t_load_bigendian, t_store, t_store_bigendian    at any alignment
 *
 * A compiler that knows a value to be a truth may branch on it. So every truth passes through
 * CRYPTOINT_HIDE, after which the compiler knows nothing about it.
 *
 * CRYPTOINT_PORTABLE, if defined, leaves out what is for certain processors.
 * Local names begin with ci_, since packages define macros as short as p and q before they
 * include this.
 */

#ifndef CRYPTOINT_H
#define CRYPTOINT_H

#include <inttypes.h>

#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define CRYPTOINT_FUNCTION static __inline__ __attribute__((unused))
#else
#define CRYPTOINT_FUNCTION static inline
#endif

/* An empty instruction costs nothing; a detour through memory works with any compiler. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define CRYPTOINT_HIDE(type, name) \
  CRYPTOINT_FUNCTION type name(type ci_x) { __asm__("" : "+r"(ci_x)); return ci_x; }
#else
#define CRYPTOINT_HIDE(type, name) \
  CRYPTOINT_FUNCTION type name(type ci_x) { volatile type ci_hidden = ci_x; return ci_hidden; }
#endif

CRYPTOINT_HIDE(int, cryptoint_hide_int)
CRYPTOINT_HIDE(long, cryptoint_hide_long)

/* A conditional move is faster than a mask, and no compiler turns it into a branch here. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__)) \
    && !defined(__TINYC__) && !defined(CRYPTOINT_PORTABLE)
#define CRYPTOINT_AMD64
#endif

/* Shifts of any distance take the same time here; elsewhere they may be loops or calls. */
#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(CRYPTOINT_PORTABLE)
#define CRYPTOINT_CONSTANT_SHIFTS
#endif

#define CRYPTOINT_JOIN(ci_a, ci_b, ci_c) ci_a##ci_b##ci_c
#define CRYPTOINT_JOINED(ci_a, ci_b, ci_c) CRYPTOINT_JOIN(ci_a, ci_b, ci_c)

/* The type that holds a truth on its way through CRYPTOINT_HIDE: -1 and 0 extend to any width. */
#define CRYPTOINT_TRUTH_8 int
#define CRYPTOINT_TRUTH_16 int
#define CRYPTOINT_TRUTH_32 int
#define CRYPTOINT_TRUTH_64 long
#define CRYPTOINT_HIDE_8 cryptoint_hide_int
#define CRYPTOINT_HIDE_16 cryptoint_hide_int
#define CRYPTOINT_HIDE_32 cryptoint_hide_int
#define CRYPTOINT_HIDE_64 cryptoint_hide_long

#endif

#define CI_S CRYPTOINT_JOINED(int, CRYPTOINT_BITS, _t)
#define CI_U CRYPTOINT_JOINED(uint, CRYPTOINT_BITS, _t)
#define CI_TRUTH CRYPTOINT_JOINED(CRYPTOINT_TRUTH_, CRYPTOINT_BITS, )
#define CI_HIDE CRYPTOINT_JOINED(CRYPTOINT_HIDE_, CRYPTOINT_BITS, )
#define CI_TOP ((CI_U)((CI_U)1 << (CRYPTOINT_BITS - 1)))
#define CI_PER(ci_n) ((CI_U)((CI_U) ~(CI_U)0 / (ci_n))) /* a bit pattern with period 2, 4 or 8 */

#if CRYPTOINT_SIGNED
#define CI_T CI_S
#define CI_NAME(name) CRYPTOINT_JOINED(crypto_int, CRYPTOINT_BITS, _##name)
#define CI_OTHER(name) CRYPTOINT_JOINED(crypto_int, CRYPTOINT_BITS, _unsigned_##name)
#define CI_FLIP 0
#else
#define CI_T CI_U
#define CI_NAME(name) CRYPTOINT_JOINED(crypto_uint, CRYPTOINT_BITS, _##name)
#define CI_OTHER(name) CRYPTOINT_JOINED(crypto_uint, CRYPTOINT_BITS, _signed_##name)
#define CI_FLIP CI_TOP
#endif

/* The 1 or 0 and the -1 or 0 that are the highest bit of u. */
#define CI_01(ci_u) ((CI_T)CI_HIDE((CI_TRUTH)((CI_U)(ci_u) >> (CRYPTOINT_BITS - 1))))
#define CI_MASK(ci_u) ((CI_T)CI_HIDE((CI_TRUTH)((CI_S)(CI_U)(ci_u) >> (CRYPTOINT_BITS - 1))))

/* Both functions of a truth about x, or about x and y; `top` has it as its highest bit. */
#define CI_ABOUT_ONE(name, top) \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name##_01)(CI_T ci_x) \
  { const CI_U ci_u = (CI_U)ci_x; return CI_01(top); } \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name##_mask)(CI_T ci_x) \
  { const CI_U ci_u = (CI_U)ci_x; return CI_MASK(top); }
#define CI_ABOUT_TWO(name, top) \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name##_01)(CI_T ci_x, CI_T ci_y) \
  { const CI_U ci_u = (CI_U)ci_x, ci_v = (CI_U)ci_y; return CI_01(top); } \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name##_mask)(CI_T ci_x, CI_T ci_y) \
  { const CI_U ci_u = (CI_U)ci_x, ci_v = (CI_U)ci_y; return CI_MASK(top); }

/* u - v is negative, unless it overflowed: then the sign of the difference is wrong. */
#define CI_LESS(ci_u, ci_v) \
  ((CI_U)((CI_U)(ci_u) - (CI_U)(ci_v)) \
   ^ (((ci_u) ^ (ci_v)) & (CI_U)((CI_U)((CI_U)(ci_u) - (CI_U)(ci_v)) ^ (ci_u) ^ CI_FLIP)))
#define CI_NONZERO(ci_u) ((CI_U)((CI_U)(ci_u) | (CI_U)(0 - (CI_U)(ci_u))))

#if CRYPTOINT_SIGNED
CI_ABOUT_ONE(negative, ci_u)
CI_ABOUT_ONE(positive, (CI_U)(0 - ci_u) & (CI_U)~ci_u)
CRYPTOINT_FUNCTION CI_U CI_OTHER(topbit_01)(CI_U ci_x)
{
  return (CI_U)CI_NAME(negative_01)((CI_S)ci_x);
}
#else
CRYPTOINT_FUNCTION CI_S CI_OTHER(negative_mask)(CI_S ci_x) { return (CI_S)CI_MASK(ci_x); }
#endif

CI_ABOUT_ONE(topbit, ci_u)
CI_ABOUT_ONE(bottombit, ci_u << (CRYPTOINT_BITS - 1))
CI_ABOUT_ONE(nonzero, CI_NONZERO(ci_u))
CI_ABOUT_ONE(zero, ~CI_NONZERO(ci_u))
CI_ABOUT_TWO(unequal, CI_NONZERO(ci_u ^ ci_v))
CI_ABOUT_TWO(equal, ~CI_NONZERO(ci_u ^ ci_v))
CI_ABOUT_TWO(smaller, CI_LESS(ci_u, ci_v))
CI_ABOUT_TWO(leq, ~CI_LESS(ci_v, ci_u))

/* ------------------------------------------------------------------------- */
/* Order */

#if defined(CRYPTOINT_AMD64)

/* compared as int or wider, for which there are conditional moves */
#if CRYPTOINT_BITS == 64
#define CI_WIDE CI_T
#elif CRYPTOINT_SIGNED
#define CI_WIDE int32_t
#else
#define CI_WIDE uint32_t
#endif

#if CRYPTOINT_SIGNED
#define CI_IF_LESS "cmovl "
#define CI_IF_GREATER "cmovg "
#else
#define CI_IF_LESS "cmovb "
#define CI_IF_GREATER "cmova "
#endif

CRYPTOINT_FUNCTION CI_T CI_NAME(min)(CI_T ci_x, CI_T ci_y)
{
  CI_WIDE ci_a = ci_x, ci_b = ci_y;
  __asm__("cmp %1,%0\n\t" CI_IF_GREATER "%1,%0" : "+r"(ci_a) : "r"(ci_b) : "cc");
  return (CI_T)ci_a;
}

CRYPTOINT_FUNCTION CI_T CI_NAME(max)(CI_T ci_x, CI_T ci_y)
{
  CI_WIDE ci_a = ci_x, ci_b = ci_y;
  __asm__("cmp %1,%0\n\t" CI_IF_LESS "%1,%0" : "+r"(ci_a) : "r"(ci_b) : "cc");
  return (CI_T)ci_a;
}

CRYPTOINT_FUNCTION void CI_NAME(minmax)(CI_T *ci_p, CI_T *ci_q)
{
  CI_WIDE ci_a = *ci_p, ci_b = *ci_q, ci_c = ci_a;
  __asm__("cmp %1,%0\n\t" CI_IF_GREATER "%1,%0\n\t" CI_IF_GREATER "%2,%1"
          : "+&r"(ci_a), "+&r"(ci_b) : "r"(ci_c) : "cc");
  *ci_p = (CI_T)ci_a;
  *ci_q = (CI_T)ci_b;
}

#undef CI_WIDE
#undef CI_IF_LESS
#undef CI_IF_GREATER

#else

/* what has to be flipped in both for them to change places, if y < x */
#define CI_SWAP(ci_x, ci_y) \
  ((CI_U)((CI_U)(ci_x) ^ (CI_U)(ci_y)) & (CI_U)CI_NAME(smaller_mask)((ci_y), (ci_x)))

CRYPTOINT_FUNCTION CI_T CI_NAME(min)(CI_T ci_x, CI_T ci_y)
{
  return (CI_T)(CI_U)((CI_U)ci_x ^ CI_SWAP(ci_x, ci_y));
}

CRYPTOINT_FUNCTION CI_T CI_NAME(max)(CI_T ci_x, CI_T ci_y)
{
  return (CI_T)(CI_U)((CI_U)ci_y ^ CI_SWAP(ci_x, ci_y));
}

CRYPTOINT_FUNCTION void CI_NAME(minmax)(CI_T *ci_p, CI_T *ci_q)
{
  const CI_U ci_swap = CI_SWAP(*ci_p, *ci_q);
  *ci_p = (CI_T)(CI_U)((CI_U)*ci_p ^ ci_swap);
  *ci_q = (CI_T)(CI_U)((CI_U)*ci_q ^ ci_swap);
}

#undef CI_SWAP

#endif

/* ------------------------------------------------------------------------- */
/* Bits */

/* bit j of x, where j is no secret and below the width */
CRYPTOINT_FUNCTION CI_T CI_NAME(bitinrangepublicpos_01)(CI_T ci_x, CI_T ci_j)
{
  return CI_NAME(bottombit_01)((CI_T)(ci_x >> ci_j));
}

CRYPTOINT_FUNCTION CI_T CI_NAME(bitinrangepublicpos_mask)(CI_T ci_x, CI_T ci_j)
{
  return CI_NAME(bottombit_mask)((CI_T)(ci_x >> ci_j));
}

#if defined(CRYPTOINT_CONSTANT_SHIFTS)
#define CI_SHIFT(name, type, operator) \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name)(CI_T ci_x, CI_T ci_j) \
  { \
    return (CI_T)(type)((type)ci_x operator (ci_j & (CRYPTOINT_BITS - 1))); \
  }
#else
/* by 1, by 2, by 4 ..., each of them done or not done */
#define CI_SHIFT(name, type, operator) \
  CRYPTOINT_FUNCTION CI_T CI_NAME(name)(CI_T ci_x, CI_T ci_j) \
  { \
    type ci_z = (type)ci_x; \
    int ci_i, ci_step; \
    for (ci_i = 0, ci_step = 1; ci_step < CRYPTOINT_BITS; ++ci_i, ci_step *= 2) { \
      const type ci_shifted = (type)(ci_z operator ci_step); \
      const CI_T ci_mask = CI_NAME(bitinrangepublicpos_mask)(ci_j, (CI_T)ci_i); \
      ci_z ^= (type)((ci_z ^ ci_shifted) & (type)ci_mask); \
    } \
    return (CI_T)ci_z; \
  }
#endif

CI_SHIFT(shlmod, CI_U, <<)
CI_SHIFT(shrmod, CI_T, >>)

CRYPTOINT_FUNCTION CI_T CI_NAME(bitmod_01)(CI_T ci_x, CI_T ci_j)
{
  return CI_NAME(bottombit_01)(CI_NAME(shrmod)(ci_x, ci_j));
}

CRYPTOINT_FUNCTION CI_T CI_NAME(bitmod_mask)(CI_T ci_x, CI_T ci_j)
{
  return CI_NAME(bottombit_mask)(CI_NAME(shrmod)(ci_x, ci_j));
}

CRYPTOINT_FUNCTION int CI_NAME(ones_num)(CI_T ci_x)
{
  CI_U ci_u = (CI_U)ci_x;
  int ci_step;
  ci_u = (CI_U)(ci_u - ((CI_U)(ci_u >> 1) & CI_PER(3)));
  ci_u = (CI_U)((ci_u & CI_PER(5)) + ((CI_U)(ci_u >> 2) & CI_PER(5)));
  ci_u = (CI_U)((CI_U)(ci_u + (CI_U)(ci_u >> 4)) & CI_PER(17));
  for (ci_step = 8; ci_step < CRYPTOINT_BITS; ci_step *= 2)
    ci_u = (CI_U)(ci_u + (CI_U)(ci_u >> ci_step));
  return (int)(ci_u & 0x7f);
}

CRYPTOINT_FUNCTION int CI_NAME(bottomzeros_num)(CI_T ci_x)
{
#if defined(CRYPTOINT_AMD64)
  int64_t ci_found;
  __asm__("bsfq %1,%0\n\tcmovzq %2,%0"
          : "=&r"(ci_found) : "r"((uint64_t)(CI_U)ci_x), "r"((int64_t)CRYPTOINT_BITS) : "cc");
  return (int)ci_found;
#else
  const CI_U ci_u = (CI_U)ci_x;
  return CI_NAME(ones_num)((CI_T)(CI_U)((CI_U)~ci_u & (CI_U)(ci_u - 1)));
#endif
}

/* ------------------------------------------------------------------------- */
/* Bytes */

CRYPTOINT_FUNCTION CI_T CI_NAME(load)(const unsigned char *ci_from)
{
  CI_U ci_u = 0;
  int ci_i;
  for (ci_i = 0; ci_i < CRYPTOINT_BITS / 8; ++ci_i)
    ci_u = (CI_U)(ci_u | (CI_U)((CI_U)ci_from[ci_i] << (8 * ci_i)));
  return (CI_T)ci_u;
}

CRYPTOINT_FUNCTION CI_T CI_NAME(load_bigendian)(const unsigned char *ci_from)
{
  CI_U ci_u = 0;
  int ci_i;
  for (ci_i = 0; ci_i < CRYPTOINT_BITS / 8; ++ci_i)
    ci_u = (CI_U)(ci_u | (CI_U)((CI_U)ci_from[ci_i] << (CRYPTOINT_BITS - 8 - 8 * ci_i)));
  return (CI_T)ci_u;
}

CRYPTOINT_FUNCTION void CI_NAME(store)(unsigned char *ci_to, CI_T ci_x)
{
  int ci_i;
  for (ci_i = 0; ci_i < CRYPTOINT_BITS / 8; ++ci_i)
    ci_to[ci_i] = (unsigned char)((CI_U)ci_x >> (8 * ci_i));
}

CRYPTOINT_FUNCTION void CI_NAME(store_bigendian)(unsigned char *ci_to, CI_T ci_x)
{
  int ci_i;
  for (ci_i = 0; ci_i < CRYPTOINT_BITS / 8; ++ci_i)
    ci_to[ci_i] = (unsigned char)((CI_U)ci_x >> (CRYPTOINT_BITS - 8 - 8 * ci_i));
}

#undef CI_S
#undef CI_U
#undef CI_T
#undef CI_TRUTH
#undef CI_HIDE
#undef CI_TOP
#undef CI_PER
#undef CI_NAME
#undef CI_OTHER
#undef CI_FLIP
#undef CI_01
#undef CI_MASK
#undef CI_ABOUT_ONE
#undef CI_ABOUT_TWO
#undef CI_LESS
#undef CI_NONZERO
#undef CI_SHIFT
#undef CRYPTOINT_BITS
#undef CRYPTOINT_SIGNED
