/* SPDX-License-Identifier: MIT */
#include "ecrypt-ssyn-ae.h"

/* FIPS 197, figure 7. */
static const u8 SBOX[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16,
};

static u8 twice(u8 x) { return (u8)(x << 1 ^ (x >> 7) * 0x1b); }

void ECRYPT_init(void) {}

void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize)
{
    u8 *k = ctx->round_keys, constant = 1;
    u32 i;

    (void)keysize, (void)ivsize;
    ctx->mac_bytes = macsize / 8;
    for (i = 0; i < 16; i++)
        k[i] = key[i];
    for (i = 16; i < 176; i++) {
        k[i] = k[i - 16] ^ (i % 16 < 4 ? SBOX[k[i % 4 == 3 ? i - 7 : i - 3]] : k[i - 4]);
        if (i % 16 == 0) {
            k[i] ^= constant;
            constant = twice(constant);
        }
    }
}

/* AES: the block s becomes its ciphertext. */
static void cipher(const ECRYPT_AE_ctx *ctx, u8 *s)
{
    const u8 *k = ctx->round_keys;
    u8 t[16];
    u32 round, i, c;

    for (i = 0; i < 16; i++)
        s[i] ^= k[i];
    for (round = 1; round <= 10; round++) {
        for (i = 0; i < 16; i++)
            t[i] = SBOX[s[5 * i % 16]];
        for (c = 0; c < 16; c += 4)
            for (i = 0; i < 4; i++) {
                const u8 x = t[c + i], y = t[c + (i + 1) % 4];
                const u8 mixed = (u8)(twice(x ^ y) ^ y ^ t[c + (i + 2) % 4] ^ t[c + (i + 3) % 4]);

                s[c + i] = (round < 10 ? mixed : x) ^ k[16 * round + c + i];
            }
    }
}

static void absorb(ECRYPT_AE_ctx *ctx, u8 byte)
{
    ctx->mac[ctx->fill++] ^= byte;
    if (ctx->fill == 16) {
        cipher(ctx, ctx->mac);
        ctx->fill = 0;
    }
}

static void pad(ECRYPT_AE_ctx *ctx)
{
    while (ctx->fill)
        absorb(ctx, 0);
}

void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, u8 *previous, const u8 *iv)
{
    u32 i;

    ctx->fill = ctx->aad_bytes = ctx->text_bytes = 0;
    for (i = 0; i < 16; i++)
        ctx->mac[i] = 0;
    for (i = 0; i < 16; i++) {
        previous[i] = iv[i];
        absorb(ctx, iv[i]);
    }
}

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, u8 *previous, const u8 *aad, u32 aadlen)
{
    u32 i;

    (void)previous;
    ctx->aad_bytes += aadlen;
    for (i = 0; i < aadlen; i++)
        absorb(ctx, aad[i]);
}

static void crypt(ECRYPT_AE_ctx *ctx, const u8 *previous, const u8 *in, u8 *out, u32 length,
                  int decrypting)
{
    u8 window[16], s[16];
    u32 i, at;

    if (ctx->text_bytes == 0)
        pad(ctx);
    ctx->text_bytes += length;
    for (i = 0; i < 16; i++)
        window[i] = previous[i];
    for (at = 0; at < length; at++) {
        const u8 taken = in[at];

        for (i = 0; i < 16; i++)
            s[i] = window[i];
        cipher(ctx, s);
        out[at] = taken ^ s[0];
        for (i = 0; i < 15; i++)
            window[i] = window[i + 1];
        window[15] = decrypting ? taken : out[at];
        absorb(ctx, window[15]);
    }
}

void ECRYPT_AE_encrypt_bytes(ECRYPT_AE_ctx *ctx, const u8 *previous, const u8 *in, u8 *out,
                             u32 length)
{
    crypt(ctx, previous, in, out, length, 0);
}

void ECRYPT_AE_decrypt_bytes(ECRYPT_AE_ctx *ctx, const u8 *previous, const u8 *in, u8 *out,
                             u32 length)
{
    crypt(ctx, previous, in, out, length, 1);
}

void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac)
{
    u32 i;

    pad(ctx);
    for (i = 0; i < 4; i++)
        absorb(ctx, (u8)(ctx->aad_bytes >> 8 * i));
    for (i = 0; i < 4; i++)
        absorb(ctx, (u8)(ctx->text_bytes >> 8 * i));
    pad(ctx);
    for (i = 0; i < ctx->mac_bytes; i++)
        mac[i] = ctx->mac[i];
}
