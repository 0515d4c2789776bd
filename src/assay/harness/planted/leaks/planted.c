/* SPDX-License-Identifier: MIT */
/*
 * Leaks of several sorts, each in a function of its name, and honest code of the same shape. Which
 * of them a message meets depends on its length and on what is asked of it alone, as traces are
 * compared until they part.
 */

#include "ecrypt-sync.h"

#include <string.h>

#ifdef __AVR__
#include <avr/pgmspace.h>
#endif

#define APART __attribute__((noinline))

static const u8 table[64] = {7, 1, 4, 9, 30, 2, 5, 8, 11, 3, 6, 12, 21, 17, 13, 10};
static const u8 zeros[32];
static volatile u8 seen;
static volatile u8 choices[2] = {0x5a, 0xc3};

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
typedef u64 wide;
#endif

#if ECRYPT_VARIANT != 1
/* Hides from the compiler that a mask has two values only; MemorySanitizer follows no asm. */
static u8 hidden(u8 value)
{
    volatile u8 kept = value;

    return kept;
}
#endif

#if defined(__AVR__) && ECRYPT_VARIANT != 1
/* All bits if two numbers below 16 are the same; clang makes a branch of what is shorter. */
static u8 same(u8 x, u8 y)
{
    u8 differs = hidden(x ^ y);

    differs = hidden(U8V(differs | differs >> 2));
    differs = hidden(U8V((differs | differs >> 1) & 1));
    return hidden(U8V(differs - 1));
}
#endif

static APART u8 planted_address(const u8 *key)
{
    u8 sum = 0, i, j;

    for (i = 0; i < 16; i++)
#if ECRYPT_VARIANT == 1
        sum = U8V(sum + table[key[i] % 64]);
    (void)j;
#else
        for (j = 0; j < 64; j++)
            sum = U8V(sum + (table[j] & hidden(U8V(-(((key[i] % 64u ^ j) - 1u) >> 31)))));
#endif
    return sum;
}

static APART u8 planted_branch(const u8 *key)
{
    u8 sum = 0, i;

    for (i = 0; i < 16; i++)
#if ECRYPT_VARIANT == 1
        if (key[i] & 1) {
            seen = i;
            sum = U8V(sum + i);
        }
#else
        sum = U8V(sum + (i & hidden(U8V(-(key[i] & 1)))));
    seen = sum;
#endif
    return sum;
}

static APART u8 planted_compare(const u8 *key)
{
    u8 i, wanted, differ = 0;

    for (wanted = 0; wanted < 8; wanted++)
        for (i = 0; i < 16; i++) {
            differ = U8V(differ | ((key[i] & 7) ^ wanted));
#if ECRYPT_VARIANT == 1
            if ((key[i] & 7) == wanted)
                break;
#endif
        }
    return differ;
}

static APART u8 planted_bound(const u8 *key)
{
    u8 i, sum = 0;

#if ECRYPT_VARIANT == 1
    for (i = 0; i < key[0]; i++)
        seen = sum = U8V(sum + i);
#else
    for (i = 0; i < 255; i++)
        seen = sum = U8V(sum + (i ^ key[0]));
#endif
    return sum;
}

/* Whether all of four bits are set: no carry, which MemorySanitizer does not follow. */
static u8 all_set(u8 x) { return U8V(x & (x >> 1) & (x >> 2) & (x >> 3) & 1); }

/* In the C library. Of words that are zero or not, so that keys differ in where it ends. */
static APART u8 planted_memcmp(const u8 *key)
{
    u8 bits[32], sum = 0, i, j;

    for (i = 0; i < 16; i++) {
        for (j = 0; j < 32; j++)
            bits[j] = all_set(U8V(key[(i + j) % 16u] ^ j));
#if ECRYPT_VARIANT == 1
        sum = U8V(sum + (memcmp(bits, zeros, 32) > 0));
#else
        for (j = 0; j < 32; j++)
            sum = U8V(sum | (bits[j] ^ zeros[j]));
#endif
    }
    return sum;
}

/* No processor here divides words of this width: the compiler's library does. */
static APART u8 planted_division(const u8 *key)
{
    u8 sum = 0, i;

    for (i = 0; i < 16; i++) {
        wide factor = (wide)(key[i] + 1u) * (key[15 - i] + 1u);

#if ECRYPT_VARIANT == 1
        sum = U8V(sum + ~factor / (factor * factor * factor * factor * factor | 1));
#else
        sum = U8V(sum + ((factor * 43691u) >> 17));
#endif
    }
    return sum;
}

/* A choice between two values: a conditional move, or a branch if the compiler makes one. */
static APART u8 planted_choice(const u8 *key)
{
    u8 sum = 0, i;
    const u8 one = choices[0], other = choices[1];

    for (i = 0; i < 16; i++)
#if ECRYPT_VARIANT == 1
        sum = U8V((sum ^ i) + (key[i] & 1 ? one : other));
#else
        sum = U8V((sum ^ i) + (other ^ ((one ^ other) & hidden(U8V(-(key[i] & 1))))));
#endif
    return sum;
}

#ifdef __AVR__
/* Tables in flash are read by instructions of their own. */
static const u8 flash[16] PROGMEM = {3, 14, 1, 5, 9, 2, 6, 8, 7, 4, 12, 11, 15, 0, 13, 10};

static APART u8 planted_flash(const u8 *key)
{
    u8 sum = 0, i, j;

    for (i = 0; i < 16; i++)
#if ECRYPT_VARIANT == 1
        sum = U8V(sum + pgm_read_byte(flash + (key[i] & 15)));
    (void)j;
#else
        for (j = 0; j < 16; j++)
            sum = U8V(sum + (pgm_read_byte(flash + j) &
                             same(key[i] & 15, j)));
#endif
    return sum;
}

/* Without a barrel shifter this is a loop. */
static APART u8 planted_shift(const u8 *key)
{
    u8 sum = 0, i, j;

    for (i = 0; i < 16; i++)
#if ECRYPT_VARIANT == 1
        sum = U8V(sum + ((0x0101u << (key[i] & 7)) >> 4));
    (void)j;
#else
        for (j = 0; j < 8; j++)
            sum = U8V(sum + (((0x0101u << j) >> 4) &
                             same(key[i] & 7, j)));
#endif
    return sum;
}
#endif

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize, (void)ivsize;
    for (i = 0; i < 16; i++)
        ctx->key[i] = key[i];
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    (void)iv;
    ctx->mixed = planted_address(ctx->key);
#ifdef __AVR__ /* before what makes the code go another way: addresses behind that are its doing */
    ctx->mixed = U8V(ctx->mixed + planted_flash(ctx->key));
    ctx->mixed = U8V(ctx->mixed + planted_shift(ctx->key));
#endif
    ctx->mixed = U8V(ctx->mixed + planted_choice(ctx->key));
}

static u8 mixed(ECRYPT_ctx *ctx, u32 length)
{
    if (length < 10)
        return planted_branch(ctx->key);
    return length < 100 ? planted_compare(ctx->key) : planted_bound(ctx->key);
}

static u8 called(ECRYPT_ctx *ctx, u32 length)
{
    return length < 100 ? planted_memcmp(ctx->key) : planted_division(ctx->key);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 pad = U8V(ctx->mixed + (action ? called(ctx, msglen) : mixed(ctx, msglen)));
    u32 n;

    for (n = 0; n < msglen; n++)
        output[n] = U8V(input[n] ^ pad);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 pad = U8V(ctx->mixed + mixed(ctx, length));
    u32 n;

    for (n = 0; n < length; n++)
        keystream[n] = pad;
}
