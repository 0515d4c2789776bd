/* SPDX-License-Identifier: CC0-1.0 */

/*
 * SHA-3 as FIPS 202 has it, step by step, on 64-bit lanes; lane x + 5y is A[x, y].
 */
#include "SHA3api_ref.h"

typedef unsigned long long u64;

#define MASK 0xFFFFFFFFFFFFFFFFull

static u64 rotated(u64 lane, unsigned by)
{
    lane &= MASK;
    return by ? (lane << by | lane >> (64 - by)) & MASK : lane;
}

static void theta(u64 *a)
{
    u64 column[5];
    unsigned x, y;

    for (x = 0; x < 5; x++)
        column[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (x = 0; x < 5; x++)
        for (y = 0; y < 25; y += 5)
            a[x + y] ^= column[(x + 4) % 5] ^ rotated(column[(x + 1) % 5], 1);
}

static void rho_and_pi(u64 *a)
{
    u64 moving = a[1], here;
    unsigned x = 1, y = 0, t, next;

    for (t = 0; t < 24; t++) {
        next = (2 * x + 3 * y) % 5;
        x = y;
        y = next;
        here = a[x + 5 * y];
        a[x + 5 * y] = rotated(moving, (t + 1) * (t + 2) / 2 % 64);
        moving = here;
    }
}

static void chi(u64 *a)
{
    u64 row[5];
    unsigned x, y;

    for (y = 0; y < 25; y += 5) {
        for (x = 0; x < 5; x++)
            row[x] = a[x + y];
        for (x = 0; x < 5; x++)
            a[x + y] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
}

/* The bits of the round constants come from a shift register of eight bits. */
static void iota(u64 *a, unsigned *shift)
{
    unsigned j;

    for (j = 0; j < 7; j++) {
        if (*shift & 1)
            a[0] ^= 1ull << ((1u << j) - 1);
        *shift = *shift << 1 ^ (*shift >> 7) * 0x171;
    }
}

static void permute(u64 *a)
{
    unsigned round, shift = 1;

    for (round = 0; round < 24; round++) {
        theta(a);
        rho_and_pi(a);
        chi(a);
        iota(a, &shift);
    }
}

static void add(hashState *state, unsigned at, unsigned byte)
{
    state->lane[at / 8] ^= (u64)(byte & 0xFF) << at % 8 * 8;
}

static void put(hashState *state, unsigned byte)
{
    add(state, state->fill, byte);
    if (++state->fill == state->rate) {
        permute(state->lane);
        state->fill = 0;
    }
}

HashReturn Init(hashState *state, int hashbitlen)
{
    unsigned i;

    if (hashbitlen != 224 && hashbitlen != 256 && hashbitlen != 384 && hashbitlen != 512)
        return BAD_HASHBITLEN;
    for (i = 0; i < 25; i++)
        state->lane[i] = 0;
    state->hashbitlen = (unsigned)hashbitlen;
    state->rate = 200 - state->hashbitlen / 4;
    state->fill = state->bits = state->last = 0;
    return SUCCESS;
}

HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen)
{
    unsigned i;

    if (databitlen == 0)
        return SUCCESS;
    if (state->bits)
        return FAIL; /* the last call ended inside a byte */
    for (; databitlen >= 8; databitlen -= 8)
        put(state, *data++);
    state->bits = (unsigned)databitlen;
    for (i = 0; i < state->bits; i++) /* the first bit, at the top, becomes the lowest */
        state->last |= (unsigned)(*data >> (7 - i) & 1) << i;
    return SUCCESS;
}

HashReturn Final(hashState *state, BitSequence *hashval)
{
    unsigned i, suffix = 6; /* 0, 1 of SHA-3 and the first 1 of the padding */

    suffix = suffix << state->bits | state->last;
    if (state->bits > 4) { /* these are more than eight bits */
        put(state, suffix);
        suffix >>= 8;
    }
    add(state, state->fill, suffix);
    add(state, state->rate - 1, 0x80);
    permute(state->lane);
    for (i = 0; i < state->hashbitlen / 8; i++)
        hashval[i] = (BitSequence)(state->lane[i / 8] >> i % 8 * 8);
    return SUCCESS;
}

HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength databitlen,
                BitSequence *hashval)
{
    hashState state;
    HashReturn result = Init(&state, hashbitlen);

    if (result == SUCCESS)
        result = Update(&state, data, databitlen);
    return result == SUCCESS ? Final(&state, hashval) : result;
}
