/* SPDX-License-Identifier: CC0-1.0 */

/*
 * Salsa20, written after D. J. Bernstein, "Salsa20 specification" (2005), and
 * "The Salsa20 family of stream ciphers" (2008) for Salsa20/12 and Salsa20/8.
 * Function names and section numbers are those of the specification.
 */

#include "ecrypt-sync.h"

/* 3: quarterround, in place on four words of a matrix */
static void quarterround(u32 *y0, u32 *y1, u32 *y2, u32 *y3)
{
  *y1 ^= ROTL32(*y0 + *y3, 7);
  *y2 ^= ROTL32(*y1 + *y0, 9);
  *y3 ^= ROTL32(*y2 + *y1, 13);
  *y0 ^= ROTL32(*y3 + *y2, 18);
}

/* 4: rowround */
static void rowround(u32 y[16])
{
    quarterround(&y[0], &y[1], &y[2], &y[3]);
    quarterround(&y[5], &y[6], &y[7], &y[4]);
    quarterround(&y[10], &y[11], &y[8], &y[9]);
    quarterround(&y[15], &y[12], &y[13], &y[14]);
}

/* 5: columnround */
static void columnround(u32 x[16])
{
    quarterround(&x[0], &x[4], &x[8], &x[12]);
    quarterround(&x[5], &x[9], &x[13], &x[1]);
    quarterround(&x[10], &x[14], &x[2], &x[6]);
    quarterround(&x[15], &x[3], &x[7], &x[11]);
}

/* 6: doubleround */
static void doubleround(u32 x[16])
{
    columnround(x);
    rowround(x);
}

/* 7 and 8: the Salsa20 hash function, between little-endian words */
static void salsa20(u8 output[64], const u8 input[64])
{
    u32 x[16];
    u32 z[16];
    int i;

    for (i = 0; i < 16; ++i)
        x[i] = z[i] = U8TO32_LITTLE(input + 4 * i);

    for (i = 0; i < SALSA20_ROUNDS; i += 2)
        doubleround(z);

    for (i = 0; i < 16; ++i)
        U32TO8_LITTLE(output + 4 * i, x[i] + z[i]);
}

/*
 * 9: the Salsa20 expansion function. Its argument is laid out once, in ctx:
 * bytes 0, 20, 40, 60   the four constants of the key size
 * bytes 4 and 44        the halves of the key, or twice a key of 16 bytes
 * byte 24               v, the IV
 * byte 32               i, the number of the block
 */
static void copy(u8 *to, const u8 *from, int length)
{
    int i;

    for (i = 0; i < length; ++i)
        to[i] = from[i];
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    static const u8 sigma[] = "expand 32-byte k";
    static const u8 tau[] = "expand 16-byte k";
    const u8 *constants = (keysize == 256) ? sigma : tau;
    int i;

    (void)ivsize;
    for (i = 0; i < 4; ++i)
        copy(ctx->expansion + 20 * i, constants + 4 * i, 4);
    copy(ctx->expansion + 4, key, 16);
    copy(ctx->expansion + 44, (keysize == 256) ? key + 16 : key, 16);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    int i;

    copy(ctx->expansion + 24, iv, 8);
    for (i = 32; i < 40; ++i)
        ctx->expansion[i] = 0;
}

/* 10: the number of the block counts up as 8 bytes, little-endian */
static void next_block(ECRYPT_ctx *ctx, u8 block[64])
{
    int i;

    salsa20(block, ctx->expansion);
    for (i = 32; i < 40; ++i) {
        ctx->expansion[i] = (u8)U8V(ctx->expansion[i] + 1);
        if (ctx->expansion[i] != 0)
            break;
    }
}

/* 10: the Salsa20 encryption function */
void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input,
    u8 *output, u32 msglen)
{
    u8 block[64];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 64 == 0)
            next_block(ctx, block);
        output[i] = (u8)(input[i] ^ block[i % 64]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 block[64];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % 64 == 0)
            next_block(ctx, block);
        keystream[i] = block[i % 64];
    }
}
