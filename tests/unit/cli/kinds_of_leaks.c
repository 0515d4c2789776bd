/* SPDX-License-Identifier: MIT */
/*
 * Leaks of many kinds, each in a function of its name (variant 1), and honest code of the same
 * shape (variant 2), in place of harness/planted/leaks/planted.c. As traces are compared until
 * they part, kinds that make code go another way are in calls of their own.
 */
#include "ecrypt-sync.h"

#include <string.h>

#define APART __attribute__((noinline))
#define LEAKS (ECRYPT_VARIANT == 1)

static const u8 table[64] = {7, 1, 4, 9, 30, 2, 5, 8, 11, 3, 6, 12, 21, 17, 13, 10};
static const u8 zeros[16];
static u64 words[16];
static u64 *volatile from_words = words;
static volatile u32 word_bits = 64;
static volatile u32 seen;
static volatile u8 first_byte = 0x80;

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;
#else
typedef u64 wide;
#endif

/* Hides from the compiler that a mask has two values only; MemorySanitizer follows no asm. */
static u32 hidden(u32 value)
{
    volatile u32 kept = value;

    return kept;
}

/* Hidden in between, as clang knows what it computes, and branches on that on an AVR. */
static u32 is_zero(u32 value) { return 1 - (hidden(value | (0 - value)) >> 31); }

static APART u32 kind_index(const u8 *key)
{
    u32 sum = 0, i, j;

    for (i = 0; i < 16; i++)
        if (LEAKS)
            sum += table[key[i] % 64];
        else
            for (j = 0; j < 64; j++)
                sum += table[j] & hidden(0 - is_zero((key[i] % 64u) ^ j));
    return sum;
}

static APART u32 kind_branch(const u8 *key)
{
    u32 sum = 0, i;

    for (i = 0; i < 16; i++)
        if (LEAKS) {
            if (key[i] & 1)
                seen = sum += i;
        } else
            seen = sum += i & hidden(0u - (key[i] & 1u));
    return sum;
}

/* Of bits, so that keys differ in where the comparison ends. */
static APART u32 kind_comparison(const u8 *key)
{
    u32 differ = 0, i;
    u8 bits[16];

    for (i = 0; i < 16; i++)
        bits[i] = (u8)(key[i] & (key[i] >> 1) & (key[i] >> 2) & 1);
    if (LEAKS)
        return memcmp(bits, zeros, 16) > 0;
    for (i = 0; i < 16; i++)
        differ |= bits[i];
    return hidden(is_zero(differ));
}

/* MemorySanitizer takes a sum for secret in the bits in which its terms are, and in no others. */
static APART u32 kind_carry(const u8 *key)
{
    u32 sum = 0, i, carry;

    for (i = 0; i < 16; i++) {
        carry = ((key[i] & 7u) - 3u) >> 31;
        if (LEAKS) {
            if (hidden(carry))
                seen = sum += i;
        } else
            seen = sum += i & hidden(0u - carry);
    }
    return sum;
}

static APART u32 kind_bound(const u8 *key)
{
    u32 sum = 0, i, end = LEAKS ? key[0] : 255;

    for (i = 0; i < end; i++)
        seen = sum += i ^ key[0];
    return sum;
}

static APART u32 kind_division(const u8 *key)
{
    u32 sum = 0, i;

    for (i = 0; i < 16; i++)
        sum += LEAKS ? 65535u / (key[i] + 1u) : (key[i] * 43691u) >> 17;
    return sum;
}

/* Wider than the processor's division. The divisor's first byte is the same, so that libraries
 * which look it up in a table do so at one address. */
static APART u32 kind_wide(const u8 *key)
{
    const wide top = (wide)first_byte << (8 * sizeof(wide) - 8);
    u32 sum = 0, i;

    for (i = 0; i < 16; i++) {
        wide factor = (wide)(key[i] + 1u) * (key[15 - i] + 1u);

        if (LEAKS)
            sum += (u32)(factor * 0x9e3779b97f4a7c15u * 0x9e3779b97f4a7c15u / (top | factor));
        else
            sum += (u32)(factor * 43691u >> 17);
    }
    return sum;
}

/* A mask whose two values a compiler sees; clang's back end makes a branch of it. */
static APART u32 kind_mask(const u64 *from, u64 key, u32 bits)
{
    u64 sum = 0, mask, digit;
    u32 i, j;

    for (i = 0; i < bits; i += 4) {
        for (j = 0; j < 16; j++) {
            digit = ((key >> i) & 15) ^ j; /* a difference gcc makes an index of */
            mask = 0 - (1 - ((digit | (0 - digit)) >> 63));
            if (!LEAKS)
                mask = 0 - (u64)hidden(is_zero((u32)digit));
            sum ^= from[j] & mask;
        }
        sum = (sum << 4) ^ (sum >> 60);
    }
    return (u32)sum;
}

/* Processors without a barrel shifter shift in a loop. */
static APART u32 kind_shift(const u8 *key)
{
    u32 sum = 0, i, j, value;

    for (i = 0; i < 16; i++)
        if (LEAKS)
            sum += 0x01010101u << (key[i] & 15);
        else
            for (value = 0x01010101u, j = 0; j < 16; j++) {
                sum += value & hidden(0 - is_zero((key[i] & 15u) ^ j));
                value <<= 1;
            }
    return sum;
}

void ECRYPT_init(void)
{
    u32 i;

    for (i = 0; i < 16; i++)
        words[i] = 0x9e3779b97f4a7c15u * (i + 1);
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
    ctx->mixed = U8V(kind_index(ctx->key) + kind_shift(ctx->key) +
                     kind_mask(from_words, U8TO64_LITTLE(ctx->key), word_bits));
}

static u32 stirred(const u8 *key, u32 length)
{
    if (length < 10)
        return kind_branch(key);
    return length < 100 ? kind_comparison(key) : kind_bound(key);
}

static u32 divided(const u8 *key, u32 length)
{
    if (length < 10)
        return kind_carry(key);
    return length < 100 ? kind_division(key) : kind_wide(key);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 pad = U8V(ctx->mixed + (action ? divided(ctx->key, msglen) : stirred(ctx->key, msglen)));
    u32 n;

    for (n = 0; n < msglen; n++)
        output[n] = U8V(input[n] ^ pad);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 pad = U8V(ctx->mixed + stirred(ctx->key, length));
    u32 n;

    for (n = 0; n < length; n++)
        keystream[n] = pad;
}
