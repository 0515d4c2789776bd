/* SPDX-License-Identifier: MIT */
/* The toy of tests/whole/corpus/compact/ in the API of the SHA-3 competition: see tests/whole/corpus/sha3.toml. */
#include "SHA3api_ref.h"

static unsigned absorb(unsigned h, unsigned byte)
{
    return ((((h << 7) | (h >> 25)) ^ byte) + 0x55) & 0xFFFFFFFF;
}

HashReturn Init(hashState *state, int hashbitlen)
{
    if (hashbitlen != 256 && hashbitlen != 512)
        return BAD_HASHBITLEN;
    state->hashbitlen = hashbitlen;
    state->h = 0x243F6A88;
    state->rest = state->bits = 0;
    return SUCCESS;
}

HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen)
{
    for (; databitlen >= 8; databitlen -= 8)
        state->h = absorb(state->h, *data++);
    if (databitlen) {
        state->rest = *data;
        state->bits = (unsigned)databitlen;
    }
    return SUCCESS;
}

HashReturn Final(hashState *state, BitSequence *hashval)
{
    unsigned mark = 0x80u >> state->bits;
    int left;

    state->h = absorb(state->h, (state->rest | mark) & (0u - mark) & 0xFF);
    for (left = state->hashbitlen / 8; left; left--) {
        state->h = absorb(state->h, 0);
        *hashval++ = (BitSequence)state->h;
    }
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
