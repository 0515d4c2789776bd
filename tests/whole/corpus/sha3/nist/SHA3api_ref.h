/* SPDX-License-Identifier: MIT */

#ifndef SHA3API_REF_H
#define SHA3API_REF_H

typedef unsigned char BitSequence;
typedef unsigned long long DataLength; /* a number of bits */
typedef enum { SUCCESS = 0, FAIL = 1, BAD_HASHBITLEN = 2 } HashReturn;

/* A toy: no hash that anybody should use. */
typedef struct {
    int hashbitlen;
    unsigned h, rest, bits;
} hashState;

HashReturn Init(hashState *state, int hashbitlen);
HashReturn Update(hashState *state, const BitSequence *data, DataLength databitlen);
HashReturn Final(hashState *state, BitSequence *hashval);
HashReturn Hash(int hashbitlen, const BitSequence *data, DataLength databitlen,
                BitSequence *hashval);

#endif
