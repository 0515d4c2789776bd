/* SPDX-License-Identifier: CC0-1.0 */
/*
 * NLS version 2 with its MAC, Mundja, one word per step, in the terms of the specification:
 * Philip Hawkes, Cameron McDonald, Michael Paddon, Gregory G. Rose and Miriam Wiggers de Vries,
 * "Specification for NLSv2", New Stream Cipher Designs, LNCS 4986 (2008); Philip Hawkes,
 * Michael Paddon and Gregory G. Rose, "The Mundja Streaming MAC" (2004).
 *
 * The order of steps in loading and around step 65537, the two registers of the MAC and its end
 * were taken, as facts, from the designers' implementation, which made the published test vectors.
 */

#include "ecrypt-sync-ae.h"

#define NMAC 8     /* words of each of the two registers of the MAC */
#define MAC_WORD 8 /* which word of the register takes the place of SHA-256's constants */

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

/*
 * The multiplication of the CRC register: what the upper byte of a word adds to the word that
 * is shifted by 8 bits. Entry 1 is 0xD02B4367, which defines the field.
 */
static const u32 Multab[256] = {
    0x00000000, 0xD02B4367, 0xED5686CE, 0x3D7DC5A9, 0x97AC41D1, 0x478702B6,
    0x7AFAC71F, 0xAAD18478, 0x631582EF, 0xB33EC188, 0x8E430421, 0x5E684746,
    0xF4B9C33E, 0x24928059, 0x19EF45F0, 0xC9C40697, 0xC62A4993, 0x16010AF4,
    0x2B7CCF5D, 0xFB578C3A, 0x51860842, 0x81AD4B25, 0xBCD08E8C, 0x6CFBCDEB,
    0xA53FCB7C, 0x7514881B, 0x48694DB2, 0x98420ED5, 0x32938AAD, 0xE2B8C9CA,
    0xDFC50C63, 0x0FEE4F04, 0xC154926B, 0x117FD10C, 0x2C0214A5, 0xFC2957C2,
    0x56F8D3BA, 0x86D390DD, 0xBBAE5574, 0x6B851613, 0xA2411084, 0x726A53E3,
    0x4F17964A, 0x9F3CD52D, 0x35ED5155, 0xE5C61232, 0xD8BBD79B, 0x089094FC,
    0x077EDBF8, 0xD755989F, 0xEA285D36, 0x3A031E51, 0x90D29A29, 0x40F9D94E,
    0x7D841CE7, 0xADAF5F80, 0x646B5917, 0xB4401A70, 0x893DDFD9, 0x59169CBE,
    0xF3C718C6, 0x23EC5BA1, 0x1E919E08, 0xCEBADD6F, 0xCFA869D6, 0x1F832AB1,
    0x22FEEF18, 0xF2D5AC7F, 0x58042807, 0x882F6B60, 0xB552AEC9, 0x6579EDAE,
    0xACBDEB39, 0x7C96A85E, 0x41EB6DF7, 0x91C02E90, 0x3B11AAE8, 0xEB3AE98F,
    0xD6472C26, 0x066C6F41, 0x09822045, 0xD9A96322, 0xE4D4A68B, 0x34FFE5EC,
    0x9E2E6194, 0x4E0522F3, 0x7378E75A, 0xA353A43D, 0x6A97A2AA, 0xBABCE1CD,
    0x87C12464, 0x57EA6703, 0xFD3BE37B, 0x2D10A01C, 0x106D65B5, 0xC04626D2,
    0x0EFCFBBD, 0xDED7B8DA, 0xE3AA7D73, 0x33813E14, 0x9950BA6C, 0x497BF90B,
    0x74063CA2, 0xA42D7FC5, 0x6DE97952, 0xBDC23A35, 0x80BFFF9C, 0x5094BCFB,
    0xFA453883, 0x2A6E7BE4, 0x1713BE4D, 0xC738FD2A, 0xC8D6B22E, 0x18FDF149,
    0x258034E0, 0xF5AB7787, 0x5F7AF3FF, 0x8F51B098, 0xB22C7531, 0x62073656,
    0xABC330C1, 0x7BE873A6, 0x4695B60F, 0x96BEF568, 0x3C6F7110, 0xEC443277,
    0xD139F7DE, 0x0112B4B9, 0xD31DD2E1, 0x03369186, 0x3E4B542F, 0xEE601748,
    0x44B19330, 0x949AD057, 0xA9E715FE, 0x79CC5699, 0xB008500E, 0x60231369,
    0x5D5ED6C0, 0x8D7595A7, 0x27A411DF, 0xF78F52B8, 0xCAF29711, 0x1AD9D476,
    0x15379B72, 0xC51CD815, 0xF8611DBC, 0x284A5EDB, 0x829BDAA3, 0x52B099C4,
    0x6FCD5C6D, 0xBFE61F0A, 0x7622199D, 0xA6095AFA, 0x9B749F53, 0x4B5FDC34,
    0xE18E584C, 0x31A51B2B, 0x0CD8DE82, 0xDCF39DE5, 0x1249408A, 0xC26203ED,
    0xFF1FC644, 0x2F348523, 0x85E5015B, 0x55CE423C, 0x68B38795, 0xB898C4F2,
    0x715CC265, 0xA1778102, 0x9C0A44AB, 0x4C2107CC, 0xE6F083B4, 0x36DBC0D3,
    0x0BA6057A, 0xDB8D461D, 0xD4630919, 0x04484A7E, 0x39358FD7, 0xE91ECCB0,
    0x43CF48C8, 0x93E40BAF, 0xAE99CE06, 0x7EB28D61, 0xB7768BF6, 0x675DC891,
    0x5A200D38, 0x8A0B4E5F, 0x20DACA27, 0xF0F18940, 0xCD8C4CE9, 0x1DA70F8E,
    0x1CB5BB37, 0xCC9EF850, 0xF1E33DF9, 0x21C87E9E, 0x8B19FAE6, 0x5B32B981,
    0x664F7C28, 0xB6643F4F, 0x7FA039D8, 0xAF8B7ABF, 0x92F6BF16, 0x42DDFC71,
    0xE80C7809, 0x38273B6E, 0x055AFEC7, 0xD571BDA0, 0xDA9FF2A4, 0x0AB4B1C3,
    0x37C9746A, 0xE7E2370D, 0x4D33B375, 0x9D18F012, 0xA06535BB, 0x704E76DC,
    0xB98A704B, 0x69A1332C, 0x54DCF685, 0x84F7B5E2, 0x2E26319A, 0xFE0D72FD,
    0xC370B754, 0x135BF433, 0xDDE1295C, 0x0DCA6A3B, 0x30B7AF92, 0xE09CECF5,
    0x4A4D688D, 0x9A662BEA, 0xA71BEE43, 0x7730AD24, 0xBEF4ABB3, 0x6EDFE8D4,
    0x53A22D7D, 0x83896E1A, 0x2958EA62, 0xF973A905, 0xC40E6CAC, 0x14252FCB,
    0x1BCB60CF, 0xCBE023A8, 0xF69DE601, 0x26B6A566, 0x8C67211E, 0x5C4C6279,
    0x6131A7D0, 0xB11AE4B7, 0x78DEE220, 0xA8F5A147, 0x958864EE, 0x45A32789,
    0xEF72A3F1, 0x3F59E096, 0x0224253F, 0xD20F6658,
};

/* The function f: the S-box at the upper byte. */
static u32 f(u32 w)
{
    return w ^ Sbox[w >> 24];
}

/* The output filter NLF. */
static u32 NLF(const ECRYPT_AE_ctx *ctx)
{
    const u32 *r = ctx->r;

    return U32V(r[0] + r[16]) ^ U32V(r[1] + r[13]) ^ U32V(r[6] + ctx->Konst);
}

/* The register moves by one word. */
static void shift(ECRYPT_AE_ctx *ctx)
{
    u32 *r = ctx->r;
    const u32 t = f(U32V(ROTL32(r[0], 19) + ROTL32(r[15], 9) + ctx->Konst)) ^ r[4];
    u32 i;

    for (i = 0; i < N - 1; ++i)
        r[i] = r[i + 1];
    r[N - 1] = t;
    ++ctx->steps;
    ++ctx->recent;
}

/* One step; each 65537th adds the number of steps so far, renews Konst and moves once more. */
static void cycle(ECRYPT_AE_ctx *ctx)
{
    shift(ctx);
    if (ctx->recent == F16) {
        ctx->recent = 0;
        ctx->r[COUNTER_WORD] += ctx->steps;
        ctx->Konst = NLF(ctx);
        shift(ctx);
    }
}

/* A step of loading. */
static void fold(ECRYPT_AE_ctx *ctx)
{
    cycle(ctx);
    ctx->r[FOLD_WORD] ^= NLF(ctx);
}

/* Loads a key or a nonce of n bytes: its words, its length, then N steps to spread them. */
static void load(ECRYPT_AE_ctx *ctx, const u8 *bytes, u32 n)
{
    u32 word;
    u32 i;
    u32 j;

    for (i = 0; i < n; i += 4) {
        word = 0; /* the last word may be filled up with zeros */
        for (j = 0; j < 4 && i + j < n; ++j)
            word |= (u32)bytes[i + j] << (8 * j);
        ctx->r[KEY_WORD] += word;
        fold(ctx);
    }
    ctx->r[KEY_WORD] += n;
    for (i = 0; i < N; ++i)
        fold(ctx);

    cycle(ctx);
    ctx->Konst = NLF(ctx);
}

void ECRYPT_init(void)
{
}

void ECRYPT_AE_keysetup(ECRYPT_AE_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize, u32 macsize)
{
    u32 i;

    /* Fibonacci numbers. */
    ctx->r[0] = 1;
    ctx->r[1] = 1;
    for (i = 2; i < N; ++i)
        ctx->r[i] = ctx->r[i - 1] + ctx->r[i - 2];
    ctx->Konst = INIT_KONST;
    ctx->steps = 0;
    ctx->recent = 0;
    load(ctx, key, keysize / 8);

    for (i = 0; i < N; ++i)
        ctx->keyed[i] = ctx->r[i];
    ctx->ivsize = ivsize;
    ctx->macsize = macsize;
}

void ECRYPT_AE_ivsetup(ECRYPT_AE_ctx *ctx, const u8 *iv)
{
    u32 i;

    for (i = 0; i < N; ++i)
        ctx->r[i] = ctx->keyed[i];
    ctx->Konst = INIT_KONST;
    ctx->steps = 0;
    ctx->recent = 0;
    load(ctx, iv, ctx->ivsize / 8);
    ctx->steps = 0;
    ctx->recent = 0;

    for (i = 0; i < NMAC; ++i) {
        ctx->M[i] = ctx->r[i];
        ctx->C[i] = ctx->r[i + NMAC];
    }
    ctx->position = 0;
}

/* The CRC register moves by one word and takes in another. */
static void crc_register(ECRYPT_AE_ctx *ctx, u32 word)
{
    u32 *C = ctx->C;
    const u32 t = U32V(C[0] << 8) ^ Multab[C[0] >> 24] ^ C[5] ^ word;
    u32 i;

    for (i = 0; i < NMAC - 1; ++i)
        C[i] = C[i + 1];
    C[NMAC - 1] = t;
}

/* The SHA register takes in a word: a round of SHA-256 with f in it. */
static void sha_register(ECRYPT_AE_ctx *ctx, u32 word)
{
    enum { a, b, c, d, e, g, h, k }; /* a to h of FIPS 180-2; f is the name of the S-box */
    u32 *M = ctx->M;
    const u32 Sigma0 = ROTR32(M[a], 2) ^ ROTR32(M[a], 13) ^ ROTR32(M[a], 22);
    const u32 Sigma1 = ROTR32(M[e], 6) ^ ROTR32(M[e], 11) ^ ROTR32(M[e], 25);
    const u32 Maj = (M[a] & M[b]) ^ (M[a] & M[c]) ^ (M[b] & M[c]);
    const u32 Ch = (M[e] & M[g]) ^ (~M[e] & M[h]);
    const u32 T1 = f(U32V(M[k] + ctx->r[MAC_WORD] + word)) + Sigma1 + Ch;
    u32 i;

    for (i = NMAC - 1; i > 0; --i)
        M[i] = M[i - 1];
    M[e] += T1;
    M[a] = T1 + Sigma0 + Maj;
}

/* A word of additional data or plaintext. */
static void authenticate(ECRYPT_AE_ctx *ctx, u32 word)
{
    crc_register(ctx, word);
    sha_register(ctx, word);
}

/*
 * Bytes form words regardless of calls: the message goes on in the word in which the additional
 * data end. position counts the bytes of a word that is begun, whose key stream is in stream.
 */
static u8 stream_byte(ECRYPT_AE_ctx *ctx)
{
    if (ctx->position == 0) {
        cycle(ctx);
        ctx->stream = NLF(ctx);
        ctx->text = 0;
    }
    return (u8)((ctx->stream >> (8 * ctx->position)) & 0xFF);
}

/* The byte of plaintext that belongs to the last byte of key stream. */
static void text_byte(ECRYPT_AE_ctx *ctx, u8 byte)
{
    ctx->text |= (u32)byte << (8 * ctx->position);
    if (++ctx->position == 4) {
        authenticate(ctx, ctx->text);
        ctx->position = 0;
    }
}

void ECRYPT_AE_authenticate_bytes(ECRYPT_AE_ctx *ctx, const u8 *aad, u32 aadlen)
{
    u32 i;

    for (i = 0; i < aadlen; ++i) {
        (void)stream_byte(ctx);
        text_byte(ctx, aad[i]);
    }
}

void ECRYPT_AE_process_bytes(int action, ECRYPT_AE_ctx *ctx, const u8 *input, u8 *output,
                             u32 msglen)
{
    u8 from;
    u8 to;
    u32 i;

    for (i = 0; i < msglen; ++i) {
        from = input[i];
        to = (u8)(from ^ stream_byte(ctx));
        output[i] = to;
        text_byte(ctx, action == 0 ? from : to);
    }
}

void ECRYPT_AE_finalize(ECRYPT_AE_ctx *ctx, u8 *mac)
{
    const u32 missing = ctx->position == 0 ? 0 : 4 - ctx->position; /* bytes of the last word */
    u32 i;

    if (missing > 0)
        authenticate(ctx, ctx->text);

    /* The end of the message, which no message can imitate: the CRC register does not see it. */
    cycle(ctx);
    sha_register(ctx, INIT_KONST + (missing << 27));

    /* The CRC register is read out into the SHA register. */
    for (i = 0; i < NMAC; ++i) {
        cycle(ctx);
        crc_register(ctx, 0);
        sha_register(ctx, ctx->C[NMAC - 1]);
    }

    for (i = 0; i < ctx->macsize / 32; ++i) {
        cycle(ctx);
        crc_register(ctx, 0);
        sha_register(ctx, ctx->C[NMAC - 1]);
        U32TO8_LITTLE(mac + 4 * i, ctx->M[0]);
    }
}
