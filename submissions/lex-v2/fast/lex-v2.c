/* SPDX-License-Identifier: CC0-1.0 */
/*
 * LEX v2, with AES-NI where the compiler may use it, else with four tables.
 * Specification: Alex Biryukov, "The Design of a Stream Cipher LEX", Selected Areas in
 * Cryptography 2006; "The Tweak for LEX-128, LEX-192, LEX-256", eSTREAM (2006). The AES is that
 * of FIPS 197, the tables are those of J. Daemen, V. Rijmen, "AES Proposal: Rijndael" (1999),
 * section 5.2.1.
 *
 * Four facts were looked up in the LEX v2 code of RIOT (J. Wagner, A. Biryukov) and agree with
 * eSTREAM's published vectors: no subkey is added before the first round of a block, the tenth
 * round mixes columns too, the IV is encrypted by the unchanged AES, and the order of bytes, which
 * is reversed in each column of the IV and in each word of the key stream, but not in the key.
 */

#include "ecrypt-sync.h"

#if (defined(__AES__) && defined(__SSE4_1__) && !defined(__TINYC__))
#include <immintrin.h>
#define LEX_AESNI
#endif

/* The S-box, each value of it as an argument of F. */
#define SBOX(F)                                                                                   \
    F(0x63), F(0x7C), F(0x77), F(0x7B), F(0xF2), F(0x6B), F(0x6F), F(0xC5), F(0x30),              \
    F(0x01), F(0x67), F(0x2B), F(0xFE), F(0xD7), F(0xAB), F(0x76), F(0xCA), F(0x82),              \
    F(0xC9), F(0x7D), F(0xFA), F(0x59), F(0x47), F(0xF0), F(0xAD), F(0xD4), F(0xA2),              \
    F(0xAF), F(0x9C), F(0xA4), F(0x72), F(0xC0), F(0xB7), F(0xFD), F(0x93), F(0x26),              \
    F(0x36), F(0x3F), F(0xF7), F(0xCC), F(0x34), F(0xA5), F(0xE5), F(0xF1), F(0x71),              \
    F(0xD8), F(0x31), F(0x15), F(0x04), F(0xC7), F(0x23), F(0xC3), F(0x18), F(0x96),              \
    F(0x05), F(0x9A), F(0x07), F(0x12), F(0x80), F(0xE2), F(0xEB), F(0x27), F(0xB2),              \
    F(0x75), F(0x09), F(0x83), F(0x2C), F(0x1A), F(0x1B), F(0x6E), F(0x5A), F(0xA0),              \
    F(0x52), F(0x3B), F(0xD6), F(0xB3), F(0x29), F(0xE3), F(0x2F), F(0x84), F(0x53),              \
    F(0xD1), F(0x00), F(0xED), F(0x20), F(0xFC), F(0xB1), F(0x5B), F(0x6A), F(0xCB),              \
    F(0xBE), F(0x39), F(0x4A), F(0x4C), F(0x58), F(0xCF), F(0xD0), F(0xEF), F(0xAA),              \
    F(0xFB), F(0x43), F(0x4D), F(0x33), F(0x85), F(0x45), F(0xF9), F(0x02), F(0x7F),              \
    F(0x50), F(0x3C), F(0x9F), F(0xA8), F(0x51), F(0xA3), F(0x40), F(0x8F), F(0x92),              \
    F(0x9D), F(0x38), F(0xF5), F(0xBC), F(0xB6), F(0xDA), F(0x21), F(0x10), F(0xFF),              \
    F(0xF3), F(0xD2), F(0xCD), F(0x0C), F(0x13), F(0xEC), F(0x5F), F(0x97), F(0x44),              \
    F(0x17), F(0xC4), F(0xA7), F(0x7E), F(0x3D), F(0x64), F(0x5D), F(0x19), F(0x73),              \
    F(0x60), F(0x81), F(0x4F), F(0xDC), F(0x22), F(0x2A), F(0x90), F(0x88), F(0x46),              \
    F(0xEE), F(0xB8), F(0x14), F(0xDE), F(0x5E), F(0x0B), F(0xDB), F(0xE0), F(0x32),              \
    F(0x3A), F(0x0A), F(0x49), F(0x06), F(0x24), F(0x5C), F(0xC2), F(0xD3), F(0xAC),              \
    F(0x62), F(0x91), F(0x95), F(0xE4), F(0x79), F(0xE7), F(0xC8), F(0x37), F(0x6D),              \
    F(0x8D), F(0xD5), F(0x4E), F(0xA9), F(0x6C), F(0x56), F(0xF4), F(0xEA), F(0x65),              \
    F(0x7A), F(0xAE), F(0x08), F(0xBA), F(0x78), F(0x25), F(0x2E), F(0x1C), F(0xA6),              \
    F(0xB4), F(0xC6), F(0xE8), F(0xDD), F(0x74), F(0x1F), F(0x4B), F(0xBD), F(0x8B),              \
    F(0x8A), F(0x70), F(0x3E), F(0xB5), F(0x66), F(0x48), F(0x03), F(0xF6), F(0x0E),              \
    F(0x61), F(0x35), F(0x57), F(0xB9), F(0x86), F(0xC1), F(0x1D), F(0x9E), F(0xE1),              \
    F(0xF8), F(0x98), F(0x11), F(0x69), F(0xD9), F(0x8E), F(0x94), F(0x9B), F(0x1E),              \
    F(0x87), F(0xE9), F(0xCE), F(0x55), F(0x28), F(0xDF), F(0x8C), F(0xA1), F(0x89),              \
    F(0x0D), F(0xBF), F(0xE6), F(0x42), F(0x68), F(0x41), F(0x99), F(0x2D), F(0x0F),              \
    F(0xB0), F(0x54), F(0xBB), F(0x16)

#define ITSELF(s) s

static const u8 sbox[256] = {SBOX(ITSELF)};

/* The subkeys; row 0 of a column is the most significant byte of its word. */
static void key_expansion(u32 w[44], const u8 *key)
{
    u32 rcon = 1;
    u32 i;

    for (i = 0; i < 4; ++i)
        w[i] = U8TO32_BIG(key + 4 * i);
    for (; i < 44; ++i) {
        u32 t = w[i - 1];

        if (i % 4 == 0) {
            t = ((u32)sbox[(t >> 16) & 0xFF] << 24) | ((u32)sbox[(t >> 8) & 0xFF] << 16)
                | ((u32)sbox[t & 0xFF] << 8) | sbox[t >> 24];
            t ^= rcon << 24;
            rcon = (rcon << 1) ^ (((rcon & 0x80) != 0) ? 0x11Bu : 0u);
        }
        w[i] = w[i - 4] ^ t;
    }
}

void ECRYPT_init(void)
{
}

#ifdef LEX_AESNI

/* ------------------------------------------------------------------------- */
/* AES-NI: subkeys and state are in the context as bytes, in the order of FIPS 197 */

#define LOAD(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define STORE(p, v) _mm_storeu_si128((__m128i *)(void *)(p), v)

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    const __m128i swap = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    u32 i;

    (void)keysize;
    (void)ivsize;
    key_expansion(ctx->subkeys, key);
    for (i = 0; i < 44; i += 4)
        STORE(ctx->subkeys + i, _mm_shuffle_epi8(LOAD(ctx->subkeys + i), swap));
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const __m128i swap = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const u32 *k = ctx->subkeys;
    __m128i s = _mm_shuffle_epi8(LOAD(iv), swap);
    u32 i;

    s = _mm_xor_si128(s, LOAD(k));
    for (i = 4; i < 40; i += 4)
        s = _mm_aesenc_si128(s, LOAD(k + i));
    STORE(ctx->state, _mm_aesenclast_si128(s, LOAD(k + 40)));
}

/*
 * Two rounds, of which the first leaks even numbered bytes and the second odd numbered ones:
 * 8 bytes of key stream in each half of z.
 */
#define TWO_ROUNDS(z, k1, k2)                                                                     \
    do {                                                                                          \
        const __m128i first = _mm_aesenc_si128(s, k1);                                            \
        s = _mm_aesenc_si128(first, k2);                                                          \
        z = _mm_shuffle_epi8(_mm_blendv_epi8(first, s, odd), order);                              \
    } while (0)

/* output = input ^ blocks of key stream; without input, the key stream */
static void blocks(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 count)
{
    const __m128i odd = _mm_set1_epi16((short)-256);
    const __m128i order = _mm_setr_epi8(10, 2, 8, 0, 11, 3, 9, 1, 10, 2, 8, 0, 11, 3, 9, 1);
    const u32 *k = ctx->subkeys;
    const __m128i k1 = LOAD(k + 4);
    const __m128i k2 = LOAD(k + 8);
    const __m128i k3 = LOAD(k + 12);
    const __m128i k4 = LOAD(k + 16);
    const __m128i k5 = LOAD(k + 20);
    const __m128i k6 = LOAD(k + 24);
    const __m128i k7 = LOAD(k + 28);
    const __m128i k8 = LOAD(k + 32);
    const __m128i k9 = LOAD(k + 36);
    const __m128i k10 = LOAD(k + 40);
    __m128i s = LOAD(ctx->state);

    for (; count > 0; --count, output += 40) {
        __m128i z0;
        __m128i z1;
        __m128i z2;
        __m128i z3;
        __m128i z4;

        TWO_ROUNDS(z0, k1, k2);
        TWO_ROUNDS(z1, k3, k4);
        TWO_ROUNDS(z2, k5, k6);
        TWO_ROUNDS(z3, k7, k8);
        TWO_ROUNDS(z4, k9, k10);
        z0 = _mm_unpacklo_epi64(z0, z1);
        z2 = _mm_unpacklo_epi64(z2, z3);
        if (input != 0) {
            z0 = _mm_xor_si128(z0, LOAD(input));
            z2 = _mm_xor_si128(z2, LOAD(input + 16));
            z4 = _mm_xor_si128(
                z4, _mm_loadl_epi64((const __m128i *)(const void *)(input + 32)));
            input += 40;
        }
        STORE(output, z0);
        STORE(output + 16, z2);
        _mm_storel_epi64((__m128i *)(void *)(output + 32), z4);
    }
    STORE(ctx->state, s);
}

#else

/* ------------------------------------------------------------------------- */
/* Tables: subkeys and state are in the context as big-endian columns */

/* 2s in the field of the AES, and the column (2s, s, s, 3s) turned by 0 to 3 bytes */
#define TWICE(s) ((((s) << 1) ^ (((s) >> 7) * 0x11B)) & 0xFF)
#define COLUMN0(s) (((u32)TWICE(s) << 24) | ((u32)(s) << 16) | ((u32)(s) << 8) | (TWICE(s) ^ (s)))
#define COLUMN1(s) (((u32)(TWICE(s) ^ (s)) << 24) | ((u32)TWICE(s) << 16) | ((u32)(s) << 8) | (s))
#define COLUMN2(s) (((u32)(s) << 24) | ((u32)(TWICE(s) ^ (s)) << 16) | ((u32)TWICE(s) << 8) | (s))
#define COLUMN3(s) (((u32)(s) << 24) | ((u32)(s) << 16) | ((u32)(TWICE(s) ^ (s)) << 8) | TWICE(s))

static const u32 table0[256] = {SBOX(COLUMN0)};
static const u32 table1[256] = {SBOX(COLUMN1)};
static const u32 table2[256] = {SBOX(COLUMN2)};
static const u32 table3[256] = {SBOX(COLUMN3)};

/* One column of a round, of the columns where ShiftRows takes its four bytes from. */
#define COLUMN(c0, c1, c2, c3)                                                                    \
    (table0[(c0) >> 24] ^ table1[((c1) >> 16) & 0xFF] ^ table2[((c2) >> 8) & 0xFF]                \
     ^ table3[(c3) & 0xFF])

/* The same without MixColumns. */
#define LAST_COLUMN(c0, c1, c2, c3)                                                               \
    (((u32)sbox[(c0) >> 24] << 24) | ((u32)sbox[((c1) >> 16) & 0xFF] << 16)                       \
     | ((u32)sbox[((c2) >> 8) & 0xFF] << 8) | sbox[(c3) & 0xFF])

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    (void)keysize;
    (void)ivsize;
    key_expansion(ctx->subkeys, key);
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    const u32 *k = ctx->subkeys;
    u32 a0 = U8TO32_LITTLE(iv) ^ k[0];
    u32 a1 = U8TO32_LITTLE(iv + 4) ^ k[1];
    u32 a2 = U8TO32_LITTLE(iv + 8) ^ k[2];
    u32 a3 = U8TO32_LITTLE(iv + 12) ^ k[3];
    u32 i;

    for (i = 4; i < 40; i += 4) {
        const u32 b0 = COLUMN(a0, a1, a2, a3) ^ k[i];
        const u32 b1 = COLUMN(a1, a2, a3, a0) ^ k[i + 1];
        const u32 b2 = COLUMN(a2, a3, a0, a1) ^ k[i + 2];
        const u32 b3 = COLUMN(a3, a0, a1, a2) ^ k[i + 3];

        a0 = b0;
        a1 = b1;
        a2 = b2;
        a3 = b3;
    }
    ctx->state[0] = LAST_COLUMN(a0, a1, a2, a3) ^ k[40];
    ctx->state[1] = LAST_COLUMN(a1, a2, a3, a0) ^ k[41];
    ctx->state[2] = LAST_COLUMN(a2, a3, a0, a1) ^ k[42];
    ctx->state[3] = LAST_COLUMN(a3, a0, a1, a2) ^ k[43];
}

/* Word i of the key stream; without input, the key stream is the output. */
#define OUT(i, z)                                                                                 \
    do {                                                                                          \
        const u32 word = (input == 0) ? (z) : ((z) ^ U8TO32_LITTLE(input + 4 * (i)));             \
                                                                                                  \
        U32TO8_LITTLE(output + 4 * (i), word);                                                    \
    } while (0)

/* output = input ^ blocks of key stream; without input, the key stream */
static void blocks(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 count)
{
    const u32 *k = ctx->subkeys;
    u32 a0 = ctx->state[0];
    u32 a1 = ctx->state[1];
    u32 a2 = ctx->state[2];
    u32 a3 = ctx->state[3];
    u32 b0;
    u32 b1;
    u32 b2;
    u32 b3;

    for (; count > 0; --count) {
        b0 = COLUMN(a0, a1, a2, a3) ^ k[4];
        b1 = COLUMN(a1, a2, a3, a0) ^ k[5];
        b2 = COLUMN(a2, a3, a0, a1) ^ k[6];
        b3 = COLUMN(a3, a0, a1, a2) ^ k[7];
        OUT(0, (b0 & U32C(0xFF00FF00)) | ((b2 >> 8) & 0x00FF00FF));
        a0 = COLUMN(b0, b1, b2, b3) ^ k[8];
        a1 = COLUMN(b1, b2, b3, b0) ^ k[9];
        a2 = COLUMN(b2, b3, b0, b1) ^ k[10];
        a3 = COLUMN(b3, b0, b1, b2) ^ k[11];
        OUT(1, ((a0 & 0x00FF00FF) << 8) | (a2 & 0x00FF00FF));
        b0 = COLUMN(a0, a1, a2, a3) ^ k[12];
        b1 = COLUMN(a1, a2, a3, a0) ^ k[13];
        b2 = COLUMN(a2, a3, a0, a1) ^ k[14];
        b3 = COLUMN(a3, a0, a1, a2) ^ k[15];
        OUT(2, (b0 & U32C(0xFF00FF00)) | ((b2 >> 8) & 0x00FF00FF));
        a0 = COLUMN(b0, b1, b2, b3) ^ k[16];
        a1 = COLUMN(b1, b2, b3, b0) ^ k[17];
        a2 = COLUMN(b2, b3, b0, b1) ^ k[18];
        a3 = COLUMN(b3, b0, b1, b2) ^ k[19];
        OUT(3, ((a0 & 0x00FF00FF) << 8) | (a2 & 0x00FF00FF));
        b0 = COLUMN(a0, a1, a2, a3) ^ k[20];
        b1 = COLUMN(a1, a2, a3, a0) ^ k[21];
        b2 = COLUMN(a2, a3, a0, a1) ^ k[22];
        b3 = COLUMN(a3, a0, a1, a2) ^ k[23];
        OUT(4, (b0 & U32C(0xFF00FF00)) | ((b2 >> 8) & 0x00FF00FF));
        a0 = COLUMN(b0, b1, b2, b3) ^ k[24];
        a1 = COLUMN(b1, b2, b3, b0) ^ k[25];
        a2 = COLUMN(b2, b3, b0, b1) ^ k[26];
        a3 = COLUMN(b3, b0, b1, b2) ^ k[27];
        OUT(5, ((a0 & 0x00FF00FF) << 8) | (a2 & 0x00FF00FF));
        b0 = COLUMN(a0, a1, a2, a3) ^ k[28];
        b1 = COLUMN(a1, a2, a3, a0) ^ k[29];
        b2 = COLUMN(a2, a3, a0, a1) ^ k[30];
        b3 = COLUMN(a3, a0, a1, a2) ^ k[31];
        OUT(6, (b0 & U32C(0xFF00FF00)) | ((b2 >> 8) & 0x00FF00FF));
        a0 = COLUMN(b0, b1, b2, b3) ^ k[32];
        a1 = COLUMN(b1, b2, b3, b0) ^ k[33];
        a2 = COLUMN(b2, b3, b0, b1) ^ k[34];
        a3 = COLUMN(b3, b0, b1, b2) ^ k[35];
        OUT(7, ((a0 & 0x00FF00FF) << 8) | (a2 & 0x00FF00FF));
        b0 = COLUMN(a0, a1, a2, a3) ^ k[36];
        b1 = COLUMN(a1, a2, a3, a0) ^ k[37];
        b2 = COLUMN(a2, a3, a0, a1) ^ k[38];
        b3 = COLUMN(a3, a0, a1, a2) ^ k[39];
        OUT(8, (b0 & U32C(0xFF00FF00)) | ((b2 >> 8) & 0x00FF00FF));
        a0 = COLUMN(b0, b1, b2, b3) ^ k[40];
        a1 = COLUMN(b1, b2, b3, b0) ^ k[41];
        a2 = COLUMN(b2, b3, b0, b1) ^ k[42];
        a3 = COLUMN(b3, b0, b1, b2) ^ k[43];
        OUT(9, ((a0 & 0x00FF00FF) << 8) | (a2 & 0x00FF00FF));
        output += 40;
        if (input != 0)
            input += 40;
    }

    ctx->state[0] = a0;
    ctx->state[1] = a1;
    ctx->state[2] = a2;
    ctx->state[3] = a3;
}

#endif

/* ------------------------------------------------------------------------- */
/* The API */

/* the last bytes of a message */
static void part(ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 length)
{
    u8 buffer[40] = {0};
    u32 i;

    if (input != 0)
        for (i = 0; i < length; ++i)
            buffer[i] = input[i];
    blocks(ctx, buffer, buffer, 1);
    for (i = 0; i < length; ++i)
        output[i] = buffer[i];
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    const u32 count = msglen / 40;

    (void)action;
    blocks(ctx, input, output, count);
    if (40 * count < msglen)
        part(ctx, input + 40 * count, output + 40 * count, msglen - 40 * count);
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    const u32 count = length / 40;

    blocks(ctx, 0, keystream, count);
    if (40 * count < length)
        part(ctx, 0, keystream + 40 * count, length - 40 * count);
}
