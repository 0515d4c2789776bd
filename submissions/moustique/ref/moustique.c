/* SPDX-License-Identifier: CC0-1.0 */
/*
 * Moustique, bit by bit, in the terms of the specification:
 * Joan Daemen and Paris Kitsos, "The Self-synchronizing Stream Cipher Moustique", in: New
 * Stream Cipher Designs, LNCS 4986, Springer 2008.
 *
 * A conditional complementing shift register takes in the ciphertext. Cell q_j^i stands at
 * position j of 1 to 96; to the end there are ever more cells at a position, 16 at the last:
 * no two bits of ciphertext leave in the same way. Seven stages make one bit of keystream of
 * the 128 cells, one step each, so it depends on ciphertext up to 105 bits ago.
 *
 * Facts taken from the designers' reference code: the order of the cells in stage 0, what
 * positions 1 and 2 take in, the bit order (the most significant bit of a byte comes first),
 * and the IV: a zero bit, the IV, then zero bytes up to the thirteenth.
 */

#include "ecrypt-ssyn.h"

static u8 g0(u8 a, u8 b, u8 c, u8 d) { return (u8)(a ^ b ^ c ^ d); }
static u8 g1(u8 a, u8 b, u8 c, u8 d) { return (u8)(a ^ b ^ (c & (d ^ 1)) ^ 1); }
static u8 g2(u8 a, u8 b, u8 c, u8 d) { return (u8)((a & (b ^ 1)) ^ (c & (d ^ 1))); }

/* How many cells there are at position j. */
static u32 width(u32 j)
{
    return j == 96 ? 16 : j == 95 ? 8 : j > 92 ? 4 : j > 88 ? 2 : 1;
}

/* Where q_j^i stands among the cells of stage 0; i counts modulo the width at j. */
static u32 cell(u32 j, u32 i)
{
    i %= width(j);
    if (i == 0)
        return j;
    if (i == 1)
        return j + 8;
    if (i < 4)
        return 105 + 4 * (i - 2) + (j - 93);
    if (i < 8)
        return 113 + 2 * (i - 4) + (j - 95);
    return 121 + (i - 8);
}

#define INPUT 0
#define ZERO 129
#define KEY(j) (130 + (j))

static gate wire(u32 kind, u32 a, u32 b, u32 c, u32 d)
{
    gate made = {0, 0, {0}};

    made.kind = (u8)kind;
    made.from[0] = (u8)a;
    made.from[1] = (u8)b;
    made.from[2] = (u8)c;
    made.from[3] = (u8)d;
    return made;
}

/* What q_j^i becomes: the cases go by j - i. */
static gate wired(u32 j, u32 i)
{
    const u32 d = j - i;

    if (j == 96 && i > 0)
        return wire(2, cell(95, i), cell(95 - i, 0), cell(94, i), cell(94 - i, 1));
    if (j == 1)
        return wire(0, INPUT, KEY(0), ZERO, ZERO);
    if (j == 2)
        return wire(1, cell(1, 0), KEY(1), ZERO, ZERO);
    if (d % 3 == 1)
        return wire(0, cell(j - 1, i), KEY(j - 1), cell(2 * (d - 1) / 3, 0), cell(j - 2, i));
    if (d % 3 == 2)
        return wire(1, cell(j - 1, i), KEY(j - 1), cell(j - 4, i), cell(j - 2, i));
    if (d % 6 == 3)
        return wire(1, cell(j - 1, i), KEY(j - 1), INPUT, cell(j - 2, i));
    return wire(1, cell(j - 1, i), KEY(j - 1), cell(j - 5, i), INPUT);
}

/* The register from its end: no cell takes in one that is shifted before it. */
static void shift(ECRYPT_ctx *ctx)
{
    u8 *q = ctx->a0;
    u32 n;

    for (n = 0; n < 128; ++n) {
        const gate *g = &ctx->wiring[n];
        const u8 a = q[g->from[0]], b = q[g->from[1]], c = q[g->from[2]], d = q[g->from[3]];

        q[g->cell] = g->kind == 0 ? g0(a, b, c, d) : g->kind == 1 ? g1(a, b, c, d) : g2(a, b, c, d);
    }
}

/* Where the next bit of a stage goes: 4i mod 53. */
static u32 scattered(u32 to) { return to + 4 < 53 ? to + 4 : to + 4 - 53; }

/* One step: gives the bit of keystream that was ready. */
static u8 step(ECRYPT_ctx *ctx)
{
    const u8 z = ctx->a8, *a0 = ctx->a0;
    const u8 *b;
    u32 i, stage, to;

    ctx->a8 = ctx->a7[0] ^ ctx->a7[1] ^ ctx->a7[2];
    for (i = 0, b = ctx->a6; i < 3; ++i, b += 4)
        ctx->a7[i] = g0(b[0], b[1], b[2], b[3]);
    for (i = 0, b = ctx->a[5]; i < 12; ++i, b += 4)
        ctx->a6[i] = g1(b[0], b[3], b[1], b[2]);
    for (stage = 5; stage > 1; --stage)
        for (i = to = 0, b = ctx->a[stage - 1]; i < 53; ++i, ++b, to = scattered(to))
            ctx->a[stage][to] = g1(b[0], b[3], b[1], b[2]);
    for (i = to = 0; i < 53; ++i, to = scattered(to))
        ctx->a[1][to] = g1(a0[128 - i], a0[18 + i], a0[113 - i], a0[1 + i]);
    shift(ctx);
    return z;
}

static u8 crypt_byte(ECRYPT_ctx *ctx, u8 in, int decrypting)
{
    u8 out = 0;
    int i;

    for (i = 7; i >= 0; --i) {
        const u8 bit = (u8)(in >> i & 1);
        const u8 other = bit ^ step(ctx);

        out = (u8)(out << 1 | other);
        ctx->a0[0] = decrypting ? bit : other;
    }
    return out;
}

void ECRYPT_init(void) {}

void ECRYPT_keysetup(ECRYPT_ctx *ctx, const u8 *key, u32 keysize, u32 ivsize)
{
    u32 i, j, n = 0;

    (void)keysize; /* always 96 */
    ctx->ivbytes = ivsize / 8;
    for (i = 0; i < 96; ++i)
        ctx->a0[KEY(i)] = (u8)(key[i / 8] >> (7 - i % 8) & 1);
    for (j = 96; j > 0; --j)
        for (i = width(j); i-- > 0; ++n) {
            ctx->wiring[n] = wired(j, i);
            ctx->wiring[n].cell = (u8)cell(j, i);
        }
}

void ECRYPT_ivsetup(ECRYPT_ctx *ctx, u8 *previous, const u8 *iv)
{
    u32 i, j;

    (void)previous; /* the register has them */
    for (i = 0; i <= ZERO; ++i)
        ctx->a0[i] = 0;
    for (j = 0; j < 6; ++j)
        for (i = 0; i < 56; ++i)
            ctx->a[j][i] = 0;
    for (i = 0; i < 12; ++i)
        ctx->a6[i] = 0;
    ctx->a7[0] = ctx->a7[1] = ctx->a7[2] = ctx->a8 = 0;
    (void)step(ctx);
    for (i = 0; i < 13; ++i)
        (void)crypt_byte(ctx, i < ctx->ivbytes ? iv[i] : 0, 1);
}

void ECRYPT_encrypt_bytes(ECRYPT_ctx *ctx, const u8 *previous, const u8 *plaintext,
                          u8 *ciphertext, u32 msglen)
{
    u32 i;

    (void)previous;
    for (i = 0; i < msglen; ++i)
        ciphertext[i] = crypt_byte(ctx, plaintext[i], 0);
}

void ECRYPT_decrypt_bytes(ECRYPT_ctx *ctx, const u8 *previous, const u8 *ciphertext,
                          u8 *plaintext, u32 msglen)
{
    u32 i;

    (void)previous;
    for (i = 0; i < msglen; ++i)
        plaintext[i] = crypt_byte(ctx, ciphertext[i], 1);
}
