/* SPDX-License-Identifier: CC0-1.0 */

/* aes-ctr.c: AES-CTR, reference.
 *
 * AES-128 and AES-256 as in FIPS 197 (NIST, 2001), section by section, in the counter mode of
 * NIST SP 800-38A, section 6.5.
 *
 * The IV is the first counter block. The next one comes from adding 1 to the block read as a
 * little-endian number: byte 0 counts first. The eSTREAM vectors show this by their carries
 * from byte 0 into byte 1; no vector carries any further. Here the counter takes the whole
 * block, 128 bits. It differs from the big-endian counter that most protocols use. */

#include "ecrypt-sync.h"

/* Section 4.2.1: multiplication by x in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1. */
static u8 xtime(u8 b)
{
    return U8V((b << 1) ^ ((b >> 7) * 0x1B));
}

/* Section 5.1.1, figure 7. */
static const u8 sbox[256] = {
    0x63, 0x7C, 0x77, 0x7B, 0xF2, 0x6B, 0x6F, 0xC5, 0x30, 0x01, 0x67, 0x2B, 0xFE, 0xD7, 0xAB, 0x76,
    0xCA, 0x82, 0xC9, 0x7D, 0xFA, 0x59, 0x47, 0xF0, 0xAD, 0xD4, 0xA2, 0xAF, 0x9C, 0xA4, 0x72, 0xC0,
    0xB7, 0xFD, 0x93, 0x26, 0x36, 0x3F, 0xF7, 0xCC, 0x34, 0xA5, 0xE5, 0xF1, 0x71, 0xD8, 0x31, 0x15,
    0x04, 0xC7, 0x23, 0xC3, 0x18, 0x96, 0x05, 0x9A, 0x07, 0x12, 0x80, 0xE2, 0xEB, 0x27, 0xB2, 0x75,
    0x09, 0x83, 0x2C, 0x1A, 0x1B, 0x6E, 0x5A, 0xA0, 0x52, 0x3B, 0xD6, 0xB3, 0x29, 0xE3, 0x2F, 0x84,
    0x53, 0xD1, 0x00, 0xED, 0x20, 0xFC, 0xB1, 0x5B, 0x6A, 0xCB, 0xBE, 0x39, 0x4A, 0x4C, 0x58, 0xCF,
    0xD0, 0xEF, 0xAA, 0xFB, 0x43, 0x4D, 0x33, 0x85, 0x45, 0xF9, 0x02, 0x7F, 0x50, 0x3C, 0x9F, 0xA8,
    0x51, 0xA3, 0x40, 0x8F, 0x92, 0x9D, 0x38, 0xF5, 0xBC, 0xB6, 0xDA, 0x21, 0x10, 0xFF, 0xF3, 0xD2,
    0xCD, 0x0C, 0x13, 0xEC, 0x5F, 0x97, 0x44, 0x17, 0xC4, 0xA7, 0x7E, 0x3D, 0x64, 0x5D, 0x19, 0x73,
    0x60, 0x81, 0x4F, 0xDC, 0x22, 0x2A, 0x90, 0x88, 0x46, 0xEE, 0xB8, 0x14, 0xDE, 0x5E, 0x0B, 0xDB,
    0xE0, 0x32, 0x3A, 0x0A, 0x49, 0x06, 0x24, 0x5C, 0xC2, 0xD3, 0xAC, 0x62, 0x91, 0x95, 0xE4, 0x79,
    0xE7, 0xC8, 0x37, 0x6D, 0x8D, 0xD5, 0x4E, 0xA9, 0x6C, 0x56, 0xF4, 0xEA, 0x65, 0x7A, 0xAE, 0x08,
    0xBA, 0x78, 0x25, 0x2E, 0x1C, 0xA6, 0xB4, 0xC6, 0xE8, 0xDD, 0x74, 0x1F, 0x4B, 0xBD, 0x8B, 0x8A,
    0x70, 0x3E, 0xB5, 0x66, 0x48, 0x03, 0xF6, 0x0E, 0x61, 0x35, 0x57, 0xB9, 0x86, 0xC1, 0x1D, 0x9E,
    0xE1, 0xF8, 0x98, 0x11, 0x69, 0xD9, 0x8E, 0x94, 0x9B, 0x1E, 0x87, 0xE9, 0xCE, 0x55, 0x28, 0xDF,
    0x8C, 0xA1, 0x89, 0x0D, 0xBF, 0xE6, 0x42, 0x68, 0x41, 0x99, 0x2D, 0x0F, 0xB0, 0x54, 0xBB, 0x16
};

/* Section 5.2: w[Nk..4(Nr+1)-1] from the key in w[0..Nk-1]. */
static void key_expansion(u8 w[][4], u32 Nk, u32 Nr)
{
    u8 rcon = 1;
    u32 i, k;

    for (i = Nk; i < 4 * (Nr + 1); ++i) {
        u8 temp[4];

        for (k = 0; k < 4; ++k)
            temp[k] = w[i - 1][k];
        if (i % Nk == 0) {
            /* SubWord(RotWord(temp)) xor Rcon[i/Nk] */
            u8 first = temp[0];
            temp[0] = U8V(sbox[temp[1]] ^ rcon);
            temp[1] = sbox[temp[2]];
            temp[2] = sbox[temp[3]];
            temp[3] = sbox[first];
            rcon = xtime(rcon);
        } else if (Nk > 6 && i % Nk == 4) {
            /* SubWord(temp) */
            for (k = 0; k < 4; ++k)
                temp[k] = sbox[temp[k]];
        }
        for (k = 0; k < 4; ++k)
            w[i][k] = U8V(w[i - Nk][k] ^ temp[k]);
    }
}

/* The state of section 3.4, a column a line: s[c][r] is the byte in row r, column c, and the
 * 16 bytes in memory are those of the block. */

static void sub_bytes(u8 s[4][4])
{
    u32 c, r;

    for (c = 0; c < 4; ++c)
        for (r = 0; r < 4; ++r)
            s[c][r] = sbox[s[c][r]];
}

/* Section 5.1.2: row r moves r columns to the left. */
static void shift_rows(u8 s[4][4])
{
    u32 c, r;

    for (r = 1; r < 4; ++r) {
        u8 row[4];

        for (c = 0; c < 4; ++c)
            row[c] = s[(c + r) % 4][r];
        for (c = 0; c < 4; ++c)
            s[c][r] = row[c];
    }
}

/* Section 5.1.3: 2 s[r] + 3 s[r+1] + s[r+2] + s[r+3] = s[r] + all + 2 (s[r] + s[r+1]). */
static void mix_columns(u8 s[4][4])
{
    u32 c;

    for (c = 0; c < 4; ++c) {
        u8 first = s[c][0];
        u8 all = U8V(s[c][0] ^ s[c][1] ^ s[c][2] ^ s[c][3]);

        s[c][0] = U8V(s[c][0] ^ all ^ xtime(U8V(s[c][0] ^ s[c][1])));
        s[c][1] = U8V(s[c][1] ^ all ^ xtime(U8V(s[c][1] ^ s[c][2])));
        s[c][2] = U8V(s[c][2] ^ all ^ xtime(U8V(s[c][2] ^ s[c][3])));
        s[c][3] = U8V(s[c][3] ^ all ^ xtime(U8V(s[c][3] ^ first)));
    }
}

static void add_round_key(u8 s[4][4], u8 w[4][4])
{
    u32 c, r;

    for (c = 0; c < 4; ++c)
        for (r = 0; r < 4; ++r)
            s[c][r] = U8V(s[c][r] ^ w[c][r]);
}

/* Section 5.1: out = Cipher(in, w). */
static void cipher(const u8 in[16], u8 out[16], u8 w[][4], u32 Nr)
{
    u8 state[4][4];
    u32 i, round;

    for (i = 0; i < 16; ++i)
        state[i / 4][i % 4] = in[i];

    add_round_key(state, w);
    for (round = 1; round < Nr; ++round) {
        sub_bytes(state);
        shift_rows(state);
        mix_columns(state);
        add_round_key(state, w + 4 * round);
    }
    sub_bytes(state);
    shift_rows(state);
    add_round_key(state, w + 4 * Nr);

    for (i = 0; i < 16; ++i)
        out[i] = state[i / 4][i % 4];
}

/* The next 16 bytes of keystream; steps the counter. */
static void next_block(ECRYPT_ctx *ctx, u8 block[16])
{
    u32 i;

    cipher(ctx->counter, block, ctx->word, ctx->rounds);
    for (i = 0; i < 16; ++i) {
        ctx->counter[i] = U8V(ctx->counter[i] + 1);
        if (ctx->counter[i] != 0)
            break;
    }
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 Nk = keysize / 32;
    u32 i;

    (void)ivsize;
    ctx->rounds = Nk + 6;
    for (i = 0; i < 4 * Nk; ++i)
        ctx->word[i / 4][i % 4] = key[i];
    key_expansion(ctx->word, Nk, ctx->rounds);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < 16; ++i)
        ctx->counter[i] = iv[i];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u8 block[16];
    u32 i;

    (void)action;
    for (i = 0; i < msglen; ++i) {
        if (i % 16 == 0)
            next_block(ctx, block);
        output[i] = U8V(input[i] ^ block[i % 16]);
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
