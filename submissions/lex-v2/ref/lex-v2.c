/* SPDX-License-Identifier: CC0-1.0 */
/*
 * LEX v2, in the terms of the specification: Alex Biryukov, "The Design of a Stream Cipher LEX",
 * Selected Areas in Cryptography 2006, section 2; with "The Tweak for LEX-128, LEX-192, LEX-256",
 * eSTREAM (2006). The AES and its terms are those of FIPS 197.
 *
 * Four facts were looked up in the LEX v2 code of RIOT (J. Wagner, A. Biryukov) and agree with
 * eSTREAM's published vectors: no subkey is added before the first round of a block, the tenth
 * round mixes columns too, the IV is encrypted by the unchanged AES, and the order of bytes, which
 * is reversed in each column of the IV and in each word of the key stream, but not in the key.
 */

#include "ecrypt-sync.h"

#define ROUNDS 10

/* ------------------------------------------------------------------------- */
/* AES: byte r of column c of the state is state[4 * c + r] */

/* FIPS 197, section 5.1.1 */
static const u8 sbox[256] = {
    0x63, 0x7C, 0x77, 0x7B, 0xF2, 0x6B, 0x6F, 0xC5, 0x30, 0x01, 0x67, 0x2B,
    0xFE, 0xD7, 0xAB, 0x76, 0xCA, 0x82, 0xC9, 0x7D, 0xFA, 0x59, 0x47, 0xF0,
    0xAD, 0xD4, 0xA2, 0xAF, 0x9C, 0xA4, 0x72, 0xC0, 0xB7, 0xFD, 0x93, 0x26,
    0x36, 0x3F, 0xF7, 0xCC, 0x34, 0xA5, 0xE5, 0xF1, 0x71, 0xD8, 0x31, 0x15,
    0x04, 0xC7, 0x23, 0xC3, 0x18, 0x96, 0x05, 0x9A, 0x07, 0x12, 0x80, 0xE2,
    0xEB, 0x27, 0xB2, 0x75, 0x09, 0x83, 0x2C, 0x1A, 0x1B, 0x6E, 0x5A, 0xA0,
    0x52, 0x3B, 0xD6, 0xB3, 0x29, 0xE3, 0x2F, 0x84, 0x53, 0xD1, 0x00, 0xED,
    0x20, 0xFC, 0xB1, 0x5B, 0x6A, 0xCB, 0xBE, 0x39, 0x4A, 0x4C, 0x58, 0xCF,
    0xD0, 0xEF, 0xAA, 0xFB, 0x43, 0x4D, 0x33, 0x85, 0x45, 0xF9, 0x02, 0x7F,
    0x50, 0x3C, 0x9F, 0xA8, 0x51, 0xA3, 0x40, 0x8F, 0x92, 0x9D, 0x38, 0xF5,
    0xBC, 0xB6, 0xDA, 0x21, 0x10, 0xFF, 0xF3, 0xD2, 0xCD, 0x0C, 0x13, 0xEC,
    0x5F, 0x97, 0x44, 0x17, 0xC4, 0xA7, 0x7E, 0x3D, 0x64, 0x5D, 0x19, 0x73,
    0x60, 0x81, 0x4F, 0xDC, 0x22, 0x2A, 0x90, 0x88, 0x46, 0xEE, 0xB8, 0x14,
    0xDE, 0x5E, 0x0B, 0xDB, 0xE0, 0x32, 0x3A, 0x0A, 0x49, 0x06, 0x24, 0x5C,
    0xC2, 0xD3, 0xAC, 0x62, 0x91, 0x95, 0xE4, 0x79, 0xE7, 0xC8, 0x37, 0x6D,
    0x8D, 0xD5, 0x4E, 0xA9, 0x6C, 0x56, 0xF4, 0xEA, 0x65, 0x7A, 0xAE, 0x08,
    0xBA, 0x78, 0x25, 0x2E, 0x1C, 0xA6, 0xB4, 0xC6, 0xE8, 0xDD, 0x74, 0x1F,
    0x4B, 0xBD, 0x8B, 0x8A, 0x70, 0x3E, 0xB5, 0x66, 0x48, 0x03, 0xF6, 0x0E,
    0x61, 0x35, 0x57, 0xB9, 0x86, 0xC1, 0x1D, 0x9E, 0xE1, 0xF8, 0x98, 0x11,
    0x69, 0xD9, 0x8E, 0x94, 0x9B, 0x1E, 0x87, 0xE9, 0xCE, 0x55, 0x28, 0xDF,
    0x8C, 0xA1, 0x89, 0x0D, 0xBF, 0xE6, 0x42, 0x68, 0x41, 0x99, 0x2D, 0x0F,
    0xB0, 0x54, 0xBB, 0x16
};

/* FIPS 197, section 4.2.1: multiplication by x */
static u8 xtime(u8 b)
{
    return (u8)((((u32)b << 1) ^ (((b & 0x80) != 0) ? 0x1Bu : 0u)) & 0xFF);
}

/* FIPS 197, section 5.2, for keys of 128 bits */
static void key_expansion(u8 subkeys[ROUNDS + 1][16], const u8 *key)
{
    u8 *w = subkeys[0];
    u8 rcon = 1;
    u32 i;

    for (i = 0; i < 16; ++i)
        w[i] = key[i];
    for (i = 16; i < 16 * (ROUNDS + 1); ++i) {
        u8 t = w[i - 4];

        if (i % 16 < 4) {
            t = sbox[w[(i % 4 == 3) ? i - 7 : i - 3]];
            if (i % 16 == 0)
                t ^= rcon;
        }
        if (i % 16 == 3)
            rcon = xtime(rcon);
        w[i] = w[i - 16] ^ t;
    }
}

static void sub_bytes_and_shift_rows(u8 state[16])
{
    u8 old[16];
    u32 i;

    for (i = 0; i < 16; ++i)
        old[i] = sbox[state[i]];
    for (i = 0; i < 16; ++i)
        state[i] = old[(i + 4 * (i % 4)) % 16];
}

static void mix_columns(u8 state[16])
{
    u32 c;
    u32 r;

    for (c = 0; c < 16; c += 4) {
        u8 a[4];

        for (r = 0; r < 4; ++r)
            a[r] = state[c + r];
        for (r = 0; r < 4; ++r)
            state[c + r] = (u8)(xtime(a[r]) ^ xtime(a[(r + 1) % 4]) ^ a[(r + 1) % 4]
                                ^ a[(r + 2) % 4] ^ a[(r + 3) % 4]);
    }
}

static void add_round_key(u8 state[16], const u8 subkey[16])
{
    u32 i;

    for (i = 0; i < 16; ++i)
        state[i] ^= subkey[i];
}

/* ------------------------------------------------------------------------- */
/* LEX */

/*
 * Four bytes leak from the state: those of columns 0 and 2 in rows 0 and 2 after odd rounds, in
 * rows 1 and 3 after even ones. They are a word of which the byte named first in the paper is
 * the most significant; words are stored with the least significant byte first.
 */
static void leak(const u8 state[16], u32 round, u8 word[4])
{
    const u32 row = (round % 2 == 1) ? 0 : 1;

    word[3] = state[row];
    word[2] = state[8 + row];
    word[1] = state[row + 2];
    word[0] = state[8 + row + 2];
}

/*
 * Ten rounds on the state, each of which gives four bytes. No subkey is added before them and
 * all of them mix columns, so that all rounds of LEX are alike.
 */
static void next_block(ECRYPT_ctx *ctx, u8 block[4 * ROUNDS])
{
    u32 round;

    for (round = 1; round <= ROUNDS; ++round) {
        sub_bytes_and_shift_rows(ctx->state);
        mix_columns(ctx->state);
        add_round_key(ctx->state, ctx->subkeys[round]);
        leak(ctx->state, round, block + 4 * (round - 1));
    }
}

/* ------------------------------------------------------------------------- */
/* The API */

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    key_expansion(ctx->subkeys, key);
}

/* The IV, encrypted by the AES as FIPS 197 has it, is the first state. */
void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 round;
    u32 i;

    for (i = 0; i < 16; ++i)
        ctx->state[i] = iv[i - i % 4 + 3 - i % 4];

    add_round_key(ctx->state, ctx->subkeys[0]);
    for (round = 1; round <= ROUNDS; ++round) {
        sub_bytes_and_shift_rows(ctx->state);
        if (round < ROUNDS)
            mix_columns(ctx->state);
        add_round_key(ctx->state, ctx->subkeys[round]);
    }
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 block[4 * ROUNDS];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % sizeof block == 0)
            next_block(ctx, block);
        output[i] = (u8)(input[i] ^ block[i % sizeof block]);
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u8 block[4 * ROUNDS];
    u32 i;

    for (i = 0; i < length; ++i) {
        if (i % sizeof block == 0)
            next_block(ctx, block);
        keystream[i] = block[i % sizeof block];
    }
}
