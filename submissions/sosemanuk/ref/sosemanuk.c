/* SPDX-License-Identifier: CC0-1.0 */
/*
 * SOSEMANUK, in the terms of the specification: C. Berbain, O. Billet, A. Canteaut, N. Courtois,
 * H. Gilbert, L. Goubin, A. Gouget, L. Granboulan, C. Lauradoux, M. Minier, T. Pornin, H. Sibert,
 * "Sosemanuk, a fast software-oriented stream cipher", eSTREAM (2005), sections 2 and 3.
 *
 * Its S-boxes, linear transformation and key schedule are those of R. Anderson, E. Biham,
 * L. Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard" (1998).
 *
 * Keys from 128 to 256 bits are specified, and IVs of 128 bits. Shorter keys are lengthened as
 * Serpent lengthens all of them; shorter IVs are filled up with zeros, as in the submission to
 * eSTREAM, whose published vectors confirm it.
 */

#include "ecrypt-sync.h"

/* ------------------------------------------------------------------------- */
/* Serpent */

static const u8 S[8][16] = {
    {3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12},
    {15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4},
    {8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2},
    {0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14},
    {1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13},
    {15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1},
    {7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0},
    {1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6}
};

/* S-box n in bitslice mode: 32 of them, on bit i of each of the words. */
static void sbox(u32 n, u32 x[4])
{
    u32 y[4] = {0, 0, 0, 0};
    u32 i;
    u32 k;

    for (i = 0; i < 32; ++i) {
        u32 in = 0;

        for (k = 0; k < 4; ++k)
            in |= ((x[k] >> i) & 1) << k;
        for (k = 0; k < 4; ++k)
            y[k] |= (((u32)S[n][in] >> k) & 1) << i;
    }
    for (k = 0; k < 4; ++k)
        x[k] = y[k];
}

static void linear_transformation(u32 x[4])
{
    x[0] = ROTL32(x[0], 13);
    x[2] = ROTL32(x[2], 3);
    x[1] ^= x[0] ^ x[2];
    x[3] ^= x[2] ^ U32V(x[0] << 3);
    x[1] = ROTL32(x[1], 1);
    x[3] = ROTL32(x[3], 7);
    x[0] ^= x[1] ^ x[3];
    x[2] ^= x[3] ^ U32V(x[1] << 7);
    x[0] = ROTL32(x[0], 5);
    x[2] = ROTL32(x[2], 22);
}

static void add_subkey(u32 x[4], const u32 subkey[4])
{
    u32 k;

    for (k = 0; k < 4; ++k)
        x[k] ^= subkey[k];
}

/* The first 25 of Serpent's subkeys. */
static void key_schedule(u32 subkeys[25][4], const u8 *key, u32 keysize)
{
    u8 padded[32];
    u32 w[108]; /* w_-8 is w[0] */
    u32 i;

    for (i = 0; i < 32; ++i)
        padded[i] = (u8)((i < keysize / 8) ? key[i] : (i == keysize / 8) ? 1 : 0);
    for (i = 0; i < 8; ++i)
        w[i] = U8TO32_LITTLE(padded + 4 * i);
    for (i = 8; i < 108; ++i) {
        const u32 t = w[i - 8] ^ w[i - 5] ^ w[i - 3] ^ w[i - 1] ^ U32C(0x9E3779B9) ^ (i - 8);

        w[i] = ROTL32(t, 11);
    }
    for (i = 0; i < 25; ++i) {
        u32 k;

        for (k = 0; k < 4; ++k)
            subkeys[i][k] = w[8 + 4 * i + k];
        sbox((35 - i) % 8, subkeys[i]); /* S3, S2, S1, S0, S7, ... */
    }
}

/* ------------------------------------------------------------------------- */
/* LFSR: section 2.2 */

/* The product of a and b in F_2[x] / (x^8 + x^7 + x^5 + x^3 + 1), of which beta is a root. */
static u32 product(u32 a, u32 b)
{
    u32 p = 0;

    for (; b != 0; b >>= 1) {
        if ((b & 1) != 0)
            p ^= a;
        a = (a << 1) ^ (((a & 0x80) != 0) ? 0x1A9 : 0);
    }
    return p;
}

/* Powers of beta. */
#define BETA_6 0x40
#define BETA_16 0x18
#define BETA_23 0xE1
#define BETA_39 0x0F
#define BETA_48 0xCF
#define BETA_64 0xCD
#define BETA_239 0x13
#define BETA_245 0x9F

/* alpha is a root of X^4 + beta^23 X^3 + beta^245 X^2 + beta^48 X + beta^239. */
static u32 times_alpha(u32 s)
{
    const u32 top = s >> 24;

    return U32V(s << 8)
           ^ ((product(top, BETA_23) << 24) | (product(top, BETA_245) << 16)
              | (product(top, BETA_48) << 8) | product(top, BETA_239));
}

/* Its inverse is beta^16 X^3 + beta^39 X^2 + beta^6 X + beta^64. */
static u32 over_alpha(u32 s)
{
    const u32 low = s & 0xFF;

    return (s >> 8)
           ^ ((product(low, BETA_16) << 24) | (product(low, BETA_39) << 16)
              | (product(low, BETA_6) << 8) | product(low, BETA_64));
}

/* s[i] is s_{t+1+i}. */
static void step_lfsr(u32 s[10])
{
    const u32 next = s[9] ^ over_alpha(s[3]) ^ times_alpha(s[0]);
    u32 i;

    for (i = 0; i < 9; ++i)
        s[i] = s[i + 1];
    s[9] = next;
}

/* ------------------------------------------------------------------------- */
/* FSM: section 2.3 */

static u32 mux(u32 c, u32 x, u32 y)
{
    return ((c & 1) != 0) ? y : x;
}

static u32 trans(u32 z)
{
    const u32 product32 = U32V(U32C(0x54655307) * z);

    return ROTL32(product32, 7);
}

/* f_t, where s_t is s[0] */
static u32 step_fsm(ECRYPT_ctx *ctx)
{
    const u32 *s = ctx->s;
    const u32 R1 = U32V(ctx->R2 + mux(ctx->R1, s[1], s[1] ^ s[8]));
    const u32 R2 = trans(ctx->R1);

    ctx->R1 = R1;
    ctx->R2 = R2;
    return U32V(s[9] + R1) ^ R2;
}

/* Section 2.4: four steps and Serpent1, which is S-box 2, give z_t .. z_t+3. */
static void next_block(ECRYPT_ctx *ctx, u8 block[16])
{
    u32 f[4];
    u32 s[4];
    u32 k;

    for (k = 0; k < 4; ++k) {
        s[k] = ctx->s[0];
        f[k] = step_fsm(ctx);
        step_lfsr(ctx->s);
    }
    sbox(2, f);
    for (k = 0; k < 4; ++k)
        U32TO8_LITTLE(block + 4 * k, f[k] ^ s[k]);
}

/* ------------------------------------------------------------------------- */
/* The API */

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    key_schedule(ctx->subkeys, key, keysize);
    ctx->ivsize = ivsize;
}

/* Section 3: Serpent24 of the IV; what rounds 12, 18 and 24 give becomes the state. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u8 padded[16];
    u32 Y[4];
    u32 round;
    u32 k;

    for (k = 0; k < 16; ++k)
        padded[k] = (u8)((k < ctx->ivsize / 8) ? iv[k] : 0);
    for (k = 0; k < 4; ++k)
        Y[k] = U8TO32_LITTLE(padded + 4 * k);

    for (round = 1; round <= 24; ++round) {
        add_subkey(Y, ctx->subkeys[round - 1]);
        sbox((round - 1) % 8, Y);
        linear_transformation(Y);

        if (round == 12) {
            ctx->s[6] = Y[3]; /* s_7 .. s_10 */
            ctx->s[7] = Y[2];
            ctx->s[8] = Y[1];
            ctx->s[9] = Y[0];
        }
        if (round == 18) {
            ctx->s[4] = Y[1]; /* s_5, s_6 */
            ctx->s[5] = Y[3];
            ctx->R1 = Y[0];
            ctx->R2 = Y[2];
        }
    }
    add_subkey(Y, ctx->subkeys[24]);
    ctx->s[0] = Y[3]; /* s_1 .. s_4 */
    ctx->s[1] = Y[2];
    ctx->s[2] = Y[1];
    ctx->s[3] = Y[0];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 block[16];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 16 == 0)
            next_block(ctx, block);
        output[i] = (u8)(input[i] ^ block[i % 16]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 block[16];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % 16 == 0)
            next_block(ctx, block);
        keystream[i] = block[i % 16];
    }
}
