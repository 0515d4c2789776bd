/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Trivium, one bit per step, in the terms of the specification:
 * Christophe De Canniere and Bart Preneel, "Trivium Specifications", eSTREAM portfolio (2008),
 * sections 2.1 and 2.2.
 *
 * The specification numbers bits, the eSTREAM API passes bytes. The convention of the authors'
 * test vectors: the least significant bit of a byte comes first in time. Stream bit z_1 is
 * bit 0 of the first byte. s_1 is the youngest bit of its register, so K_1 and IV_1 are the
 * most significant bit of the last byte, and the last K and IV bits are bit 0 of the first.
 */

#include "ecrypt-sync.h"

static u32 get(const u32 *s, u32 n)
{
    return (s[(n - 1) / 32] >> ((n - 1) % 32)) & 1;
}

static void set(u32 *s, u32 n, u32 bit)
{
    const u32 place = (n - 1) % 32;

    s[(n - 1) / 32] = (s[(n - 1) / 32] & ~((u32)1 << place)) | (bit << place);
}

#define S(n) get(s, (n))

/* (s_2, ..., s_288) := (s_1, ..., s_287). */
static void shift(u32 *s)
{
    u32 i;

    for (i = 8; i > 0; --i)
        s[i] = (s[i] << 1) | (s[i - 1] >> 31);
    s[0] <<= 1;
}

/* One step of section 2.1: returns z. */
static u32 next_bit(u32 *s)
{
    u32 t1 = S(66) ^ S(93);
    u32 t2 = S(162) ^ S(177);
    u32 t3 = S(243) ^ S(288);
    const u32 z = t1 ^ t2 ^ t3;

    t1 ^= (S(91) & S(92)) ^ S(171);
    t2 ^= (S(175) & S(176)) ^ S(264);
    t3 ^= (S(286) & S(287)) ^ S(69);

    shift(s);
    set(s, 1, t3);
    set(s, 94, t1);
    set(s, 178, t2);
    return z;
}

static u8 next_byte(u32 *s)
{
    u32 byte = 0;
    u32 i;

    for (i = 0; i < 8; ++i)
        byte |= next_bit(s) << i;
    return (u8)byte;
}

/* (s_first, s_first+1, ...) := the bits of a key or an IV, number 1 first. */
static void load(u32 *s, u32 first, const u8 *bytes, u32 size)
{
    u32 n;

    for (n = 0; n < size; ++n) {
        const u32 place = size - 1 - n;

        set(s, first + n, ((u32)bytes[place / 8] >> (place % 8)) & 1);
    }
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    (void)keysize;
    for (i = 0; i < 10; ++i)
        ctx->key[i] = key[i];
    ctx->ivsize = ivsize;
}

/* Section 2.2. An IV below 80 bits is followed by zeros, as the register is. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 *s = ctx->s;
    u32 i;

    for (i = 0; i < 9; ++i)
        s[i] = 0;
    load(s, 1, ctx->key, 80);
    load(s, 94, iv, ctx->ivsize);
    set(s, 286, 1);
    set(s, 287, 1);
    set(s, 288, 1);

    for (i = 0; i < 4 * 288; ++i)
        (void)next_bit(s);
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i)
        output[i] = (u8)(input[i] ^ next_byte(ctx->s));
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 i;

    for (i = 0; i < length; ++i)
        keystream[i] = next_byte(ctx->s);
}
