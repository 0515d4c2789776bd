/* SPDX-License-Identifier: CC0-1.0 */
/*
 * NLS version 2, seventeen steps at a time.
 * Specification: Philip Hawkes, Cameron McDonald, Michael Paddon, Gregory G. Rose and Miriam
 * Wiggers de Vries, "Specification for NLSv2", New Stream Cipher Designs, LNCS 4986 (2008).
 *
 * In seventeen steps the register of seventeen words comes back to its place, so none of its
 * words has to move: step j writes over word j. Each step 65537 is followed by one that gives
 * nothing; the seventeen steps around it are done one by one, with words that move.
 */

#include "ecrypt-sync.h"

#define BLOCK ECRYPT_BLOCKLENGTH

#define N 17 /* words of the register */

#define INIT_KONST U32C(0x6996C53A) /* Konst while a key or a nonce is loaded */
#define KEY_WORD 15                 /* where key words are added */
#define FOLD_WORD 4                 /* where the output is fed back during loading */
#define COUNTER_WORD 2              /* where the counter is added */
#define F16 U32C(65537)             /* steps between two changes of Konst */

/*
 * The S-box of f, 8 bits to 32. Its lower 24 bits are those of an S-box of QUT, Brisbane; its
 * upper 8 bits are the table F of Skipjack, exclusive-or the index.
 */
static const u32 Sbox[256] = {
    0xA3AA1887, 0xD65E435C, 0x0B65C042, 0x800E6EF4, 0xFC57EE20, 0x4D84FED3,
    0xF066C502, 0xF354E8AE, 0xBB2EE9D9, 0x281F38D4, 0x1F829B5D, 0x735CDF3C,
    0x95864249, 0xBC2E3963, 0xA1F4429F, 0xF6432C35, 0xF7F40325, 0x3CC0DD70,
    0x5F973DED, 0x9902DC5E, 0xDA175B42, 0x590012BF, 0xDC94D78C, 0x39AAB26B,
    0x4AC11B9A, 0x8C168146, 0xC3EA8EC5, 0x058AC28F, 0x52ED5C0F, 0x25B4101C,
    0x5A2DB082, 0x370929E1, 0x2A1843DE, 0xFE8299FC, 0x202FBC4B, 0x833915DD,
    0x33A803FA, 0xD446B2DE, 0x46233342, 0x4FCEE7C3, 0x3AD607EF, 0x9E97EBAB,
    0x507F859B, 0xE81F2E2F, 0xC55B71DA, 0xD7E2269A, 0x1339C3D1, 0x7CA56B36,
    0xA6C9DEF2, 0xB5C9FC5F, 0x5927B3A3, 0x89A56DDF, 0xC625B510, 0x560F85A7,
    0xACE82E71, 0x2ECB8816, 0x44951E2A, 0x97F5F6AF, 0xDFCBC2B3, 0xCE4FF55D,
    0xCB6B6214, 0x2B0B83E3, 0x549EA6F5, 0x9DE041AF, 0x792F1F17, 0xF73B99EE,
    0x39A65EC0, 0x4C7016C6, 0x857709A4, 0xD6326E01, 0xC7B280D9, 0x5CFB1418,
    0xA6AFF227, 0xFD548203, 0x506B9D96, 0xA117A8C0, 0x9CD5BF6E, 0xDCEE7888,
    0x61FCFE64, 0xF7A193CD, 0x050D0184, 0xE8AE4930, 0x88014F36, 0xD6A87088,
    0x6BAD6C2A, 0x1422C678, 0xE9204DE7, 0xB7C2E759, 0x0200248E, 0x013B446B,
    0xDA0D9FC2, 0x0414A895, 0x3A6CC3A1, 0x56FEF170, 0x86C19155, 0xCF7B8A66,
    0x551B5E69, 0xB4A8623E, 0xA2BDFA35, 0xC4F068CC, 0x573A6ACD, 0x6355E936,
    0x03602DB9, 0x0EDF13C1, 0x2D0BB16D, 0x6980B83C, 0xFEB23763, 0x3DD8A911,
    0x01B6BC13, 0xF55579D7, 0xF55C2FA8, 0x19F4196E, 0xE7DB5476, 0x8D64A866,
    0xC06E16AD, 0xB17FC515, 0xC46FEB3C, 0x8BC8A306, 0xAD6799D9, 0x571A9133,
    0x992466DD, 0x92EB5DCD, 0xAC118F50, 0x9FAFB226, 0xA1B9CEF3, 0x3AB36189,
    0x347A19B1, 0x62C73084, 0xC27DED5C, 0x6C8BC58F, 0x1CDDE421, 0xED1E47FB,
    0xCDCC715E, 0xB9C0FF99, 0x4B122F0F, 0xC4D25184, 0xAF7A5E6C, 0x5BBF18BC,
    0x8DD7C6E0, 0x5FB7E420, 0x521F523F, 0x4AD9B8A2, 0xE9DA1A6B, 0x97888C02,
    0x19D1E354, 0x5ABA7D79, 0xA2CC7753, 0x8C2D9655, 0x19829DA1, 0x531590A7,
    0x19C1C149, 0x3D537F1C, 0x50779B69, 0xED71F2B7, 0x463C58FA, 0x52DC4418,
    0xC18C8C76, 0xC120D9F0, 0xAFA80D4D, 0x3B74C473, 0xD09410E9, 0x290E4211,
    0xC3C8082B, 0x8F6B334A, 0x3BF68ED2, 0xA843CC1B, 0x8D3C0FF3, 0x20E564A0,
    0xF8F55A4F, 0x2B40F8E7, 0xFEA7F15F, 0xCF00FE21, 0x8A6D37D6, 0xD0D506F1,
    0xADE00973, 0xEFBBDE36, 0x84670FA8, 0xFA31AB9E, 0xAEDAB618, 0xC01F52F5,
    0x6558EB4F, 0x71B9E343, 0x4B8D77DD, 0x8CB93DA6, 0x740FD52D, 0x425412F8,
    0xC5A63360, 0x10E53AD0, 0x5A700F1C, 0x8324ED0B, 0xE53DC1EC, 0x1A366795,
    0x6D549D15, 0xC5CE46D7, 0xE17ABE76, 0x5F48E0A0, 0xD0F07C02, 0x941249B7,
    0xE49ED6BA, 0x37A47F78, 0xE1CFFFBD, 0xB007CA84, 0xBB65F4DA, 0xB59F35DA,
    0x33D2AA44, 0x417452AC, 0xC0D674A7, 0x2D61A46A, 0xDC63152A, 0x3E12B7AA,
    0x6E615927, 0xA14FB118, 0xA151758D, 0xBA81687B, 0xE152F0B3, 0x764254ED,
    0x34C77271, 0x0A31ACAB, 0x54F94AEC, 0xB9E994CD, 0x574D9E81, 0x5B623730,
    0xCE8A21E8, 0x37917F0B, 0xE8A9B5D6, 0x9697ADF8, 0xF3D30431, 0x5DCAC921,
    0x76B35D46, 0xAA430A36, 0xC2194022, 0x22BCA65E, 0xDAEC70BA, 0xDFAEA8CC,
    0x777BAE8B, 0x242924D5, 0x1F098A5A, 0x4B396B81, 0x55DE2522, 0x435C1CB8,
    0xAEB8FE1D, 0x9DB3C697, 0x5B164F83, 0xE0C16376, 0xA319224C, 0xD0203B35,
    0x433AC0FE, 0x1466A19A, 0x45F0B24F, 0x51FDA998, 0xC0D52D71, 0xFA0896A8,
    0xF9E6053F, 0xA4B0D300, 0xD499CBCC, 0xB95E3D40,
};

/* Word r_i after j steps. */
#define R(j, i) r[((j) + (i)) % N]

/* Step j: the register's new word. */
#define CYCLE(j)                                                                                  \
    do {                                                                                          \
        const u32 t = U32V(ROTL32(R(j, 0), 19) + ROTL32(R(j, 15), 9) + Konst);                    \
                                                                                                  \
        R(j, 0) = t ^ Sbox[t >> 24] ^ R(j, 4);                                                    \
    } while (0)

/* The output filter after j steps. */
#define NLF(j)                                                                                    \
    (U32V(R(j, 0) + R(j, 16)) ^ U32V(R(j, 1) + R(j, 13)) ^ U32V(R(j, 6) + Konst))

/* Something for each of seventeen steps. */
#define SEVENTEEN(STEP)                                                                           \
    STEP(0);                                                                                      \
    STEP(1);                                                                                      \
    STEP(2);                                                                                      \
    STEP(3);                                                                                      \
    STEP(4);                                                                                      \
    STEP(5);                                                                                      \
    STEP(6);                                                                                      \
    STEP(7);                                                                                      \
    STEP(8);                                                                                      \
    STEP(9);                                                                                      \
    STEP(10);                                                                                     \
    STEP(11);                                                                                     \
    STEP(12);                                                                                     \
    STEP(13);                                                                                     \
    STEP(14);                                                                                     \
    STEP(15);                                                                                     \
    STEP(16)

/* A step of loading. */
#define FOLD(j)                                                                                   \
    do {                                                                                          \
        CYCLE(j);                                                                                 \
        R((j) + 1, FOLD_WORD) ^= NLF((j) + 1);                                                    \
    } while (0)

/* The register moves by n words, n from 1 to 16: what was word n comes first. */
static void move(u32 r[N], u32 n)
{
    u32 first[N];
    u32 i;

    for (i = 0; i < n; ++i)
        first[i] = r[i];
    for (i = 0; i < N - n; ++i)
        r[i] = r[i + n];
    for (i = 0; i < n; ++i)
        r[N - n + i] = first[i];
}

/* One step with words that move. */
static void one(ECRYPT_ctx *ctx)
{
    u32 *r = ctx->r;
    const u32 Konst = ctx->Konst;

    CYCLE(0);
    move(r, 1);
    ++ctx->steps;
    ++ctx->recent;
}

/* One step, and what follows each 65537th of them; returns the output. */
static u32 single(ECRYPT_ctx *ctx)
{
    const u32 *r = ctx->r;
    u32 Konst = ctx->Konst;

    one(ctx);
    if (ctx->recent == F16) {
        ctx->recent = 0;
        ctx->r[COUNTER_WORD] += ctx->steps;
        Konst = NLF(0);
        ctx->Konst = Konst;
        one(ctx);
    }
    return NLF(0);
}

/* Loads a key or a nonce of n bytes, n from 4 to 16. */
static void load(ECRYPT_ctx *ctx, const u8 *bytes, u32 n)
{
    u32 *r = ctx->r;
    u32 Konst = INIT_KONST;
    u32 words = 0;
    u32 i;

    for (; 4 * words + 4 <= n; ++words) {
        r[(words + KEY_WORD) % N] += U8TO32_LITTLE(bytes + 4 * words);
        FOLD(words);
    }
    if (4 * words < n) {
        u32 word = 0;

        for (i = 4 * words; i < n; ++i)
            word |= (u32)bytes[i] << (8 * (i % 4));
        r[(words + KEY_WORD) % N] += word;
        FOLD(words);
        ++words;
    }
    move(r, words);

    r[KEY_WORD] += n;
    SEVENTEEN(FOLD);
    CYCLE(0);
    Konst = NLF(1);
    move(r, 1);

    ctx->Konst = Konst;
    ctx->steps = 0;
    ctx->recent = 0;
}

void ECRYPT_init(void)
{
}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i;

    ctx->r[0] = 1;
    ctx->r[1] = 1;
    for (i = 2; i < N; ++i)
        ctx->r[i] = ctx->r[i - 1] + ctx->r[i - 2];
    load(ctx, key, keysize / 8);

    for (i = 0; i < N; ++i)
        ctx->keyed[i] = ctx->r[i];
    ctx->ivsize = ivsize;
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < N; ++i)
        ctx->r[i] = ctx->keyed[i];
    load(ctx, iv, ctx->ivsize / 8);
}

#define OUTPUT(j)                                                                                 \
    do {                                                                                          \
        CYCLE(j);                                                                                 \
        stream[j] = NLF((j) + 1);                                                                 \
    } while (0)

/* Seventeen words of key stream. */
static void generate(ECRYPT_ctx *ctx, u32 stream[N])
{
    u32 *r = ctx->r;
    const u32 Konst = ctx->Konst;
    u32 i;

    if (ctx->recent + N < F16) {
        SEVENTEEN(OUTPUT);
        ctx->steps += N;
        ctx->recent += N;
    } else {
        for (i = 0; i < N; ++i)
            stream[i] = single(ctx);
    }
}

void ECRYPT_process_bytes(int action, ECRYPT_ctx *ctx, const u8 *input, u8 *output, u32 msglen)
{
    u32 stream[N];
    u8 word[4];
    u32 i;

    (void)action;
    for (; msglen >= BLOCK; msglen -= BLOCK, input += BLOCK, output += BLOCK) {
        generate(ctx, stream);
        for (i = 0; i < N; ++i) {
            const u32 s = U8TO32_LITTLE(input + 4 * i) ^ stream[i];

            U32TO8_LITTLE(output + 4 * i, s);
        }
    }

    if (msglen > 0) {
        generate(ctx, stream);
        for (i = 0; i < msglen; ++i) {
            if (i % 4 == 0)
                U32TO8_LITTLE(word, stream[i / 4]);
            output[i] = (u8)(input[i] ^ word[i % 4]);
        }
    }
}

void ECRYPT_keystream_bytes(ECRYPT_ctx *ctx, u8 *keystream, u32 length)
{
    u32 stream[N];
    u8 word[4];
    u32 i;

    for (; length >= BLOCK; length -= BLOCK, keystream += BLOCK) {
        generate(ctx, stream);
        for (i = 0; i < N; ++i)
            U32TO8_LITTLE(keystream + 4 * i, stream[i]);
    }

    if (length > 0) {
        generate(ctx, stream);
        for (i = 0; i < length; ++i) {
            if (i % 4 == 0)
                U32TO8_LITTLE(word, stream[i / 4]);
            keystream[i] = word[i % 4];
        }
    }
}
