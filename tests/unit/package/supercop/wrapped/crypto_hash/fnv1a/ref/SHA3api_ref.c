/* SPDX-License-Identifier: MIT */
/* FNV-1a with 64 bits (draft-eastlake-fnv, big-endian output): small, and its answers are known. */
#include "SHA3api_ref.h"

HashReturn Init(hashState *state, int hashbitlen)
{
    if (hashbitlen != 64)
        return BAD_HASHBITLEN;
    state->hashbitlen = hashbitlen;
    state->sum = 0xcbf29ce484222325ULL;
    return SUCCESS;
}

HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen)
{
    DataLength i;

    if (databitlen % 8)
        return FAIL;
    for (i = 0; i < databitlen / 8; i++)
        state->sum = (state->sum ^ data[i]) * 0x100000001b3ULL;
    return SUCCESS;
}

HashReturn Final(hashState *state, BitSequence *hashval)
{
    int i;

    for (i = 0; i < 8; i++)
        hashval[i] = (BitSequence)(state->sum >> (56 - 8 * i));
    return SUCCESS;
}

HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength databitlen,
                BitSequence *hashval)
{
    hashState state;
    HashReturn done = Init(&state, hashbitlen);

    if (done == SUCCESS)
        done = Update(&state, data, databitlen);
    return done == SUCCESS ? Final(&state, hashval) : done;
}
